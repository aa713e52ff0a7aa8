"""The records of test deltas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from repo_guardian.tools.execution.suite_model import Assessment
from repo_guardian.tools.probes.interface import TestReport


class DeltaKind(StrEnum):
    """How one test differs between two commits."""

    NEWLY_FAILING = "newly_failing"
    """It passed at the base; now it fails, or its set-up or tear-down does."""
    NEWLY_PASSING = "newly_passing"
    NEWLY_SKIPPED = "newly_skipped"
    """It ran at the base and is skipped now."""
    VANISHED = "vanished"
    """It was collected at the base and is no longer."""
    APPEARED = "appeared"
    APPEARED_FAILING = "appeared_failing"
    """It is new and fails."""
    SLOWER = "slower"
    FLAKY = "flaky"
    """It differs between the commits, and between repetitions on one of them: it says nothing."""


@dataclass(frozen=True, slots=True)
class DeltaLimits:
    """Bounds and thresholds of one comparison.

    Attributes:
        repetitions: how often a test that differs is run again on each side.
        rerun_tests: how many differing tests are run again at most; the others are reported unconfirmed.
        slower_factor: how many times as long a test must take, in the fastest of its runs on each side, and
            beyond what all tests of the current run took longer (``compare.pace``).
        slower_min_s: and by how many seconds more, so that noise of short tests is none.
    """

    repetitions: int = 2
    rerun_tests: int = 500
    slower_factor: float = 3.0
    slower_min_s: float = 0.5


@dataclass(frozen=True, slots=True)
class TestDelta:
    """One test that differs.

    ``before`` and ``after`` are its first reports, None where it was not collected. ``confirmed`` says that
    every repetition on each side agreed; ``ratio`` is set for ``SLOWER``.
    """

    __test__ = False

    test_id: str
    kind: DeltaKind
    before: TestReport | None
    after: TestReport | None
    confirmed: bool
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class SuiteDelta:
    """What two runs of a suite say about a change.

    Attributes:
        deltas: tests that differ, newly failing ones first, then by kind and id.
        base, current: what each side could run.
        compared: tests that both sides ran.
        selected: the arguments that the runs were restricted to; empty when the whole suite ran.
        problem: why nothing may be concluded; empty otherwise.
    """

    deltas: tuple[TestDelta, ...]
    base: Assessment
    current: Assessment
    compared: int
    selected: tuple[str, ...] = ()
    problem: str = ""
