"""Which citations carry which grade; every refusal says what would be admitted."""

import pytest

from repo_guardian.errors import AdmissionError
from repo_guardian.server.contract.hypotheses import GradeProposal
from repo_guardian.server.contract.probes import Outcome, TestResult, Transition
from repo_guardian.server.ledger.grades import decide
from repo_guardian.server.ledger.ledger import ProbeLedger
from repo_guardian.vocabulary import EvidenceStatus, Grade, Side, Verdict


def ledger_of(*entries):
    ledger = ProbeLedger()
    for index, entry in enumerate(entries, start=1):
        ledger.append(entry.model_copy(update={"id": f"p{index}"}))
    return ledger.entries


def proposed(build, grade, cited, *, verdict=Verdict.CONFIRMED, exists=True, hypothesis=None):
    proposal = GradeProposal(
        hypothesis_id="h1", grade=grade, verdict=verdict, reason="why", citations=tuple(e.id for e in cited)
    )
    return decide(hypothesis or build.hypothesis(), proposal, cited, exists=lambda locus: exists)


def proof(build, **revert):
    return ledger_of(
        build.entry(),
        build.entry(Side.BASE, Outcome.PASSED, parent="p1"),
        build.entry(Side.REVERTED, Outcome.PASSED, parent="p1", revert=build.revert(**revert)),
    )


def test_transitions_are_bound_to_the_failing_parent(build):
    entries = proof(build)
    assert [entry.transition for entry in entries] == [
        None,
        Transition.PASS_TO_FAIL,
        Transition.FAIL_TO_PASS,
    ]


@pytest.mark.parametrize(
    "child",
    [
        {"test_digest": "another"},
        {"hypothesis_id": "h2"},
        {"evidence": EvidenceStatus.INVALID},
        {"evidence": EvidenceStatus.ENVIRONMENT},
        {"outcomes": ()},
    ],
)
def test_another_test_hypothesis_or_inadmissible_run_makes_no_transition(build, child):
    entries = ledger_of(build.entry(), build.entry(Side.BASE, Outcome.PASSED, parent="p1", **child))
    assert entries[1].transition is None


def test_a_failing_base_and_a_pass_without_a_revert_make_no_transition(build):
    entries = ledger_of(
        build.entry(),
        build.entry(Side.BASE, Outcome.FAILED, parent="p1"),
        build.entry(Side.REVERTED, Outcome.PASSED, parent="p1"),
        build.entry(Side.CURRENT, Outcome.PASSED, parent="p1"),
    )
    assert [entry.transition for entry in entries] == [None] * 4


def test_a_finding_is_admitted_with_all_three(build):
    decision = proposed(build, Grade.FINDING, proof(build))
    assert (decision.admitted, decision.grade) == (True, Grade.FINDING)


@pytest.mark.parametrize("kept", [(0, 1), (0, 2)])
def test_one_corroboration_is_enough(build, kept):
    entries = proof(build)
    assert proposed(build, Grade.FINDING, [entries[i] for i in kept]).admitted


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ((), "needs a cited run"),
        ((0,), "needs corroboration"),
        ((1,), "needs a cited run"),
        ((1, 2), "needs"),
    ],
)
def test_a_finding_without_its_runs_is_rejected_and_the_refusal_teaches(build, kept, said):
    entries = proof(build)
    decision = proposed(build, Grade.FINDING, [entries[i] for i in kept])
    assert not decision.admitted
    assert decision.grade is Grade.CONJECTURE
    assert said in decision.reason


def test_a_finding_needs_its_verdict_and_a_remedy_that_exists(build):
    assert "verdict" in proposed(build, Grade.FINDING, proof(build), verdict=Verdict.INCONCLUSIVE).reason
    assert "remedy" in proposed(build, Grade.FINDING, proof(build), exists=False).reason


@pytest.mark.parametrize(
    ("revert", "said"),
    [
        ({"files": ("tests/test_io.py",)}, "touches a test"),
        ({"files": ("pkg/io.py", "pyproject.toml")}, "touches a test or configuration"),
        ({"minimal": False}, "not minimal"),
        ({"changed_lines": 40}, "as much as the whole commit"),
    ],
)
def test_a_revert_that_breaks_its_rules_corroborates_nothing(build, revert, said):
    entries = proof(build, **revert)
    decision = proposed(build, Grade.FINDING, [entries[0], entries[2]])
    assert not decision.admitted
    assert said in decision.reason


def test_the_whole_commit_may_be_reverted_when_it_is_one_hunk(build):
    entries = proof(build, changed_lines=40, commit_hunks=1)
    assert proposed(build, Grade.FINDING, [entries[0], entries[2]]).admitted


def test_supported_and_refuted_rest_on_runs_too(build):
    red, before, _ = proof(build)
    assert proposed(build, Grade.SUPPORTED, [red]).admitted
    assert not proposed(build, Grade.SUPPORTED, [before]).admitted
    assert not proposed(build, Grade.REFUTED, [red]).admitted
    green = ledger_of(build.entry(outcome=Outcome.PASSED))
    assert proposed(build, Grade.REFUTED, green).admitted
    before_too = ledger_of(build.entry(), build.entry(Side.BASE, Outcome.FAILED, parent="p1"))
    assert proposed(build, Grade.REFUTED, before_too).admitted


def test_inadmissible_runs_are_named_in_the_refusal(build):
    entries = ledger_of(build.entry(evidence=EvidenceStatus.ENVIRONMENT, evidence_reason="no pytest"))
    assert "p1 is environment: no pytest" in proposed(build, Grade.SUPPORTED, entries).reason


def test_conjecture_and_deferred_need_nothing_and_resolved_needs_a_past(build):
    assert proposed(build, Grade.CONJECTURE, ()).admitted
    assert proposed(build, Grade.DEFERRED, ()).admitted
    green = ledger_of(build.entry(outcome=Outcome.PASSED))
    assert not proposed(build, Grade.RESOLVED, green).admitted
    assert proposed(build, Grade.RESOLVED, green, hypothesis=build.hypothesis(recurrence_of=1)).admitted


def test_probes_of_another_hypothesis_cannot_be_cited(build):
    entries = ledger_of(build.entry(hypothesis_id="h2"))
    assert "another hypothesis" in proposed(build, Grade.SUPPORTED, entries).reason


def test_the_ledger_numbers_its_entries_and_knows_them(build):
    ledger = ProbeLedger()
    ledger.append(build.entry())
    with pytest.raises(AdmissionError, match="next ledger entry is p2"):
        ledger.append(build.entry())
    with pytest.raises(AdmissionError, match="cite one of this cycle's entries: p1"):
        ledger.get("p9")
    with pytest.raises(AdmissionError):
        ledger.append(build.entry(id="p2", parent="p7"))


def test_repetitions_that_do_not_agree_speak_against_every_run_of_the_same_test(build):
    again = {"evidence": EvidenceStatus.INVALID, "evidence_reason": "flaky: 3 repetitions do not agree (…)"}
    entries = ledger_of(
        build.entry(outcome=None, **again),
        build.entry(),
        build.entry(Side.BASE, Outcome.PASSED, parent="p2"),
    )
    proposal = GradeProposal(
        hypothesis_id="h1",
        grade=Grade.FINDING,
        verdict=Verdict.CONFIRMED,
        reason="run until it looked right",
        citations=("p2", "p3"),
    )
    decision = decide(build.hypothesis(), proposal, entries[1:], exists=lambda locus: True, ledger=entries)
    assert not decision.admitted
    assert "flaky: in p1" in decision.reason
    other = [entries[0].model_copy(update={"test_digest": "another"}), *entries[1:]]
    assert decide(build.hypothesis(), proposal, entries[1:], exists=lambda locus: True, ledger=other).admitted


def test_a_failure_that_reads_otherwise_at_the_base_is_not_pre_existing(build):
    def failing(side, said, **fields):
        told = TestResult(test_id=build.test.test_id, outcome=Outcome.FAILED, reason=said)
        return build.entry(side, outcomes=(told,), **fields)

    told = "AssertionError: assert open('/tmp/pytest-of-a/b1') == {}".format
    same = ledger_of(
        failing(Side.CURRENT, told(1)),
        failing(Side.BASE, told(1).replace("b1", "c7"), parent="p1"),
    )
    assert proposed(build, Grade.REFUTED, same).admitted
    other = ledger_of(failing(Side.CURRENT, told(1)), failing(Side.BASE, told(2), parent="p1"))
    assert "fails otherwise at the base (p2)" in proposed(build, Grade.REFUTED, other).reason
    unrun = ledger_of(build.entry(evidence=EvidenceStatus.INVALID), failing(Side.BASE, told(1), parent="p1"))
    assert "no run of the same test fails at the commit" in proposed(build, Grade.REFUTED, unrun[1:]).reason
