"""A divergence's test, run on both commits: it passes at the base, and fails now.

Recorded pickles never enter a test; ``rendering`` says what is written as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from repo_guardian.tools.behaviour.interface import Divergence
from repo_guardian.tools.behaviour.rendering import render, renderings
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout
from repo_guardian.tools.execution.suite_layout import find_layout
from repo_guardian.tools.probes.interface import TestOutcome, TestReport, TestRun, TestSource
from repo_guardian.tools.probes.runner import RunPlan

__all__ = ["Proof", "ProofStatus", "confirm", "render", "renderings"]


class ProofStatus(StrEnum):
    """What running a divergence's test came to."""

    CONFIRMED = "confirmed"
    """It passes at the base and fails at the current commit, each time."""
    UNPROVABLE = "unprovable"
    """No test can be written for it; nothing was run."""
    NOT_AT_BASE = "not_at_base"
    """It does not pass at the base."""
    STILL_PASSES = "still_passes"
    UNSTABLE = "unstable"
    """Repetitions of one commit disagree."""
    INVALID = "invalid"
    """A run's accounts contradict each other, or the function did not come from ``/repo``."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A test and what it did; ``reason`` is one line for every status but ``CONFIRMED``.

    ``base`` and ``current`` are the runs, in order of repetition.
    """

    status: ProofStatus
    test: TestSource | None = None
    base: tuple[TestRun, ...] = ()
    current: tuple[TestRun, ...] = ()
    reason: str = ""


async def confirm(
    bench: Bench, base: Checkout, current: Checkout, divergence: Divergence, *, repetitions: int = 2
) -> Proof:
    """Run the divergence's tests on both commits, one after the other until one is confirmed.

    Raises:
        SandboxError: a sandbox could not be opened or written.
    """
    proof = Proof(ProofStatus.UNPROVABLE, reason="the call cannot be written as a test")
    for test in renderings(divergence):
        proof = await _confirm(bench, (base, current), divergence, test, repetitions)
        if proof.status is ProofStatus.CONFIRMED:
            break
    return proof


async def _confirm(
    bench: Bench, sides: tuple[Checkout, Checkout], divergence: Divergence, test: TestSource, repetitions: int
) -> Proof:
    async def runs(checkout: Checkout) -> tuple[TestRun, ...]:
        plan = RunPlan(
            import_roots=find_layout(checkout.path).roots,
            harness=HARNESS,
            site=bench.site,
            modules=(divergence.target.module,),
            files=(divergence.target.path,),
        )
        return tuple(await bench.run(test, plan, checkout, {}, repetitions=repetitions))

    before, after = await runs(sides[0]), await runs(sides[1])
    status, reason = _judge(divergence, test, before, after)
    return Proof(status, test, before, after, reason=reason)


def _judge(
    divergence: Divergence, test: TestSource, base: tuple[TestRun, ...], current: tuple[TestRun, ...]
) -> tuple[ProofStatus, str]:
    module = divergence.target.module
    for run in (*base, *current):
        if run.disagreements:
            return ProofStatus.INVALID, run.disagreements[0]
        if not dict(run.loaded).get(module, "").startswith("/repo/"):
            return ProofStatus.INVALID, f"{module} was not loaded from the checkout"
    outcomes = [{_outcome(run, test) for run in side} for side in (base, current)]
    if any(len(seen) > 1 for seen in outcomes):
        return ProofStatus.UNSTABLE, "repetitions disagree"
    before, after = (seen.pop() for seen in outcomes)
    if before is not TestOutcome.PASSED:
        return ProofStatus.NOT_AT_BASE, f"at the base it is {before}: {_why(base[0], test)}"
    if after is not TestOutcome.FAILED:
        return ProofStatus.STILL_PASSES, f"now it is {after}"
    return ProofStatus.CONFIRMED, ""


def _report(run: TestRun, test: TestSource) -> TestReport | None:
    return next((report for report in run.tests if report.test_id == test.test_id), None)


def _outcome(run: TestRun, test: TestSource) -> TestOutcome | None:
    report = _report(run, test)
    return report.outcome if report is not None else None


def _why(run: TestRun, test: TestSource) -> str:
    report = _report(run, test)
    return report.exception.line if report is not None and report.exception is not None else "no reason given"
