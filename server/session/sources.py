"""Where a hypothesis' tests come from: templates for its signals, or the text that an agent hands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from repo_guardian.errors import UsageError
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.session.focus import Focus, focus_of, focus_of_signal
from repo_guardian.server.session.locus import Sides, package_names, resolve
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.own_test import Subject, read_own_test
from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.signals.interface import BehaviourDetail, Signal, SymbolDetail


@dataclass(frozen=True, slots=True)
class Bound:
    """A test with what it is about."""

    test: TestSource
    focus: Focus


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
    focus = focus_of(hypothesis, signals, sides)
    if not focus:
        raise UsageError(
            "the hypothesis names nothing that exists at either commit, so no test can be about it",
            hint="write it again with a locus that names one",
        )
    return Bound(read_own_test(text, Subject(focus.modules, package_names(sides), focus.files)), focus)


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
