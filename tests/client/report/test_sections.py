"""Where each hypothesis of a report stands: in one place, what is new first, what a human judged apart."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from repo_guardian.client.report.sections import by_word, met_again, sections, still_there, taken
from repo_guardian.client.report.words import proof, run_line, runs
from repo_guardian.vocabulary import EvidenceStatus

from .reports import empty_report, report


def keys(rows):
    return [row.key for row in rows]


def test_every_hypothesis_is_in_one_section():
    of = report()
    parts = sections(of)
    placed = [h.id for name in asdict(parts) for h in getattr(parts, name)]
    assert sorted(placed) == sorted(h.id for h in (*of.findings, *of.other_hypotheses))


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("new", ["h1", "h5"]),
        ("recurring", ["h2"]),
        ("dismissed", ["h3"]),
        ("accepted", ["h4"]),
        ("supported", ["h6"]),
        ("refuted", ["h7"]),
        ("open", ["h8"]),
    ],
)
def test_a_word_that_no_longer_counts_hides_nothing(section, expected):
    assert [h.id for h in getattr(sections(report()), section)] == expected


def test_a_finding_that_is_still_there_is_told_once():
    """k2 is told as a hypothesis; k11 and k12 are judged, and the word on k13 no longer holds."""
    of = report()
    assert keys(met_again(of)) == ["k2", "k10", "k11", "k12", "k13"]
    assert keys(still_there(of)) == ["k10", "k13"]
    assert {heading: keys(claims) for heading, claims in by_word(of).items()} == {
        "Dismissed": ["k11"],
        "Accepted": ["k12"],
    }
    assert keys(taken(of)) == ["k9"]


def test_an_empty_report_has_empty_sections():
    of = empty_report()
    assert not any(asdict(sections(of)).values())
    assert still_there(of) == taken(of) == ()


def test_the_proof_is_the_test_that_the_grade_cites():
    h = report().findings[0]
    other = h.trace[0].model_copy(update={"id": "p9", "test_digest": "d2", "test_source": "later"})
    tried = h.model_copy(update={"trace": (*h.trace, other)})
    assert proof(tried).id == "p1"
    assert [probe.id for _, probe in runs(tried)] == ["p2", "p3", "p4"]
    uncited = tried.model_copy(update={"history": ()})
    assert proof(uncited).id == "p9"
    assert proof(h.model_copy(update={"trace": ()})) is None


def test_a_run_is_told_as_a_clause():
    h = report().findings[0]
    assert [run_line(side, probe) for side, probe in runs(h)] == [
        "fails at this commit",
        "passes at the base",
        "passes with the suspected cause reverted",
    ]
    broken = h.trace[1].model_copy(update={"evidence": EvidenceStatus.ENVIRONMENT})
    assert run_line("at the base", broken) == "could not be judged at the base"
