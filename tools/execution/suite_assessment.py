"""Why a suite can or cannot be collected, from the account of one run.

What pytest prints is consulted only where it ended before its session began, and only to explain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from repo_guardian.sandbox.interface import ProcessStatus
from repo_guardian.tools.execution.suite_model import Assessment, ModuleProblem, SuiteCapability
from repo_guardian.tools.probes.interface import ExceptionFacts, TestRun

NOTHING_COLLECTED = 5

_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_EXPLAINING = re.compile(
    r"(?:error: unrecognized arguments: .*|ImportError while loading conftest .*|Error importing plugin .*"
    r"|\w*(?:Error|Exception|Warning|Failed): .*|ERROR: .*)"
)
_TAIL_BYTES = 8000
_REASON_CHARACTERS = 300


def assess(run: TestRun, packages: Collection[str], *, build_problem: str = "") -> Assessment:
    """The capability that ``run`` shows.

    Args:
        run: a collection, or a whole run.
        packages: top-level names that the tree itself offers; a missing one of these is no dependency.
        build_problem: why the project's own build failed, "" when it did not.
    """
    problems = tuple(_problems(run, packages))
    missing = tuple(dict.fromkeys(problem.missing for problem in problems if problem.missing))
    if run.collected:
        return Assessment(SuiteCapability.RUNNABLE, problems, missing)
    if "pytest" in missing or run.result.status is ProcessStatus.SPAWN_FAILED:
        return Assessment(SuiteCapability.NO_RUNNER, problems, missing)
    if not problems and run.pytest_status in (0, NOTHING_COLLECTED):
        return Assessment(SuiteCapability.NO_TESTS)
    if build_problem:
        built = ModuleProblem("", build_problem)
        return Assessment(SuiteCapability.BUILD_FAILED, (built, *problems), missing)
    if problems and all(problem.missing for problem in problems):
        return Assessment(SuiteCapability.MISSING_DEPENDENCIES, problems, missing)
    return Assessment(SuiteCapability.CANNOT_COLLECT, problems or (_ended(run),), missing)


def _problems(run: TestRun, packages: Collection[str]) -> Iterator[ModuleProblem]:
    for node_id, facts in zip(run.collect_error_ids, run.collect_errors, strict=True):
        yield ModuleProblem(node_id, facts.line[:_REASON_CHARACTERS], _missing(facts, packages))
    if run.collected or run.collect_errors or run.pytest_status in (0, NOTHING_COLLECTED):
        return
    text = output_tail(run)
    lines = [match.group() for match in map(_EXPLAINING.search, text.splitlines()) if match]
    found = _NO_MODULE.search(text)
    top = found[1].partition(".")[0] if found else ""
    if lines or top:
        reason = lines[-1] if lines else f"No module named '{top}'"
        yield ModuleProblem("", reason[:_REASON_CHARACTERS], top if top not in packages else "")


def _missing(facts: ExceptionFacts, packages: Collection[str]) -> str:
    if not facts.is_a("ModuleNotFoundError") or not facts.name:
        return ""
    top = facts.name.partition(".")[0]
    return "" if top in packages else top


def _ended(run: TestRun) -> ModuleProblem:
    result = run.result
    if result.status is not ProcessStatus.EXITED:
        return ModuleProblem(
            "", f"the run ended as {result.status.value}: {result.reason or 'no more is known'}"
        )
    return ModuleProblem("", f"pytest ended with status {run.pytest_status} before it had collected anything")


def output_tail(run: TestRun) -> str:
    """The end of what pytest printed, as text."""
    return run.result.stderr[-_TAIL_BYTES:].decode("utf-8", "replace")
