"""Searches the minimal revert that turns a failing test green; the search only, no judgement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from repo_guardian.server.ledger.locus_files import is_test_or_configuration
from repo_guardian.server.session.locus import Sides, definition_spans
from repo_guardian.tools.probes.interface import Edit
from repo_guardian.tools.probes.revert import Blobs, Revert, apply, candidates, narrow, render_diff
from repo_guardian.tools.signals.interface import SymbolDetail


@dataclass(frozen=True, slots=True)
class FoundRevert:
    """A revert that makes the test pass. ``minimal`` is False when the attempts ran out before it was."""

    revert: Revert
    edit: Edit
    minimal: bool
    attempts: int
    evidence_diff: str


class FixSearch:
    """One search, bounded by a number of test runs.

    Args:
        detail: the suspected symbol.
        sides: the two trees.
        max_attempts: how many reverts may be tried.
    """

    def __init__(self, detail: SymbolDetail, sides: Sides, max_attempts: int) -> None:
        self._detail = detail
        self._sides = sides
        self._left = max_attempts
        self._max = max_attempts
        self._spent = False

    async def search(self, passes: Callable[[Edit], Awaitable[bool]]) -> FoundRevert | None:
        """Try candidates from the narrowest on, narrow the first that passes; None when none does."""
        base, current = self._blobs()

        async def attempt(revert: Revert) -> bool:
            if self._left == 0:
                self._spent = True
                return False
            self._left -= 1
            return await passes(apply(revert, base, current))

        for candidate in candidates(definition_spans(self._detail, self._sides), base, current):
            if not await attempt(candidate):
                continue
            found = await narrow(candidate, attempt)
            edit = apply(found, base, current)
            used = self._max - self._left
            return FoundRevert(found, edit, not self._spent, used, render_diff(edit, current))
        return None

    def _blobs(self) -> tuple[Blobs, Blobs]:
        """The locus' files in both trees; tests and configuration are never part of a revert."""
        paths = {self._detail.base_path, self._detail.current_path} - {""}
        paths |= {span.path for span in definition_spans(self._detail, self._sides)} - {""}
        kept = sorted(path for path in paths if not is_test_or_configuration(path))
        base = {path: self._sides.base.read(path) for path in kept}
        current = {path: self._sides.current.read(path) for path in kept}
        return base, current
