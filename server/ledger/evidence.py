"""Is a run of a test evidence? Derives status and reason from what was recorded, from nothing else.

The order of the questions matters: first whether the sandbox and the test runner worked, then whether
the three accounts agree, then whether the code under test was the code of the tree, then what the test
did. Repetitions have to agree in all of it; a test that does not is flaky and proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repo_guardian.server.contract.probes import Outcome
from repo_guardian.server.ledger.reasons import Expectation, classify
from repo_guardian.tools.execution import REPO, ProcessStatus
from repo_guardian.tools.probes.interface import TestOutcome, TestReport, TestRun, TestSource
from repo_guardian.vocabulary import EvidenceStatus

ENVIRONMENT, INVALID, VALID = (EvidenceStatus.ENVIRONMENT, EvidenceStatus.INVALID, EvidenceStatus.VALID)

_PROCESS = {
    ProcessStatus.SIGNALED: "the process was killed by a signal",
    ProcessStatus.TIMED_OUT: "the run exceeded its time",
    ProcessStatus.OUT_OF_MEMORY: "the run exceeded its memory",
    ProcessStatus.SPAWN_FAILED: "the process could not be started",
    ProcessStatus.SANDBOX_FAILED: "the sandbox failed",
}


@dataclass(frozen=True, slots=True)
class TreeClaim:
    """The tree that a run claims to test.

    Attributes:
        modules: dotted name to repository-relative path, for the locus' modules that the tree has.
        digests: repository-relative path to hex SHA-256 of its content in the tree, plus the edit; None
            where the tree has no such file.
    """

    modules: Mapping[str, str]
    digests: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The worth of a run. ``outcome`` is None when the test did not run to an outcome."""

    status: EvidenceStatus
    reason: str
    outcome: Outcome | None = None
    failure: str = ""


def judge(runs: Sequence[TestRun], test: TestSource, expectation: Expectation, claim: TreeClaim) -> Judgement:
    """Judge all repetitions of one test against one tree.

    Raises:
        ValueError: there are no runs.
    """
    judgements = [_judge_one(run, test, expectation, claim) for run in runs]
    if not judgements:
        raise ValueError("no runs to judge")
    first = judgements[0]
    if any(judgement != first for judgement in judgements[1:]):
        seen = "; ".join(sorted({judgement.reason for judgement in judgements}))
        return Judgement(INVALID, f"flaky: {len(runs)} repetitions do not agree ({seen})")
    return first


def _judge_one(run: TestRun, test: TestSource, expectation: Expectation, claim: TreeClaim) -> Judgement:
    failed = _harness_failure(run, test)
    if failed is not None:
        return failed
    moved = _wrong_tree(run, claim)
    if moved:
        return Judgement(INVALID, moved)
    report = run.tests[0]
    if report.outcome is TestOutcome.PASSED:
        unproven = _unproven_modules(run, claim)
        if unproven:
            return Judgement(INVALID, unproven, Outcome.PASSED)
        return Judgement(VALID, "it passes on the code of this tree", Outcome.PASSED)
    return _judge_failure(run, report, test, expectation, claim)


def _harness_failure(run: TestRun, test: TestSource) -> Judgement | None:
    """Everything that keeps a run from saying anything about the code."""
    status = run.result.status
    if status is not ProcessStatus.EXITED:
        detail = f" ({run.result.reason})" if run.result.reason else ""
        return Judgement(ENVIRONMENT, _PROCESS[status] + detail)
    if run.pytest_status not in (None, 0) and not run.tests and not run.loaded and not run.collect_errors:
        return Judgement(
            ENVIRONMENT, f"the test runner ended with status {run.pytest_status} and ran nothing"
        )
    if run.collect_errors:
        return Judgement(ENVIRONMENT, f"the test was not collected: {run.collect_errors[0].line}")
    if run.disagreements:
        return Judgement(INVALID, "the accounts of the run disagree: " + "; ".join(run.disagreements))
    if [report.test_id for report in run.tests] != [test.test_id]:
        return Judgement(ENVIRONMENT, "the test did not run")
    outcome = run.tests[0].outcome
    if outcome is TestOutcome.SKIPPED:
        return Judgement(ENVIRONMENT, "the test was skipped", Outcome.SKIPPED)
    if outcome is TestOutcome.ERROR:
        return Judgement(ENVIRONMENT, "the test failed outside its own body", Outcome.ERROR)
    return None


def _wrong_tree(run: TestRun, claim: TreeClaim) -> str:
    states = {state.path.removeprefix(f"{REPO}/"): state for state in run.files}
    for path, digest in sorted(claim.digests.items()):
        state = states.get(path)
        if state is None:
            return f"nothing is known of {path} during the run"
        if state.before != digest:
            return f"{path} was not the tree's when the run began"
        if state.after != digest:
            return f"{path} was changed during the run"
    return ""


def _unproven_modules(run: TestRun, claim: TreeClaim) -> str:
    loaded = dict(run.loaded)
    for module, path in sorted(claim.modules.items()):
        origin = loaded.get(module)
        if origin is None:
            return f"{module} was never loaded, so the test did not touch it"
        if origin != f"{REPO}/{path}":
            return f"{module} was loaded from another place than this tree"
    return ""


def _judge_failure(
    run: TestRun, report: TestReport, test: TestSource, expectation: Expectation, claim: TreeClaim
) -> Judgement:
    if report.exception is None:
        return Judgement(INVALID, "the test failed without a readable exception", Outcome.FAILED)
    reason = classify(report.exception, expectation, test)
    line = report.exception.line
    if not reason.stated:
        status = ENVIRONMENT if reason.import_failed else INVALID
        return Judgement(status, reason.text, Outcome.FAILED, line)
    unproven = "" if reason.import_failed else _unproven_modules(run, claim)
    foreign = _foreign_modules(run, claim)
    if unproven or foreign:
        return Judgement(INVALID, unproven or foreign, Outcome.FAILED, line)
    return Judgement(VALID, f"it fails for the stated reason: {reason.text}", Outcome.FAILED, line)


def _foreign_modules(run: TestRun, claim: TreeClaim) -> str:
    """A module of the locus that was loaded at all has to come from the tree, whatever failed after."""
    loaded = dict(run.loaded)
    for module, path in sorted(claim.modules.items()):
        if module in loaded and loaded[module] != f"{REPO}/{path}":
            return f"{module} was loaded from another place than this tree"
    return ""
