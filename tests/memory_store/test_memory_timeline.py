"""The timeline: the latest cycles in numbers, and the lives of what was once a finding."""

from __future__ import annotations

import pytest

from repo_guardian.errors import UsageError
from repo_guardian.memory_store.records import CycleWrite, HypothesisEvent
from repo_guardian.vocabulary import Grade

from .conftest import cycle_record, full_write, hypothesis, put, signal


def event(number, *whats, key="k-load", **more):
    events = tuple(
        HypothesisEvent(hypothesis=key, kind="recurred")
        if what == "recurred"
        else HypothesisEvent(hypothesis=key, grade=what)
        for what in whats
    )
    return CycleWrite(cycle=cycle_record(number), events=events, **more)


@pytest.fixture
def lives(store):
    """k-load: a finding in 1, again in 2, resolved in 4. k-other: conjectured in 3, never a finding."""
    put(store, full_write)
    put(store, lambda number: event(number, "recurred", signals=(signal(), signal("s-2"))))
    put(
        store,
        lambda number: event(number, "deferred", key="k-other", hypotheses=(hypothesis("k-other", id="h9"),)),
    )
    put(store, lambda number: event(number, "recurred", "supported", "resolved"))
    return store


def test_the_timeline_of_a_new_memory_is_empty(store):
    found = store.timeline()
    assert (found.cycles, found.cycles_total, found.claims, found.claims_total) == ((), 0, (), 0)


def test_cycles_come_in_numbers_and_claims_with_their_lives(lives):
    found = lives.timeline()
    assert [cycle.record.number for cycle in found.cycles] == [1, 2, 3, 4]
    assert [cycle.signals for cycle in found.cycles] == [len(full_write().signals), 2, 0, 0]
    assert found.cycles[0].probes == len(full_write().probes)
    assert [cycle.recurred for cycle in found.cycles] == [0, 1, 0, 1]
    # The last grade that a cycle gave a hypothesis counts, not the steps to it.
    assert [dict(cycle.grades) for cycle in found.cycles] == [
        {Grade.FINDING: 1},
        {},
        {Grade.DEFERRED: 1},
        {Grade.RESOLVED: 1},
    ]
    (claim,) = found.claims
    assert claim.state.record.key == "k-load"
    assert claim.state.grade is Grade.RESOLVED
    assert claim.events[-3:] == ((4, "recurred"), (4, "supported"), (4, "resolved"))
    assert (1, "finding") in claim.events and (2, "recurred") in claim.events


def test_a_signal_that_comes_again_is_seen_on_the_line_of_its_claim(store):
    put(store, full_write)
    key = full_write().hypotheses[0].signal_keys[0]
    put(store, lambda number: CycleWrite(cycle=cycle_record(number), signals=(signal(key), signal("s-2"))))
    put(store, lambda number: CycleWrite(cycle=cycle_record(number), signals=(signal("s-2"),)))
    (claim,) = store.timeline().claims
    assert claim.events == ((1, "finding"), (2, "seen"))


def test_the_latest_cycles_are_kept_and_the_totals_say_what_is_not_shown(lives):
    found = lives.timeline(limit_cycles=2)
    assert [cycle.record.number for cycle in found.cycles] == [3, 4]
    assert found.cycles_total == 4
    # What lies before the window is known from the claim's first cycle only.
    assert {cycle for cycle, _ in found.claims[0].events} == {4}
    assert found.claims[0].state.first_cycle == 1


def test_it_sees_only_what_lies_before_a_cycle(lives):
    found = lives.timeline(before_cycle=3)
    assert [cycle.record.number for cycle in found.cycles] == [1, 2]
    assert found.claims[0].state.grade is Grade.FINDING
    assert found.claims_total == 1
    assert lives.timeline(before_cycle=1).claims == ()


@pytest.mark.parametrize("limits", [{"limit_cycles": 0}, {"limit_claims": 1_000}])
def test_a_limit_that_cannot_be_is_refused(store, limits):
    with pytest.raises(UsageError):
        store.timeline(**limits)
