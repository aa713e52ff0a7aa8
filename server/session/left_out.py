"""What running both commits could not compare, counted by reason in plain words."""

from __future__ import annotations

from collections import Counter

from repo_guardian.tools.behaviour.interface import BehaviourReport
from repo_guardian.tools.deltas.interface import DeltaKind, SuiteDelta


def calls_left_out(report: BehaviourReport) -> dict[str, int]:
    """What behavioural drift left out; reasons that did not occur are absent."""
    calls = report.left_out
    counts = {
        "functions that no test reaches with arguments that can be kept": len(report.unreached),
        "functions that reach beyond their arguments": len(report.reaching_out),
        "functions that cannot be called on both commits": len(report.missing),
        "functions that were not done in time": len(calls.late),
        "calls that gave two outcomes": calls.unstable,
        "calls with objects that the other commit sets up otherwise": calls.misfits,
        "calls whose outcome shows private state": calls.reshaped,
        "calls that cannot be read back": calls.unusable,
    }
    counts |= {f"calls that reach {what}": count for what, count in calls.effects}
    counts |= {f"calls of the suite that cannot be kept ({why})": count for why, count in report.skipped}
    return {reason: count for reason, count in counts.items() if count}


def tests_left_out(suites: SuiteDelta | None) -> dict[str, int]:
    """Tests that differ and say nothing about the change."""
    kinds = Counter(delta.kind for delta in suites.deltas) if suites is not None else Counter[DeltaKind]()
    counts = {
        "tests that are flaky": kinds[DeltaKind.FLAKY],
        "new tests that fail, with no outcome at the base": kinds[DeltaKind.APPEARED_FAILING],
        "tests that became slower": kinds[DeltaKind.SLOWER],
    }
    return {reason: count for reason, count in counts.items() if count}
