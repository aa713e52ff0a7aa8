"""The suite at the base and now: one run each, then the tests that differ once more on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from repo_guardian.tools.deltas.compare import by_id, deltas, differing
from repo_guardian.tools.deltas.interface import DeltaLimits, SuiteDelta
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite import plan_suite, run_suite
from repo_guardian.tools.execution.suite_model import Selection, SuiteCapability, SuiteRun
from repo_guardian.tools.probes.interface import TestReport


async def suite_delta(
    bench: Bench,
    base: Checkout,
    current: Checkout,
    selection: Selection | None = None,
    limits: DeltaLimits | None = None,
    *,
    base_selection: Selection | None = None,
) -> SuiteDelta:
    """Compare the suites of two checkouts, each with its own tests.

    A side that cannot be believed, or runs nothing, leaves a problem and no deltas. pytest runs nothing at
    all when it does not know one of the ids that it is asked for; both sides then run the files of the ids.

    Args:
        selection: the tests to run; the whole suite when None.
        base_selection: those of the base, where they are other ones.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    bounds = limits or DeltaLimits()
    chosen = selection or Selection()
    before = await _run(bench, base, base_selection or chosen)
    after = await _run(bench, current, chosen)
    if not (before.tests and after.tests) and _by_file(chosen) != chosen:
        chosen = _by_file(chosen)
        before = await _run(bench, base, _by_file(base_selection or chosen))
        after = await _run(bench, current, chosen)
    problem = _problem("base", before) or ("" if _uncollected(after) else _problem("current", after))
    if problem:
        return SuiteDelta((), before.assessment, after.assessment, 0, chosen.arguments, problem)
    first, now = by_id(before.tests), by_id(after.tests)
    again = differing(first, now, bounds)[: bounds.rerun_tests]
    old = await _with_repetitions(bench, base, first, again, bounds)
    new = await _with_repetitions(bench, current, now, again, bounds)
    return SuiteDelta(
        deltas(old, new, bounds),
        before.assessment,
        after.assessment,
        len(first.keys() & now.keys()),
        chosen.arguments,
    )


async def _run(bench: Bench, checkout: Checkout, selection: Selection) -> SuiteRun:
    return await run_suite(bench, checkout, plan_suite(checkout.path, bench.site_packages, selection))


def _by_file(selection: Selection) -> Selection:
    """The same with whole files instead of ids."""
    files = dict.fromkeys(argument.partition("::")[0] for argument in selection.arguments)
    return replace(selection, arguments=tuple(files))


def _uncollected(run: SuiteRun) -> bool:
    """Whether nothing is left of the tests because their files cannot be imported: that is an outcome."""
    lost = run.assessment.capability is SuiteCapability.CANNOT_COLLECT
    return run.believed and lost and all(problem.node_id for problem in run.assessment.problems)


def _problem(side: str, run: SuiteRun) -> str:
    if not run.believed:
        reasons = [reason for repetition in run.repetitions for reason in repetition.disagreements]
        return f"the {side} suite's accounts cannot be believed: {next(iter(reasons), 'foreign modules')}"
    if run.assessment.capability is not SuiteCapability.RUNNABLE:
        return f"the {side} suite cannot run: {run.assessment.capability.value}"
    return ""


async def _with_repetitions(
    bench: Bench, checkout: Checkout, known: dict[str, TestReport], again: Sequence[str], limits: DeltaLimits
) -> dict[str, list[TestReport]]:
    """All reports of each test; a repetition that cannot be believed adds nothing."""
    found = {test_id: [report] for test_id, report in known.items()}
    ids = tuple(test_id for test_id in again if test_id in known)
    if not ids:
        return found
    plan = plan_suite(checkout.path, bench.site_packages, Selection(arguments=ids))
    for _ in range(limits.repetitions):
        run = await run_suite(bench, checkout, replace(plan, repetitions=1))
        for test_id, report in by_id(run.tests).items() if run.believed else ():
            if test_id in found:
                found[test_id].append(report)
    return found
