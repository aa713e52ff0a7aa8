"""Signals of changed test outcomes: one for all tests that fail, or are gone, for one cause.

Tests that newly fail with one type of exception at one place of production code, or else in reach of the same
changed definitions, are one signal about the simplest of them; all are listed as its dependents. Tests that
are newly skipped or gone are one signal for each file. Left out are flaky tests, new ones (they have no
outcome at the base), those that pass now or became slower, and tests whose parameters or file were merely
renamed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from repo_guardian.tools.deltas.interface import DeltaKind, SuiteDelta, TestDelta
from repo_guardian.tools.execution.suite_model import Assessment
from repo_guardian.tools.probes.interface import TestOutcome
from repo_guardian.tools.signals.interface import (
    Dependent,
    Signal,
    SignalKind,
    SymbolDetail,
    TestDetail,
    one_line,
    signal_key,
)
from repo_guardian.tools.signals.places import is_production
from repo_guardian.tools.signals.suspects import Suspects, symbol_of
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Resolution, Span

_REPO = "/repo/"
_REASON_CHARS = 200
_NAMED = 3
_SYMBOLS = 5
_LOOKED_UP = 500
"""Failing tests whose suspects are looked up to tell causes apart; the others go by their exception."""


def outcome_signals(delta: SuiteDelta, base: Graph, current: Graph, suspects: Suspects) -> tuple[Signal, ...]:
    """The signals of one comparison of suites; unranked.

    Args:
        delta: what two runs gave.
        base, current: the graphs of both commits.
        suspects: finds the changed definitions that a test reaches.
    """
    writer = _Writer(base, current, suspects)
    broken = _newly_uncollected(delta.base, delta.current)
    return tuple(
        [
            *(writer.failing(group) for group in _by_cause(delta.deltas, suspects)),
            *(writer.gone(group, broken) for group in _gone(delta, broken, current)),
            *(writer.skipped(group) for group in _by_file(delta.deltas, DeltaKind.NEWLY_SKIPPED)),
        ]
    )


def _newly_uncollected(base: Assessment, current: Assessment) -> dict[str, str]:
    """Files that could be collected at the base and no longer can, with the error as one line."""
    before, now = ({p.node_id: p.reason for p in side.problems if p.node_id} for side in (base, current))
    return {path.partition("::")[0]: reason for path, reason in now.items() if path not in before}


def _by_cause(deltas: Sequence[TestDelta], suspects: Suspects) -> list[list[TestDelta]]:
    groups: defaultdict[tuple[str, ...], list[TestDelta]] = defaultdict(list)
    looked_up = 0
    for delta in deltas:
        passed = delta.before is not None and delta.before.outcome is TestOutcome.PASSED
        if delta.kind is not DeltaKind.NEWLY_FAILING or not passed:
            continue
        cause = _raised_at(delta)
        if not cause and looked_up < _LOOKED_UP:
            looked_up += 1
            cause = tuple(suspect.old_id for suspect in suspects.of(delta))
        groups[(_exception(delta), *cause)].append(delta)
    return [
        sorted(group, key=lambda d: (not d.confirmed, "[" in d.test_id, d.test_id))
        for group in groups.values()
    ]


def _exception(delta: TestDelta) -> str:
    exception = delta.after.exception if delta.after is not None else None
    return exception.types[0] if exception is not None and exception.types else ""


def _raised_at(delta: TestDelta) -> tuple[str, ...]:
    """The innermost frame in production code of the repository; empty where there is none."""
    exception = delta.after.exception if delta.after is not None else None
    for frame in reversed(exception.frames if exception is not None else ()):
        path = frame.path.removeprefix(_REPO)
        if path != frame.path and is_production(path):
            return path, frame.function
    return ()


def _by_file(deltas: Sequence[TestDelta], kind: DeltaKind) -> list[list[TestDelta]]:
    groups: defaultdict[str, list[TestDelta]] = defaultdict(list)
    for delta in deltas:
        if delta.kind is kind:
            groups[delta.test_id.partition("::")[0]].append(delta)
    return [groups[path] for path in sorted(groups)]


def _gone(delta: SuiteDelta, broken: Mapping[str, str], current: Graph) -> Iterator[list[TestDelta]]:
    """Tests that are gone, by file; without those that only have other parameters, or another file, now."""
    appeared = {d.test_id.partition("::")[2] for d in delta.deltas if d.before is None}
    for group in _by_file(delta.deltas, DeltaKind.VANISHED):
        if group[0].test_id.partition("::")[0] in broken:
            yield group
            continue
        lost = [d for d in group if d.test_id.partition("::")[2] not in appeared]
        lost = [d for d in lost if symbol_of(d.test_id, current) is None]
        if lost:
            yield lost


class _Writer:
    """Writes one signal for each group of tests."""

    def __init__(self, base: Graph, current: Graph, suspects: Suspects) -> None:
        self._base = base
        self._current = current
        self._suspects = suspects

    def failing(self, group: Sequence[TestDelta]) -> Signal:
        """Tests that fail for one cause."""
        first = group[0]
        reason = _reason(first)
        line = f"{first.test_id} passed at the base and fails now" + (f": {reason}" if reason else "")
        if len(group) > 1:
            others = len(group) - 1
            line += f"; {others} other {'test fails' if others == 1 else 'tests fail'} for the same cause"
        return self._signal(group, line, _exception(first), reason)

    def gone(self, group: Sequence[TestDelta], broken: Mapping[str, str]) -> Signal:
        """Tests that are no longer collected: they were removed, or their file cannot be imported."""
        path = group[0].test_id.partition("::")[0]
        count = f"{len(group)} {'test' if len(group) == 1 else 'tests'}"
        if path in broken:
            reason = broken[path][:_REASON_CHARS]
            line = f"{path} can no longer be collected, and its {count} with it: {reason}"
            return self._signal(group, line, "uncollected", reason, uncollected=one_line(reason))
        names = ", ".join(delta.test_id.partition("::")[2] for delta in group[:_NAMED])
        more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
        were = "is" if len(group) == 1 else "are"
        return self._signal(group, f"{count} of {path} {were} gone: {names}{more}", "gone", "")

    def skipped(self, group: Sequence[TestDelta]) -> Signal:
        """Tests that ran at the base."""
        first, others = group[0], len(group) - 1
        line = f"{first.test_id} ran at the base and is skipped now"
        line += f", like {others} more in its file" if others else ""
        return self._signal(group, line, "skipped", "")

    def _signal(
        self, group: Sequence[TestDelta], line: str, how: str, reason: str, *, uncollected: str = ""
    ) -> Signal:
        first = group[0]
        suspects = self._suspects.of(first)
        path = first.test_id.partition("::")[0]
        before, after = ((r.outcome.value if r is not None else "") for r in (first.before, first.after))
        return Signal(
            key=signal_key(SignalKind.TEST_CHANGED, first.test_id, first.kind.value, how),
            kind=SignalKind.TEST_CHANGED,
            line=one_line(line),
            symbols=tuple(suspect.old_id for suspect in suspects[:_SYMBOLS]),
            paths=tuple(dict.fromkeys((*_paths(suspects[:_SYMBOLS]), path))),
            before=before,
            after=one_line(reason) or after or "gone",
            dependents=tuple(self._test(delta, reason) for delta in group),
            detail=TestDetail(first, suspects, uncollected),
            dependents_total=len(group),
            lagging_total=len(group),
        )

    def _test(self, delta: TestDelta, reason: str) -> Dependent:
        symbol = symbol_of(delta.test_id, self._current) or symbol_of(delta.test_id, self._base)
        return Dependent(
            symbol=symbol.id if symbol is not None else "",
            path=delta.test_id.partition("::")[0],
            span=symbol.span if symbol is not None else Span(1, 1, 0, 0),
            text=one_line(delta.test_id),
            lagging=True,
            reason=one_line(_reason(delta) or reason or delta.kind.value.replace("_", " ")),
            use=EdgeKind.REFERENCE,
            resolution=Resolution.LOCAL,
        )


def _reason(delta: TestDelta) -> str:
    """The exception as one line, without pytest's explanation of an assertion."""
    exception = delta.after.exception if delta.after is not None else None
    if exception is None:
        return ""
    return replace(exception, message=exception.message.partition("\n")[0]).line[:_REASON_CHARS]


def _paths(suspects: Sequence[SymbolDetail]) -> Iterator[str]:
    for suspect in suspects:
        yield suspect.current_path or suspect.base_path
