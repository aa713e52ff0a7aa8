"""Why a suite can or cannot be collected, from the account of one run.

What pytest prints is consulted only where it ended before its session began, and only to explain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from repo_guardian.sandbox.interface import ProcessStatus
from repo_guardian.tools.execution.suite_model import Assessment, ModuleProblem, SuiteCapability
from repo_guardian.tools.probes.interface import ExceptionFacts, TestRun

USAGE_ERROR, NOTHING_COLLECTED = 4, 5

_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_NO_PLUGINS = re.compile(r"Missing required plugins: (.+)")
_NO_OPTION = re.compile(r"Unknown config option: (\w+)")
_OFFERED_BY = {
    "asyncio_mode": "pytest-asyncio", "asyncio_default_fixture_loop_scope": "pytest-asyncio",
    "timeout": "pytest-timeout", "DJANGO_SETTINGS_MODULE": "pytest-django", "env": "pytest-env",
    "trio_mode": "pytest-trio", "anyio_mode": "anyio", "qt_api": "pytest-qt", "env_files": "pytest-dotenv",
}  # fmt: skip
"""Configuration options of plugins, which stop pytest when it is strict and the plugin is not there."""
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
    if run.collected and run.pytest_status != USAGE_ERROR:
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
    silent = run.collected or run.collect_errors or run.pytest_status in (0, NOTHING_COLLECTED)
    if silent and run.pytest_status != USAGE_ERROR:
        return
    yield from _printed(output_tail(run), packages)


def _printed(text: str, packages: Collection[str]) -> Iterator[ModuleProblem]:
    """What pytest said before its session began: modules and plugins that it misses, else its last word."""
    lines = [
        match.group()[:_REASON_CHARACTERS] for match in map(_EXPLAINING.search, text.splitlines()) if match
    ]
    wanted = _NO_PLUGINS.search(text)
    for name in re.split(r"[,\s]+", wanted[1].strip()) if wanted else ():
        yield ModuleProblem("", f"the suite requires the plugin {name}"[:_REASON_CHARACTERS], name)
    if wanted:
        return
    option = _NO_OPTION.search(text)
    module = _NO_MODULE.search(text)
    top = module[1].partition(".")[0] if module else _OFFERED_BY.get(option[1], "") if option else ""
    if lines or top:
        reason = lines[-1] if lines else f"No module named '{top}'"
        yield ModuleProblem("", reason, top if top not in packages else "")


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
