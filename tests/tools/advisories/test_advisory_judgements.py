"""How a package ends, and that "not affected" needs everything to agree."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from repo_guardian.sandbox.toolchain.index import Offer, Offers
from repo_guardian.tools.advisories.interface import DatabaseFacts, Mention, Status, Subject
from repo_guardian.tools.advisories.judge import Grounds, judge
from repo_guardian.tools.advisories.scanner import Entry, Found, Ranges

NOW = datetime(2024, 6, 1, tzinfo=UTC)
FACTS = DatabaseFacts("db", "clone", "c" * 40, NOW - timedelta(days=2), advisories=3, packages=2)
SUBJECT = Subject("planted", "1.0", (Mention("planted==1.0", "requirements.txt"),), ("<2",))
OFFERS = Offers({"planted": tuple(Offer(v, NOW - timedelta(days=90)) for v in ("1.0", "1.1", "1.2", "2.0"))})
GROUNDS = Grounds(FACTS, NOW, timedelta(days=7), OFFERS)
CLEAN = Entry("planted", "1.0", "", [], [], [])


def ranges(*events):
    return Ranges([], [list(events)])


def found(identifier, *events):
    return Found(identifier, ["CVE-1"], "what it is", "2024-01-02T00:00:00", [ranges(*events)])


def entry(*advisories, others=(), doubts=()):
    return Entry("planted", "1.0", "", list(advisories), list(others), list(doubts))


def test_nothing_found_by_a_fit_database_is_not_affected():
    assert judge(SUBJECT, CLEAN, GROUNDS).status is Status.NOT_AFFECTED
    assert judge(SUBJECT, CLEAN, replace(GROUNDS, offers=None)).status is Status.NOT_AFFECTED


@pytest.mark.parametrize(
    ("subject", "scanned", "grounds", "reason"),
    [
        (Subject("planted", "", (), reason="a range"), None, GROUNDS, "a range"),
        (SUBJECT, None, replace(GROUNDS, failure="the scanner failed: x"), "the scanner failed: x"),
        (SUBJECT, None, GROUNDS, "was not scanned"),
        (SUBJECT, Entry("planted", "1.0", "odd version", [], [], []), GROUNDS, "odd version"),
        (SUBJECT, CLEAN, replace(GROUNDS, facts=replace(FACTS, advisories=0)), "no advisory for PyPI"),
        (SUBJECT, CLEAN, replace(GROUNDS, facts=replace(FACTS, date=None)), "does not say how old"),
        (SUBJECT, CLEAN, replace(GROUNDS, max_age=timedelta(days=1)), "is 2 days old; older than 1"),
        (SUBJECT, CLEAN, replace(GROUNDS, offers=Offers({"planted": ()})), "the index does not know it"),
        (SUBJECT, CLEAN, replace(GROUNDS, offers=Offers({"planted": (Offer("1.1"),)})), "no version 1.0"),
    ],
)
def test_whatever_is_missing_is_inconclusive_and_never_none_found(subject, scanned, grounds, reason):
    judged = judge(subject, scanned, grounds)
    assert judged.status is Status.INCONCLUSIVE
    assert reason in judged.reason


def test_what_is_affected_stays_so_whatever_else_is_missing():
    old = replace(GROUNDS, max_age=timedelta(0), offers=Offers({"planted": ()}))
    judged = judge(SUBJECT, entry(found("A", ("introduced", "0")), doubts=["x.yaml cannot be parsed"]), old)
    assert judged.status is Status.AFFECTED
    assert judged.reason == "x.yaml cannot be parsed; the database is 2 days old; older than 0 is not trusted"


def test_each_advisory_and_all_of_them():
    one = found("A", ("introduced", "0"), ("fixed", "1.1"))
    two = found("B", ("introduced", "1.0"), ("fixed", "1.2"), ("introduced", "1.5"), ("fixed", "1.6"))
    judged = judge(SUBJECT, entry(one, two), GROUNDS)
    assert [advisory.clearance.version for advisory in judged.advisories] == ["1.1", "1.2"]
    assert judged.advisories[1].fixed == ("1.2", "1.6")
    assert judged.advisories[0].published == "2024-01-02"
    assert (judged.clearance.version, judged.clearance.widens) == ("1.2", False)


def test_what_is_advised_is_not_affected_by_another_advisory():
    one = found("A", ("introduced", "0"), ("fixed", "1.1"))
    other = ranges(("introduced", "1.1"), ("fixed", "2.0"))
    judged = judge(SUBJECT, entry(one, others=[other]), GROUNDS)
    assert judged.advisories[0].clearance.version == "1.1"
    assert (judged.clearance.version, judged.clearance.widens) == ("2.0", True)


def test_without_an_index_the_advisories_own_words_count_and_are_labelled():
    one = found("A", ("introduced", "0"), ("fixed", "1.0.5"), ("introduced", "1.3"), ("fixed", "1.4"))
    for offers in (None, Offers(problem="unreachable")):
        judged = judge(SUBJECT, entry(one), replace(GROUNDS, offers=offers))
        assert judged.clearance.version == "1.0.5"
        assert judged.clearance.checked is False
        assert judged.clearance.cooldown_yields is False
        assert "not checked against the index" in judged.clearance.words


def test_a_candidate_about_which_an_advisory_cannot_be_asked_does_not_clear():
    odd = Ranges([], [[("introduced", "odd")]])
    both = Found("A", [], "", "", [Ranges(["1.0"], []), odd])
    assert judge(SUBJECT, entry(both), GROUNDS).clearance.version == ""
