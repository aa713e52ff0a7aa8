"""Two reports of each test, and those of its repetitions, as what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from repo_guardian.tools.deltas.interface import DeltaKind, DeltaLimits, TestDelta
from repo_guardian.tools.probes.interface import TestOutcome, TestReport

Reports = Mapping[str, Sequence[TestReport]]
"""All reports of each test on one side, the first run's first."""

_ORDER = tuple(DeltaKind)
_PACED_TESTS = 5
_PACED_S = 0.005
"""Tests that tell how fast a whole run was: so many at least, and none shorter than this."""
_BAD = (TestOutcome.FAILED, TestOutcome.ERROR)


def by_id(tests: Iterable[TestReport]) -> dict[str, TestReport]:
    """The first report of each id."""
    found: dict[str, TestReport] = {}
    for test in tests:
        found.setdefault(test.test_id, test)
    return found


def differing(
    base: Mapping[str, TestReport], current: Mapping[str, TestReport], limits: DeltaLimits
) -> list[str]:
    """The ids whose first reports call for a second look, sorted."""
    found = []
    slowdown = pace(base, current)
    for test_id in base.keys() | current.keys():
        before, after = base.get(test_id), current.get(test_id)
        if _kind(before, after) is not None or _ratio([before], [after], limits, slowdown) is not None:
            found.append(test_id)
    return sorted(found)


def pace(base: Mapping[str, TestReport], current: Mapping[str, TestReport]) -> float:
    """How many times as long the tests of the current run took on the whole; 1.0 when they did not.

    The median over tests of some length that passed on both sides: on a machine that others load meanwhile
    every test is slower, and none of them for its own sake.
    """
    ratios = []
    for test_id in base.keys() & current.keys():
        old, new = _fastest([base[test_id]]), _fastest([current[test_id]])
        if old is not None and new is not None and old >= _PACED_S:
            ratios.append(new / old)
    return max(1.0, median(ratios)) if len(ratios) >= _PACED_TESTS else 1.0


def deltas(base: Reports, current: Reports, limits: DeltaLimits) -> tuple[TestDelta, ...]:
    """What differs, judged by all repetitions; see ``SuiteDelta.deltas`` for the order."""
    found = []
    firsts = ({test_id: runs[0] for test_id, runs in side.items() if runs} for side in (base, current))
    slowdown = pace(*firsts)
    for test_id in base.keys() | current.keys():
        delta = _delta(test_id, base.get(test_id, ()), current.get(test_id, ()), limits, slowdown)
        if delta is not None:
            found.append(delta)
    return tuple(sorted(found, key=lambda delta: (_ORDER.index(delta.kind), delta.test_id)))


def _delta(
    test_id: str,
    before: Sequence[TestReport],
    after: Sequence[TestReport],
    limits: DeltaLimits,
    slowdown: float,
) -> TestDelta | None:
    first, now = next(iter(before), None), next(iter(after), None)
    kind = _kind(first, now)
    repeated = len(before) > 1 or len(after) > 1
    if kind is not None:
        stable = all(len({report.outcome for report in side}) <= 1 for side in (before, after))
        return TestDelta(test_id, kind if stable else DeltaKind.FLAKY, first, now, stable and repeated)
    ratio = _ratio(before, after, limits, slowdown)
    if ratio is None:
        return None
    return TestDelta(test_id, DeltaKind.SLOWER, first, now, repeated, ratio)


def _kind(before: TestReport | None, after: TestReport | None) -> DeltaKind | None:
    """None for what is the same, for what was bad and is bad in another way, and for what runs again."""
    if before is None or after is None:
        if after is None:
            return DeltaKind.VANISHED
        return DeltaKind.APPEARED_FAILING if after.outcome in _BAD else DeltaKind.APPEARED
    if before.outcome is TestOutcome.PASSED and after.outcome in _BAD:
        return DeltaKind.NEWLY_FAILING
    if before.outcome in _BAD and after.outcome is TestOutcome.PASSED:
        return DeltaKind.NEWLY_PASSING
    if before.outcome is not TestOutcome.SKIPPED and after.outcome is TestOutcome.SKIPPED:
        return DeltaKind.NEWLY_SKIPPED
    if before.outcome is TestOutcome.SKIPPED and after.outcome in _BAD:
        return DeltaKind.NEWLY_FAILING
    return None


def _ratio(
    before: Sequence[TestReport | None],
    after: Sequence[TestReport | None],
    limits: DeltaLimits,
    slowdown: float,
) -> float | None:
    """How many times as long the fastest run takes now beyond ``slowdown``, if that passes the thresholds."""
    old, new = _fastest(before), _fastest(after)
    if old is None or new is None:
        return None
    old *= slowdown
    if new - old < limits.slower_min_s:
        return None
    ratio = new / max(old, 0.001)
    return ratio if ratio >= limits.slower_factor else None


def _fastest(reports: Sequence[TestReport | None]) -> float | None:
    passed = [r for r in reports if r is not None and r.outcome is TestOutcome.PASSED]
    return min((r.duration_s for r in passed if r.duration_s is not None), default=None)
