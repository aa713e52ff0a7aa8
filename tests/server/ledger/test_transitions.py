"""Every pair of entries and every ledger: transitions and grades come from the rules, from nothing else."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.server.contract.hypotheses import GradeProposal
from repo_guardian.server.contract.probes import Outcome, Transition
from repo_guardian.server.ledger.grades import decide
from repo_guardian.server.ledger.ledger import ProbeLedger, transition
from repo_guardian.vocabulary import EvidenceStatus, Grade, Side, Verdict

REVERTS = {
    "none": None,
    "good": {},
    "whole commit of one hunk": {"changed_lines": 40, "commit_hunks": 1},
    "whole commit": {"changed_lines": 40},
    "not minimal": {"minimal": False},
    "an edit": {"restores_base": False},
    "a test": {"files": ("pkg/io.py", "tests/test_io.py")},
    "configuration": {"files": ("setup.cfg",)},
}
CORROBORATING = ("good", "whole commit of one hunk")
FAILING = (Outcome.FAILED, Outcome.ERROR)
TESTS = ("d1", "d2", "")


def variants(build):
    """All entries that differ in what the rules look at, with the name of their revert."""
    reverts = {name: None if fields is None else build.revert(**fields) for name, fields in REVERTS.items()}
    for side, outcome, evidence, digest, hypothesis in product(
        Side, (None, *Outcome), EvidenceStatus, TESTS, ("h1", "h2")
    ):
        for name in REVERTS if side is Side.REVERTED else ("none",):
            entry = build.entry(
                side,
                outcome,
                evidence=evidence,
                test_digest=digest,
                hypothesis_id=hypothesis,
                revert=reverts[name],
            )
            yield entry, name


def outcome(entry):
    return entry.outcomes[0].outcome if entry.outcomes else None


def test_every_pair_has_the_transition_that_the_table_says(build):
    entries = list(variants(build))
    parents = [entry for entry, _ in entries if entry.hypothesis_id == "h1" and entry.test_digest != "d2"]
    seen = set()
    for parent, (child, revert) in product(parents, entries):
        red = (
            parent.side is Side.CURRENT
            and parent.evidence is EvidenceStatus.VALID
            and outcome(parent) in FAILING
        )
        green = child.evidence is EvidenceStatus.VALID and outcome(child) is Outcome.PASSED
        same = parent.test_digest == child.test_digest != "" and child.hypothesis_id == "h1"
        expected = None
        if red and green and same and child.side is Side.BASE:
            expected = Transition.PASS_TO_FAIL
        elif red and green and same and child.side is Side.REVERTED and revert in CORROBORATING:
            expected = Transition.FAIL_TO_PASS
        found = transition(parent, child)
        assert found is expected, (parent, child)
        seen.add(found)
    assert seen == {None, Transition.PASS_TO_FAIL, Transition.FAIL_TO_PASS}


RED, GREEN = Outcome.FAILED, Outcome.PASSED
VALID, INVALID = EvidenceStatus.VALID, EvidenceStatus.INVALID
KINDS = [
    *[(Side.CURRENT, RED, VALID, digest, "none") for digest in ("d1", "d1", "d2")],
    *[(Side.BASE, GREEN, VALID, digest, "none") for digest in ("d1", "d1", "d2")],
    *[(Side.REVERTED, GREEN, VALID, "d1", name) for name in REVERTS],
    (Side.REVERTED, GREEN, VALID, "d2", "good"),
    (Side.REVERTED, RED, VALID, "d1", "good"),
    (Side.CURRENT, Outcome.ERROR, VALID, "d1", "none"),
    (Side.CURRENT, RED, INVALID, "d1", "none"),
    (Side.CURRENT, GREEN, VALID, "d1", "none"),
    (Side.CURRENT, GREEN, VALID, "d2", "none"),
    (Side.BASE, RED, VALID, "d1", "none"),
    (Side.BASE, RED, VALID, "d2", "none"),
    (Side.BASE, None, INVALID, "d1", "none"),
]


@st.composite
def ledgers(draw):
    """Up to five entries, each bound to an earlier one or to none, as a client could have made them."""
    entries = []
    for number in range(draw(st.integers(1, 5))):
        parents = (*(f"p{n + 1}" for n in range(number)), None)
        entries.append((*draw(st.sampled_from(KINDS)), draw(st.sampled_from(parents))))
    every = list(range(len(entries)))
    cited = every if draw(st.booleans()) else draw(st.lists(st.sampled_from(every), unique=True))
    return entries, cited, draw(st.integers(0, 3)) > 0, draw(st.sampled_from((Verdict.CONFIRMED, *Verdict)))


def kept(build, entries):
    ledger = ProbeLedger()
    for number, (side, outcome, evidence, digest, name, parent) in enumerate(entries, start=1):
        revert = None if REVERTS[name] is None else build.revert(**REVERTS[name])
        fields = {"id": f"p{number}", "parent": parent, "revert": revert}
        ledger.append(build.entry(side, outcome, evidence=evidence, test_digest=digest, **fields))
    return ledger.entries


class Facts:
    """What a reader of the design would say of a ledger, spelled out without the code under test."""

    def __init__(self, entries, cited):
        valid = [e for e in entries if e.evidence is EvidenceStatus.VALID and e.outcomes]
        red = [e for e in valid if e.side is Side.CURRENT and outcome(e) in FAILING]
        spoiled = {
            e.test_digest
            for e in valid
            if (e.side is Side.BASE and outcome(e) in FAILING)
            or (e.side is Side.CURRENT and outcome(e) is Outcome.PASSED)
        }
        self.standing = [e for e in red if e in cited and e.test_digest not in spoiled]
        self.corroborated = any(e.transition and e.parent == r.id for e in cited for r in self.standing)
        named = {e.id: e for e in red}
        before = any(
            e.parent in named and named[e.parent].test_digest == e.test_digest
            for e in cited
            if e in valid and e.side is Side.BASE and outcome(e) in FAILING
        )
        now = any(e in valid and e.side is Side.CURRENT and outcome(e) is Outcome.PASSED for e in cited)
        broken = any(e.test_digest not in spoiled for e in red)
        self.refuted = (before or now) and not broken


def test_a_grade_is_admitted_exactly_when_the_ledger_carries_it(build):
    admitted = Counter()

    @settings(max_examples=800, deadline=None)
    @given(made=ledgers())
    def check(made):
        fields, chosen, there, verdict = made
        entries = kept(build, fields)
        cited = [entries[index] for index in chosen]
        facts = Facts(entries, cited)
        wanted = {
            Grade.CONJECTURE: True,
            Grade.DEFERRED: True,
            Grade.SUPPORTED: bool(facts.standing),
            Grade.FINDING: facts.corroborated and there and verdict is Verdict.CONFIRMED,
            Grade.REFUTED: facts.refuted,
            Grade.RESOLVED: False,
        }
        for grade, expected in wanted.items():
            proposal = GradeProposal(hypothesis_id="h1", grade=grade, verdict=verdict, reason="why")
            decision = decide(build.hypothesis(), proposal, cited, exists=lambda locus: there, ledger=entries)
            assert decision.admitted is expected, (grade, decision.reason)
            admitted[grade] += decision.admitted

    check()
    assert all(admitted[grade] for grade in (Grade.SUPPORTED, Grade.FINDING, Grade.REFUTED)), admitted


@pytest.mark.parametrize("grade", Grade)
def test_a_refusal_is_one_line_that_says_something(build, grade):
    proposal = GradeProposal(hypothesis_id="h1", grade=grade, verdict=Verdict.CONFIRMED, reason="why")
    decision = decide(build.hypothesis(), proposal, (), exists=lambda locus: True)
    assert decision.reason
    assert "\n" not in decision.reason
