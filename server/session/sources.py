"""Where a hypothesis' tests come from: templates for its signals, an agent's own text, the repository."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from repo_guardian.errors import UsageError
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.session.focus import Focus, focus_of, focus_of_signal
from repo_guardian.server.session.locus import Sides, package_names, resolve
from repo_guardian.tools.deltas.reach import Walk
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.own_test import Subject, names_used, read_own_test
from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.signals.interface import BehaviourDetail, Signal, SymbolDetail


@dataclass(frozen=True, slots=True)
class Choice:
    """Which test an agent asks for.

    ``source`` is the text of its own, ``existing`` the id of one that the repository has; without either a
    template writes it, and ``variant`` counts those from 0, the most telling one.
    """

    source: str | None = None
    existing: str | None = None
    variant: int = 0

    @property
    def by_template(self) -> bool:
        """Whether a template writes it."""
        return self.source is None and self.existing is None


@dataclass(frozen=True, slots=True)
class Bound:
    """A test with what it is about."""

    test: TestSource
    focus: Focus


def find_test(choice: Choice, hypothesis: Hypothesis, signals: Mapping[str, Signal], sides: Sides) -> Bound:
    """The test that an agent asks for by text or id, bound to what the hypothesis is about.

    Raises:
        UsageError: there is no such test, or something speaks against it; says what would be right.
    """
    if choice.source is not None and choice.existing is not None:
        raise UsageError("two tests are asked for", hint="pass either source or existing")
    if choice.source is not None:
        return own_test(hypothesis, choice.source, signals, sides)
    return repository_test(hypothesis, choice.existing or "", signals, sides)


def pick(found: Sequence[Bound], variant: int) -> Bound:
    """One of the template tests.

    Raises:
        UsageError: there is none of that number.
    """
    if not found:
        raise UsageError(
            "no template can prove a hypothesis with these signals", hint="pass the source of a test"
        )
    if variant >= len(found):
        raise UsageError(f"there are only {len(found)} template tests for it", hint="count from 0")
    return found[variant]


def template_tests(hypothesis: Hypothesis, signals: Mapping[str, Signal], sides: Sides) -> tuple[Bound, ...]:
    """The template tests of a hypothesis' signals, the most telling first."""
    found: list[Bound] = []
    for key in hypothesis.draft.signal_keys:
        signal = signals.get(key)
        if signal is None:
            continue
        focus = focus_of_signal(signal) or focus_of(hypothesis, signals, sides)
        found += [Bound(test, focus) for test in candidates(signal, material(signal, sides))]
    return tuple(found)


def own_test(hypothesis: Hypothesis, text: str, signals: Mapping[str, Signal], sides: Sides) -> Bound:
    """The test that an agent wrote for a hypothesis.

    Raises:
        UsageError: something speaks against it, or the hypothesis names nothing that it could be about.
    """
    focus = _focus(hypothesis, signals, sides)
    test = read_own_test(text, Subject(focus.modules, package_names(sides), focus.files))
    if not focus.files and not _uses(names_used(text), focus, sides):
        names = ", ".join(part.old_id for part in focus.parts[:3])
        raise UsageError(
            f"the test uses neither {names} nor anything that leads to it",
            hint="call it, or write a hypothesis about what the test shows",
        )
    return Bound(test, focus)


def _uses(said: AbstractSet[str], focus: Focus, sides: Sides) -> bool:
    """Whether a test says a name of what it is about, or of anything from which the graph leads there."""
    parts = [(part.qualname or part.module.rpartition(".")[2]).split(".") for part in focus.parts]
    if any(name in said for part in parts for name in part):
        return True
    for graph in (sides.current_graph, sides.base_graph):
        reached = Walk(graph).run([name for part in focus.parts for name in (part.old_id, part.new_id)])
        if not reached.complete or any(said & {*name.split(".")[-2:]} for name in reached.symbols):
            return True
    return False


def repository_test(
    hypothesis: Hypothesis, test_id: str, signals: Mapping[str, Signal], sides: Sides
) -> Bound:
    """A test that the repository has, as the witness of a hypothesis.

    Raises:
        UsageError: its file is not there at the commit, is no text, or the hypothesis names nothing.
    """
    path, _, function = test_id.partition("::")
    content = sides.current.read(path)
    if content is None or not function or not test_id.isprintable():
        raise UsageError(
            f"there is no test {test_id[:200]!r} at this commit",
            hint="ids are as pytest prints them from the repository's root: tests/test_x.py::test_y",
        )
    text = content.decode("utf-8", "surrogateescape")
    digest = hashlib.sha256(f"{test_id}\0".encode() + content).hexdigest()
    return Bound(TestSource(path, function, text, digest, existing=True), _focus(hypothesis, signals, sides))


def _focus(hypothesis: Hypothesis, signals: Mapping[str, Signal], sides: Sides) -> Focus:
    focus = focus_of(hypothesis, signals, sides)
    if not focus:
        raise UsageError(
            "the hypothesis names nothing that exists at either commit, so no test can be about it",
            hint="write it again with a locus that names one",
        )
    return focus


def material(signal: Signal, sides: Sides) -> Material:
    """What templates may look at for a signal."""
    detail = signal.detail.symbol if isinstance(signal.detail, BehaviourDetail) else signal.detail
    before = resolve(detail.old_id, sides.base_graph) if isinstance(detail, SymbolDetail) else None
    return Material(
        before=before.signature if before is not None else None,
        base=sides.base_graph,
        current=sides.current_graph,
        read_base=sides.base.read,
        read_current=sides.current.read,
    )
