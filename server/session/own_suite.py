"""The probe that runs tests which the repository has: what each of them does at the commit, or at the base.

One entry holds the outcomes of all of them. It shows which test to prove a claim with, and is no evidence
itself: whether a test fails for the stated reason, on the code that the claim is about, is judged where that
one test is run for the claim (``probe_prove`` with its id).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from anyio import to_thread

from repo_guardian.errors import AdmissionError, SandboxError
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, ProbeTool, TestResult
from repo_guardian.server.session.examining import Examiner
from repo_guardian.server.session.trees import Tree
from repo_guardian.tools.deltas.select import tests_reaching
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.execution.suite_model import SuiteCapability
from repo_guardian.tools.probes.existing import ExistingRun, run_existing
from repo_guardian.tools.probes.interface import TestReport
from repo_guardian.tools.retrieval.callers import definitions
from repo_guardian.vocabulary import EvidenceStatus, Side

OUTCOMES_LISTED = 200
"""Tests listed in one entry; those that fail come first."""
_REASON_CHARS = 300
_PYTEST = "pytest"
_FAILING = (Outcome.FAILED, Outcome.ERROR)


async def run_own_tests(
    examiner: Examiner, bench: Bench, tests: Sequence[str], symbol: str | None, *, repetitions: int
) -> ProbeEntry:
    """Run ``tests``, or those from which the graph's uses lead to ``symbol``, at the cycle's commit.

    Raises:
        AdmissionError: neither is given, a test's file is not in the tree, or no test reaches the symbol.
    """
    arguments = _reaching(examiner, symbol) if symbol is not None else _named(examiner, tests)
    return await _run(examiner, bench, Side.CURRENT, arguments, None, repetitions=repetitions)


async def run_own_tests_at_base(
    examiner: Examiner, bench: Bench, parent_id: str, *, repetitions: int
) -> ProbeEntry:
    """Run at the base what an earlier entry ran at the commit; the entries are bound.

    Raises:
        AdmissionError: there is no such entry, or the base has none of its test files.
    """
    parent = examiner.session.ledger.get(parent_id)
    if parent.tool is not ProbeTool.RUN_EXISTING_TESTS or parent.side is not Side.CURRENT:
        raise AdmissionError(
            f"{parent_id} ran no tests of the repository at the commit",
            hint="pass the id of a probe_existing_tests entry",
        )
    asked = parent.argv[1:]
    there = tuple(a for a in asked if a.partition("::")[0] in examiner.session.base)
    if asked and not there:
        raise AdmissionError("the base has none of these test files", hint="there is nothing to compare with")
    return await _run(examiner, bench, Side.BASE, there, parent, repetitions=repetitions)


def _named(examiner: Examiner, tests: Sequence[str]) -> tuple[str, ...]:
    if not tests:
        raise AdmissionError("no test is named", hint="name pytest ids in tests, or a symbol that they reach")
    tree = examiner.session.current
    absent = [test for test in tests if not _is_there(tree, test.partition("::")[0])]
    if absent:
        raise AdmissionError(
            f"there is no test file for {absent[0]!r} at this commit",
            hint="ids are as pytest prints them from the repository's root: tests/test_x.py::test_y",
        )
    return tuple(dict.fromkeys(tests))


def _is_there(tree: Tree, path: str) -> bool:
    folder = path.rstrip("/") + "/"
    return path in tree or any(entry.startswith(folder) for entry in tree.entries)


def _reaching(examiner: Examiner, symbol: str) -> tuple[str, ...]:
    graph = examiner.session.need_sides().current_graph
    found = definitions(graph, symbol)
    if len(found) != 1:
        known = ", ".join(one.id for one in found[:5])
        raise AdmissionError(
            f"{symbol!r} names {'several definitions' if found else 'no definition'} at this commit",
            hint=f"name one of: {known}" if known else "name the tests instead",
        )
    selection = tests_reaching(graph, [found[0].id])
    if not selection.everything and not selection.files:
        raise AdmissionError(f"no test reaches {found[0].id}, by the graph", hint="name tests, or write one")
    return selection.arguments


async def _run(
    examiner: Examiner,
    bench: Bench,
    side: Side,
    arguments: Sequence[str],
    parent: ProbeEntry | None,
    *,
    repetitions: int,
) -> ProbeEntry:
    tool, bound = ProbeTool.RUN_EXISTING_TESTS, parent.id if parent is not None else None
    checkout = await to_thread.run_sync(examiner.session.checkout, side)
    try:
        ran = await run_existing(bench, checkout, arguments, repetitions=repetitions)
    except SandboxError as error:
        return examiner.append(
            tool, side, reason="", failure=str(error), parent=bound, argv=(_PYTEST, *arguments)
        )
    status, reason = _worth(ran)
    tests = ran.tests if status is EvidenceStatus.SOURCE else ()
    if tests:
        reason += _against(parent, tests) if parent is not None else _how_to_prove(tests)
    first = ran.run.repetitions[0]
    return examiner.append(
        tool,
        side,
        reason=reason,
        parent=bound,
        evidence=status,
        argv=(_PYTEST, *ran.arguments),
        process_status=first.status.value,
        exit_code=first.pytest_status,
        outcomes=tuple(_result(test) for test in tests[:OUTCOMES_LISTED]),
        repetitions=ran.repetitions,
        duration_s=round(first.duration_s, 3),
        output=first.output_tail,
    )


def _worth(ran: ExistingRun) -> tuple[EvidenceStatus, str]:
    """What the run is worth, and why."""
    first = ran.run.repetitions[0]
    if not ran.run.believed:
        why = next(iter(first.disagreements), "a package of the tree was loaded from elsewhere")
        return EvidenceStatus.INVALID, f"the accounts of the run disagree: {why}"
    assessment = ran.run.assessment
    if assessment.capability is not SuiteCapability.RUNNABLE:
        why = next((problem.reason for problem in assessment.problems), "")
        told = f"these tests cannot run: {assessment.capability.value.replace('_', ' ')}"
        return EvidenceStatus.ENVIRONMENT, told + (f": {why}" if why else "")
    counts = Counter(test.outcome.value for test in ran.tests)
    parts = [f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome]]
    parts += [f"{len(ran.flaky)} flaky, which say nothing"] if ran.flaky else []
    lost = len(assessment.problems)
    parts += [f"{lost} {'file' if lost == 1 else 'files'} not collected"] if lost else []
    return EvidenceStatus.SOURCE, "on the code of this tree: " + ", ".join(parts)


def _against(parent: ProbeEntry, tests: Sequence[TestReport]) -> str:
    """How the same tests stand at the base."""
    failing = {outcome.test_id for outcome in parent.outcomes if outcome.outcome in _FAILING}
    passing = sum(test.test_id in failing and test.outcome.value == Outcome.PASSED for test in tests)
    return f"; of {len(failing)} that fail at the commit {passing} pass here" if failing else ""


def _how_to_prove(tests: Sequence[TestReport]) -> str:
    failing = next((test.test_id for test in tests if test.outcome.value in _FAILING), "")
    return (
        f"; to prove the claim with one, pass its id to probe_prove as existing: {failing}" if failing else ""
    )


def _result(test: TestReport) -> TestResult:
    reason = test.exception.line[:_REASON_CHARS] if test.exception is not None else ""
    return TestResult(test_id=test.test_id, outcome=Outcome(test.outcome.value), reason=reason)
