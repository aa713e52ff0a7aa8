"""Searches the minimal revert that turns a failing test green, and reads edits; the search, no judgement."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from anyio import to_thread

from repo_guardian.server.ledger.locus_files import is_test_or_configuration
from repo_guardian.server.session.focus import Focus, definition_spans
from repo_guardian.server.session.locus import Sides
from repo_guardian.tools.probes.edits import apply_diff
from repo_guardian.tools.probes.interface import Edit, TestSource
from repo_guardian.tools.probes.revert import (
    Blobs,
    Revert,
    apply,
    candidates,
    changed_lines,
    narrow,
    recognise,
    render_diff,
)

Passes = Callable[[Edit], Awaitable[bool]]
"""Whether the test passes with an edit in place."""


@dataclass(frozen=True, slots=True)
class FoundEdit:
    """An edit to run the test with.

    ``restores_base`` says that it is base text only. ``minimal`` is False for any other edit, and when the
    attempts ran out before everything that can be left out was.
    """

    edit: Edit
    description: str
    changed_lines: int
    restores_base: bool
    minimal: bool
    attempts: int
    evidence_diff: str


def objection(edit: Edit, test: TestSource, focus: Focus, sides: Sides) -> str:
    """Why an edit reverts something else than the suspected cause, in one clause; empty when it does not."""
    suspected = {*focus.paths(sides), *(span.path for span in definition_spans(focus, sides))}
    beside = sorted(path for path in edit if path not in suspected)
    if beside:
        return f"it reverts what the hypothesis does not name: {', '.join(beside[:3])}"
    if test.existing and test.place in edit and not _keeps_examples(edit, test, sides):
        return f"it rewrites the test itself: {test.place}"
    return ""


def _keeps_examples(edit: Edit, test: TestSource, sides: Sides) -> bool:
    """Whether the test is an example in a docstring of the code, and all docstrings stay as they are."""
    is_example = "." in test.function.partition("[")[0]
    texts = [_docstrings(content) for content in (edit[test.place], sides.current.read(test.place))]
    return is_example and texts[0] is not None and texts[0] == texts[1]


def _docstrings(content: bytes | None) -> list[str | None] | None:
    """The docstrings of a module in order; None where it cannot be read."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    try:
        tree = ast.parse(content or b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, kinds)]


class FixSearch:
    """One search, bounded by a number of test runs.

    Args:
        sides: the two trees.
        max_attempts: how many reverts may be tried.
        passes: runs the test.
    """

    def __init__(self, sides: Sides, max_attempts: int, passes: Passes) -> None:
        self._sides = sides
        self._left = max_attempts
        self._max = max_attempts
        self._passes = passes
        self._spent = False

    async def search(self, focus: Focus) -> FoundEdit | None:
        """Try reverts of what is suspected from the narrowest on, narrow the first that passes."""
        base, current, found = await to_thread.run_sync(self._candidates, focus)
        for candidate in found:
            if await self._attempt(candidate, base, current):
                return await self._narrowed(candidate, base, current)
        return None

    async def given(self, diff: str) -> FoundEdit:
        """The edit that a diff writes; narrowed when it is a revert and the test passes with it.

        Raises:
            UsageError: the diff does not apply to the current files.
        """
        edit = await to_thread.run_sync(apply_diff, diff, self._sides.current.read)
        base, current = await to_thread.run_sync(self._blobs, sorted(edit))
        revert = await to_thread.run_sync(recognise, edit, base, current)
        if revert is not None and await self._attempt(revert, base, current):
            return await self._narrowed(revert, base, current)
        return FoundEdit(
            edit=edit,
            description=f"an edit of {', '.join(sorted(edit))}",
            changed_lines=changed_lines(edit, current),
            restores_base=revert is not None,
            minimal=False,
            attempts=self._max - self._left,
            evidence_diff=render_diff(edit, current),
        )

    async def _narrowed(self, revert: Revert, base: Blobs, current: Blobs) -> FoundEdit:
        found = await narrow(revert, lambda fewer: self._attempt(fewer, base, current))
        edit = apply(found, base, current)
        return FoundEdit(
            edit=edit,
            description=found.description,
            changed_lines=found.changed_lines,
            restores_base=True,
            minimal=not self._spent,
            attempts=self._max - self._left,
            evidence_diff=render_diff(edit, current),
        )

    async def _attempt(self, revert: Revert, base: Blobs, current: Blobs) -> bool:
        if self._left == 0:
            self._spent = True
            return False
        self._left -= 1
        return await self._passes(apply(revert, base, current))

    def _candidates(self, focus: Focus) -> tuple[Blobs, Blobs, list[Revert]]:
        """Both trees' files of the focus, without tests and configuration, and what can be reverted there."""
        spans = definition_spans(focus, self._sides)
        paths = {*focus.paths(self._sides), *(span.path for span in spans)} - {""}
        base, current = self._blobs(sorted(path for path in paths if not is_test_or_configuration(path)))
        return base, current, list(candidates(spans, base, current))

    def _blobs(self, paths: list[str]) -> tuple[Blobs, Blobs]:
        """The files in both trees."""
        base = {path: self._sides.base.read(path) for path in paths}
        return base, {path: self._sides.current.read(path) for path in paths}
