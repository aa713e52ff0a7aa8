"""A run is evidence only when sandbox, accounts, tree and reason all hold; each gate has its own status."""

import pytest

from repo_guardian.sandbox.interface import ProcessStatus
from repo_guardian.server.contract.probes import Outcome
from repo_guardian.server.ledger.evidence import TreeClaim, judge
from repo_guardian.server.ledger.reasons import Expectation, Expected
from repo_guardian.tools.probes.interface import FileState, TestOutcome
from repo_guardian.vocabulary import EvidenceStatus

EXPECTED = Expected((Expectation("pkg.io", "load", ("pkg/io.py",)),), ("pkg",))
CLAIM = TreeClaim({"pkg.io": "pkg/io.py"}, {"pkg/io.py": "aa"})


def judged(build, *runs, claim=CLAIM):
    return judge(runs, build.test, EXPECTED, claim)


def missing(build):
    return build.exception("ImportError", "cannot import name 'load' from 'pkg.io'", name="pkg.io")


def test_a_pass_on_the_code_of_the_tree_is_valid(build):
    judgement = judged(build, build.run(), build.run(), build.run())
    assert (judgement.status, judgement.outcome) == (EvidenceStatus.VALID, Outcome.PASSED)


def test_a_failure_for_the_stated_reason_is_valid_even_when_the_module_is_gone(build):
    run = build.run(TestOutcome.FAILED, missing(build), loaded=())
    judgement = judged(build, run)
    assert (judgement.status, judgement.outcome) == (EvidenceStatus.VALID, Outcome.FAILED)
    assert "cannot import pkg.io.load" in judgement.reason


@pytest.mark.parametrize("status", [s for s in ProcessStatus if s is not ProcessStatus.EXITED])
def test_a_process_that_did_not_end_by_itself_says_nothing_about_the_code(build, status):
    assert judged(build, build.run(status=status)).status is EvidenceStatus.ENVIRONMENT


ENVIRONMENT = {
    "not collected": {"collect_errors": "import"},
    "did not run": {"tests": ()},
    "ran nothing": {"tests": (), "loaded": (), "pytest_status": 1, "disagreements": ("x",)},
}


@pytest.mark.parametrize(("said", "fields"), ENVIRONMENT.items())
def test_what_never_ran_is_environment(build, said, fields):
    if fields.get("collect_errors"):
        fields = {"collect_errors": (build.exception("SyntaxError"),)}
    judgement = judged(build, build.run(**fields))
    assert judgement.status is EvidenceStatus.ENVIRONMENT
    assert said in judgement.reason


@pytest.mark.parametrize("outcome", [TestOutcome.SKIPPED, TestOutcome.ERROR])
def test_a_skip_and_an_error_outside_the_body_are_environment(build, outcome):
    assert judged(build, build.run(outcome)).status is EvidenceStatus.ENVIRONMENT


def test_another_missing_module_is_environment_and_another_exception_is_invalid(build):
    other = build.run(TestOutcome.FAILED, build.exception("ModuleNotFoundError", name="numpy"))
    assert judged(build, other).status is EvidenceStatus.ENVIRONMENT
    strange = build.run(TestOutcome.FAILED, build.exception("KeyError"))
    assert judged(build, strange).status is EvidenceStatus.INVALID


INVALID = {
    "disagree": {"disagreements": ("the final report differs from the stream",)},
    "changed during": {"files": (FileState("/repo/pkg/io.py", "aa", "bb"),)},
    "not the tree's": {"files": (FileState("/repo/pkg/io.py", "bb", "bb"),)},
    "nothing is known": {"files": ()},
    "never loaded": {"loaded": ()},
    "another place": {"loaded": (("pkg.io", "/toolchain/site/pkg/io.py"),)},
}


@pytest.mark.parametrize(("said", "fields"), INVALID.items())
def test_a_pass_that_does_not_prove_what_it_ran_is_invalid(build, said, fields):
    judgement = judged(build, build.run(**fields))
    assert judgement.status is EvidenceStatus.INVALID
    assert said in judgement.reason


def test_a_failure_of_code_from_elsewhere_is_invalid(build):
    run = build.run(TestOutcome.FAILED, missing(build), loaded=(("pkg.io", "/usr/lib/pkg/io.py"),))
    assert judged(build, run).status is EvidenceStatus.INVALID


def test_repetitions_that_do_not_agree_are_flaky(build):
    red = build.run(TestOutcome.FAILED, missing(build))
    judgement = judged(build, build.run(), red, build.run())
    assert judgement.status is EvidenceStatus.INVALID
    assert "flaky" in judgement.reason


def test_failing_differently_each_time_is_flaky_too(build):
    runs = [build.run(TestOutcome.FAILED, build.exception("AssertionError", f"got {n}")) for n in range(2)]
    assert "flaky" in judged(build, *runs).reason


def test_an_edit_is_part_of_what_the_tree_claims(build):
    edited = TreeClaim({"pkg.io": "pkg/io.py"}, {"pkg/io.py": "cc"})
    assert judged(build, build.run(), claim=edited).status is EvidenceStatus.INVALID
