"""Runs tests that the repository has, as its own suite runs them, and runs again those that fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anyio import to_thread

from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite import plan_suite, run_suite
from repo_guardian.tools.execution.suite_model import Selection, SuiteRun
from repo_guardian.tools.probes.interface import TestOutcome, TestReport

_BAD = (TestOutcome.FAILED, TestOutcome.ERROR)


@dataclass(frozen=True, slots=True)
class ExistingRun:
    """Tests of the repository on one tree.

    Attributes:
        run: the first run.
        arguments: what pytest was given: the ids and files asked for, or their files where it does not know
            one of the ids and so runs none.
        flaky: ids of tests that failed and did not in a repetition, or of which that cannot be told.
        repetitions: how often the failing ones ran.
    """

    run: SuiteRun
    arguments: tuple[str, ...]
    flaky: tuple[str, ...]
    repetitions: int

    @property
    def tests(self) -> tuple[TestReport, ...]:
        """Those that can be relied on to do what they did; failing ones first."""
        stable = [test for test in self.run.tests if test.test_id not in self.flaky]
        return tuple(sorted(stable, key=lambda test: test.outcome not in _BAD))


async def run_existing(
    bench: Bench, checkout: Checkout, arguments: Sequence[str], *, repetitions: int
) -> ExistingRun:
    """Run the tests that ``arguments`` name, all of them when it is empty.

    Args:
        bench: with the tree's build, and limits that a suite fits in.
        arguments: node ids, files and folders relative to the repository.
        repetitions: how often a test that fails runs in all.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    asked = tuple(arguments)
    run = await _run(bench, checkout, asked)
    files = tuple(dict.fromkeys(argument.partition("::")[0] for argument in asked))
    if not run.tests and files != asked:
        asked, run = files, await _run(bench, checkout, files)
    bad = tuple(test.test_id for test in run.tests if test.outcome in _BAD)
    flaky: set[str] = set()
    for _ in range(repetitions - 1 if bad and run.believed else 0):
        again = await _run(bench, checkout, bad)
        outcomes = {test.test_id: test.outcome for test in again.tests} if again.believed else {}
        flaky |= {test for test in bad if outcomes.get(test) not in _BAD}
    return ExistingRun(run, asked, tuple(sorted(flaky)), repetitions if bad else 1)


async def _run(bench: Bench, checkout: Checkout, arguments: tuple[str, ...]) -> SuiteRun:
    selection = Selection(arguments=arguments)
    plan = await to_thread.run_sync(plan_suite, checkout.path, bench.site_packages, selection)
    return await run_suite(bench, checkout, replace(plan, repetitions=1))
