"""The repository's own pytest suite as a witness: its conftest, its options, its plugins, in the sandbox.

The outcomes travel as those of template tests do: streamed per test to a supervisor outside the interpreter,
and believed only where stream, JUnit report and exit status agree and the packages under test came from
``/repo`` (DESIGN section 6). unittest suites run through pytest. A repository without a runnable test is an
answer (``SuiteCapability``), not an error.

pytest is the one among the repository's test requirements where it has one, since its plugins and its
conftest were written for that; else the pinned runner. Plugins load themselves, other than for templates.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from anyio import to_thread

from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite_assessment import assess, output_tail
from repo_guardian.tools.execution.suite_layout import find_layout
from repo_guardian.tools.execution.suite_model import (
    MIB,
    Repetition,
    Selection,
    SuiteCollection,
    SuitePlan,
    SuiteRun,
)
from repo_guardian.tools.execution.suite_options import suite_options
from repo_guardian.tools.probes.account import read_account
from repo_guardian.tools.probes.interface import TestReport, TestRun
from repo_guardian.tools.probes.runner import PROBE_DIR, REPORT

REPORT_BYTES = 48 * MIB
OUTPUT_BYTES = 64 * 1024
"""How much of the end of pytest's output is kept."""


def plan_suite(checkout: Path, installed: Sequence[str], selection: Selection | None = None) -> SuitePlan:
    """The plan that the tree at ``checkout`` itself asks for, beside the packages ``installed``."""
    return SuitePlan(find_layout(checkout), suite_options(checkout, installed), selection or Selection())


async def run_suite(bench: Bench, checkout: Checkout, plan: SuitePlan) -> SuiteRun:
    """Run the suite of ``checkout`` ``plan.repetitions`` times, each in a fresh overlay.

    ``bench.limits`` bound each run; see ``SUITE_LIMITS``.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    runs = [await run_once(bench, checkout, plan) for _ in range(plan.repetitions)]
    records = tuple(_record(run, plan) for run in runs)
    believed = [run for run, record in zip(runs, records, strict=True) if record.believed]
    shown = believed[0] if believed else runs[0]
    return SuiteRun(
        assessment=assess(shown, plan.layout.packages, build_problem=plan.build_problem),
        tests=shown.tests,
        flaky=_flaky([run.tests for run in believed]),
        repetitions=records,
        loaded=shown.loaded,
        dropped=plan.options.dropped,
    )


async def collect_suite(bench: Bench, checkout: Checkout, plan: SuitePlan) -> SuiteCollection:
    """What ``run_suite`` would run, and what stands in its way; conftests and test files are imported.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    run = await run_once(bench, checkout, plan, collect_only=True)
    return SuiteCollection(
        assessment=assess(run, plan.layout.packages, build_problem=plan.build_problem),
        collected=run.collected,
        dropped=plan.options.dropped,
        output_tail=output_tail(run),
        duration_s=run.result.duration_s,
    )


async def run_once(
    bench: Bench, checkout: Checkout, plan: SuitePlan, *, collect_only: bool = False
) -> TestRun:
    """One run of a plan in a sandbox of its own, whatever ``plan.repetitions`` says, as its account tells it.

    The account's bytes are let go once they are read.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    project = bench.projects.get(checkout.label)
    built = await to_thread.run_sync(project.edit) if project is not None else {}
    async with bench.open(checkout) as sandbox:
        await apply_edit(sandbox, {**built, **plan.edit})
        await sandbox.write_file(f"{PROBE_DIR}/README", b"The report of the run goes here.\n")
        task = {
            "argv": suite_argv(sandbox.python, bench, plan, collect_only=collect_only),
            "environment": suite_environment(bench, plan),
            "cwd": REPO,
            "report": REPORT,
            "report_bytes": REPORT_BYTES,
            "files": [f"{REPO}/{path}" for path in plan.files],
        }
        result = await sandbox.run(
            [sandbox.python, "-I", f"{GUEST}/supervisor.py"],
            cwd=PROBE_DIR,
            stdin=json.dumps(task).encode(),
            limits=bench.limits,
        )
    run = await to_thread.run_sync(partial(read_account, result, collect_only=collect_only))
    return replace(run, result=replace(result, stdout=b"", stderr=result.stderr[-OUTPUT_BYTES:]))


def suite_argv(
    python: str, bench: Bench, plan: SuitePlan, *, collect_only: bool = False, plugins: Sequence[str] = ()
) -> list[str]:
    """How pytest is started over the suite, with further ``plugins`` by module name."""
    return [
        *(python, f"{GUEST}/run_pytest.py", "-p", "guardian_witness"),
        *("-q", "--tb=short", "--color=no", "--continue-on-collection-errors"),
        *(f"--junitxml={REPORT}", "-o", "junit_family=xunit1", "-o", "junit_logging=no"),
        *plan.options.argv,
        *(["--collect-only"] if collect_only else []),
        *(argument for name in plugins for argument in ("-p", name)),
        *bench.toolchains.test_arguments,
        *plan.selection.argv(),
    ]


def suite_environment(bench: Bench, plan: SuitePlan) -> dict[str, str]:
    """The variables of an interpreter that runs the suite, or imports what it tests, in the sandbox."""
    roots = [f"{REPO}/{root}".rstrip("/") for root in plan.layout.roots]
    own_runner = any(text.startswith("pytest==") for text in bench.site_packages)
    shared = [bench.site, HARNESS] if own_runner else [HARNESS, bench.site]
    path = [*roots, *filter(None, shared), GUEST]
    watched = [*(f"{name}.*" for name in plan.layout.packages), *plan.modules]
    return {
        "PYTHONPATH": ":".join(path),
        "GUARDIAN_WITNESS_MODULES": ",".join(watched),
    }


def _record(run: TestRun, plan: SuitePlan) -> Repetition:
    return Repetition(
        status=run.result.status,
        pytest_status=run.pytest_status,
        duration_s=run.result.duration_s,
        disagreements=run.disagreements,
        foreign=_foreign(run, plan),
        output_tail=output_tail(run),
    )


def _foreign(run: TestRun, plan: SuitePlan) -> tuple[tuple[str, str], ...]:
    """The tree's modules that came from elsewhere; a module without a file has no place to be wrong about."""
    return tuple(
        (name, path)
        for name, path in run.loaded
        if path and name.partition(".")[0] in plan.layout.packages and not path.startswith(f"{REPO}/")
    )


def _flaky(runs: Sequence[Sequence[TestReport]]) -> tuple[str, ...]:
    outcomes: dict[str, set[str]] = {}
    for tests in runs:
        for test in tests:
            outcomes.setdefault(test.test_id, set()).add(test.outcome.value)
    counts = Counter(test.test_id for tests in runs for test in tests)
    return tuple(i for i, seen in outcomes.items() if len(seen) > 1 or counts[i] != len(runs))
