"""Is a run of a test evidence? Derives status and reason from what was recorded, from nothing else.

The order of the questions matters: first whether the sandbox and the test runner worked, then whether
the three accounts agree, then whether the code under test was the code of the tree, then what the test
did. Repetitions have to agree in all of it; a test that does not is flaky and proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from repo_guardian.server.contract.probes import Outcome
from repo_guardian.server.ledger.frames import way
from repo_guardian.server.ledger.reasons import Expected, classify, classify_collection
from repo_guardian.tools.execution import REPO, ProcessStatus
from repo_guardian.tools.probes.interface import TestOutcome, TestReport, TestRun, TestSource
from repo_guardian.vocabulary import EvidenceStatus

ENVIRONMENT, INVALID, VALID = (EvidenceStatus.ENVIRONMENT, EvidenceStatus.INVALID, EvidenceStatus.VALID)

FLAKY = "flaky"
"""How the reason of a run begins whose repetitions do not agree."""

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
        needed: sets of ``modules`` of which a test must have loaded one whole; empty stands for all of them.
    """

    modules: Mapping[str, str]
    digests: Mapping[str, str | None]
    needed: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The worth of a run. ``outcome`` is None when the test did not run to an outcome.

    ``failure`` is the exception as one line, and ``way`` what repetitions have to agree on beside it.
    """

    status: EvidenceStatus
    reason: str
    outcome: Outcome | None = None
    failure: str = field(default="", compare=False)
    way: str = ""

    @property
    def passed(self) -> bool:
        """True for an admissible pass."""
        return self.status is VALID and self.outcome is Outcome.PASSED


def judge(runs: Sequence[TestRun], test: TestSource, expected: Expected, claim: TreeClaim) -> Judgement:
    """Judge all repetitions of one test against one tree.

    Raises:
        ValueError: there are no runs.
    """
    judgements = [_judge_one(run, test, expected, claim) for run in runs]
    if not judgements:
        raise ValueError("no runs to judge")
    first = judgements[0]
    if any(_seen(judgement) != _seen(first) for judgement in judgements[1:]):
        seen = "; ".join(sorted({judgement.reason for judgement in judgements}))
        return Judgement(INVALID, f"{FLAKY}: {len(runs)} repetitions do not agree ({seen})")
    return first


def _seen(judgement: Judgement) -> tuple[EvidenceStatus, Outcome | None, str]:
    """What repetitions have to agree on."""
    return judgement.status, judgement.outcome, judgement.way or judgement.reason


def _judge_one(run: TestRun, test: TestSource, expected: Expected, claim: TreeClaim) -> Judgement:
    failed = _harness_failure(run)
    if failed is not None:
        return failed
    moved = _wrong_tree(run, claim) or _looked(run)
    if run.collect_errors:
        return _judge_collection(run, test, expected, moved)
    if [report.test_id for report in run.tests] != [test.test_id]:
        return Judgement(ENVIRONMENT, "the test did not run")
    report = run.tests[0]
    if report.outcome is TestOutcome.SKIPPED:
        return Judgement(ENVIRONMENT, "the test was skipped", Outcome.SKIPPED)
    if moved:
        return Judgement(INVALID, moved)
    if report.outcome is TestOutcome.PASSED:
        unproven = _foreign_modules(run, claim) or _unproven_modules(run, claim)
        if unproven:
            return Judgement(INVALID, unproven, Outcome.PASSED)
        return Judgement(VALID, "it passes on the code of this tree", Outcome.PASSED)
    return _judge_failure(run, report, test, expected, claim)


def _harness_failure(run: TestRun) -> Judgement | None:
    """Everything that keeps a run from saying anything about the code."""
    status = run.result.status
    if status is not ProcessStatus.EXITED:
        detail = f" ({run.result.reason})" if run.result.reason else ""
        return Judgement(ENVIRONMENT, _PROCESS[status] + detail)
    if run.pytest_status not in (None, 0) and not run.tests and not run.loaded and not run.collect_errors:
        return Judgement(
            ENVIRONMENT, f"the test runner ended with status {run.pytest_status} and ran nothing"
        )
    if run.disagreements:
        return Judgement(INVALID, "the accounts of the run disagree: " + "; ".join(run.disagreements))
    return None


def _judge_collection(run: TestRun, test: TestSource, expected: Expected, moved: str) -> Judgement:
    """A test that cannot be collected is evidence when the error names the code that it is about."""
    exception = run.collect_errors[0]
    reason = classify_collection(exception, expected, test)
    if not reason.stated:
        return Judgement(
            ENVIRONMENT, f"the test was not collected: {exception.line}", None, exception.line, way(exception)
        )
    if moved:
        return Judgement(INVALID, moved)
    text = f"it can no longer be collected, for the stated reason: {reason.text}"
    return Judgement(VALID, text, Outcome.ERROR, exception.line, way(exception))


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


def _looked(run: TestRun) -> str:
    """A test that looks at how the code is written shows that it was written otherwise, and no more."""
    if not run.read:
        return ""
    what = run.read[0].removeprefix(f"{REPO}/")
    return f"the test looks at how the code is written, not at what it does: {what}"


def _unproven_modules(run: TestRun, claim: TreeClaim) -> str:
    """Which module of the locus a test would have had to load, and did not."""
    loaded = dict(run.loaded)
    needed = claim.needed or (tuple(sorted(claim.modules)),)
    missing = [[module for module in group if module not in loaded] for group in needed]
    if not all(missing):
        return ""
    if len(missing) == 1:
        return f"{missing[0][0]} was never loaded, so the test did not touch it"
    names = ", ".join(dict.fromkeys(modules[0] for modules in missing))
    return f"none of what it is about was loaded, so the test did not touch it: {names}"


def _judge_failure(
    run: TestRun, report: TestReport, test: TestSource, expected: Expected, claim: TreeClaim
) -> Judgement:
    in_body = report.outcome is TestOutcome.FAILED
    outcome = Outcome.FAILED if in_body else Outcome.ERROR
    exception = report.exception
    if exception is None:
        status = INVALID if in_body else ENVIRONMENT
        return Judgement(status, "the test failed without a readable exception", outcome)
    reason = classify(exception, expected, test)
    line, how = exception.line, way(exception)
    if not reason.stated:
        status = ENVIRONMENT if reason.import_failed or not in_body else INVALID
        text = reason.text if in_body else f"the test failed outside its own body: {reason.text}"
        return Judgement(status, text, outcome, line, how)
    unproven = "" if reason.import_failed else _unproven_modules(run, claim)
    wrong = _foreign_modules(run, claim) or unproven
    if wrong:
        return Judgement(INVALID, wrong, outcome, line, how)
    return Judgement(VALID, f"it fails for the stated reason: {reason.text}", outcome, line, how)


def _foreign_modules(run: TestRun, claim: TreeClaim) -> str:
    """A module of the locus that was loaded at all has to come from the tree, whatever failed after."""
    loaded = dict(run.loaded)
    for module, path in sorted(claim.modules.items()):
        if module in loaded and loaded[module] != f"{REPO}/{path}":
            return f"{module} was loaded from another place than this tree"
    return ""
