"""Reads: bounded, counted, labelled, and bounded in time by ``before_cycle``."""

from __future__ import annotations

import pytest

from repo_guardian.errors import UsageError
from repo_guardian.memory_store.answers import HypothesisState, Row
from repo_guardian.memory_store.interface import MAX_LIMIT, MAX_PLACES, MemoryStore
from repo_guardian.memory_store.records import (
    CycleWrite,
    HypothesisEvent,
    SignalRecord,
    SymbolEvent,
    TestOutcomeRecord,
)
from repo_guardian.memory_store.vocabulary import EventKind
from repo_guardian.vocabulary import Grade, Verdict

from .conftest import commit_id, cycle_record, full_write, hypothesis, probe, put, signal


def everything(read, limit, **arguments):
    """All pages of a read, one after the other."""
    pages = [read(limit=limit, **arguments)]
    while pages[-1].next_cursor is not None:
        assert pages[-1].truncated
        assert len(pages[-1].items) == limit
        pages.append(read(limit=limit, cursor=pages[-1].next_cursor, **arguments))
    assert not pages[-1].truncated
    assert len({page.total for page in pages}) == 1
    items = [item for page in pages for item in page.items]
    assert len(items) == pages[0].total
    return items


def graded(grade: str, number: int, **changes) -> CycleWrite:
    event = HypothesisEvent(hypothesis="k-load", grade=grade, **changes)
    return CycleWrite(cycle=cycle_record(number), events=(event,))


def recurred(number: int) -> CycleWrite:
    return CycleWrite(
        cycle=cycle_record(number), events=(HypothesisEvent(hypothesis="k-load", kind="recurred"),)
    )


@pytest.fixture
def life(store: MemoryStore) -> MemoryStore:
    """A hypothesis: made, a finding in 1, recurring in 2 and 3, resolved in 4, recurring in 5."""
    put(store, full_write)
    put(store, recurred)
    put(store, recurred)
    put(store, lambda number: graded("resolved", number, verdict="refuted", reason="its test passes again"))
    put(store, recurred)
    return store


def test_it_is_a_memory_store(store):
    assert isinstance(store, MemoryStore)


def test_an_empty_memory_answers(store):
    summary = store.summary()
    assert (summary.cycles, summary.last_cycle, summary.hypotheses, summary.signals) == (0, None, 0, 0)
    assert set(summary.by_grade) == set(Grade)
    for page in (
        store.cycles(),
        store.findings(),
        store.recall_locus(["a"], ["b"]),
        store.recall_locus(),
        store.test_history("t"),
        store.symbol_history("s"),
        store.probes_of("k"),
    ):
        assert (page.items, page.total, page.truncated) == ((), 0, False)
    assert store.hypothesis("k") is None
    assert store.signals_seen([]) == store.signals_seen(["k"]) == {}


def test_the_grade_is_folded_from_the_latest_grading(life):
    state = life.hypothesis("k-load")
    assert state == HypothesisState(
        record=hypothesis(),
        grade=Grade.RESOLVED,
        graded_in=4,
        verdict=Verdict.REFUTED,
        reason="its test passes again",
        citations=(),
        confidence=None,
        first_cycle=1,
        last_cycle=5,
        recurrences=3,
    )


@pytest.mark.parametrize(
    ("before", "grade", "last", "recurrences"),
    [(2, "finding", 1, 0), (3, "finding", 2, 1), (4, "finding", 3, 2), (5, "resolved", 4, 2)],
)
def test_the_past_is_seen_as_it_was(life, before, grade, last, recurrences):
    state = life.hypothesis("k-load", before_cycle=before)
    assert (state.grade, state.last_cycle, state.recurrences) == (grade, last, recurrences)
    assert life.findings(before_cycle=before).total == (grade == "finding")
    assert life.summary(before_cycle=before).by_grade[Grade(grade)] == 1
    assert life.summary(before_cycle=before).last_cycle.number == before - 1
    (row,) = (
        row
        for row in life.recall_locus(["pkg.load"], before_cycle=before).items
        if isinstance(row.record, HypothesisState)
    )
    assert (row.cycle, row.commit, row.record) == (last, commit_id(last), state)


def test_nothing_is_seen_before_the_first_cycle(life):
    assert life.hypothesis("k-load", before_cycle=1) is None
    assert life.recall_locus(["pkg.load"], ["app.py"], before_cycle=1).total == 0
    assert life.cycles(before_cycle=1).total == 0
    assert life.probes_of("k-load", before_cycle=1).total == 0
    assert life.test_history("t::1", before_cycle=1).total == 0
    assert life.symbol_history("pkg.load", before_cycle=1).total == 0
    assert life.signals_seen(["s-load"], before_cycle=1) == {}


def test_two_gradings_in_one_cycle_fold_in_their_order(store):
    events = tuple(HypothesisEvent(hypothesis="k-load", grade=grade) for grade in ("supported", "refuted"))
    put(
        store,
        lambda number: CycleWrite(cycle=cycle_record(number), hypotheses=(hypothesis(),), events=events),
    )
    assert store.hypothesis("k-load").grade is Grade.REFUTED


def test_a_hypothesis_without_a_grading_is_a_conjecture(store):
    put(store, lambda number: CycleWrite(cycle=cycle_record(number), hypotheses=(hypothesis(),)))
    state = store.hypothesis("k-load")
    assert (state.grade, state.graded_in, state.last_cycle) == (Grade.CONJECTURE, None, 1)
    assert store.summary().by_grade[Grade.CONJECTURE] == 1
    put(store, recurred)
    assert store.hypothesis("k-load").recurrences == 1
    assert store.cycle(2).events[0].kind == EventKind.RECURRED


def many(number: int) -> CycleWrite:
    """Two findings, three signals, two symbol events and a test, all about one place."""
    keys = [f"k{number}.{i}" for i in range(2)]
    return CycleWrite(
        cycle=cycle_record(number),
        signals=tuple(signal(f"s{i}", score=float(-i)) for i in range(3)),
        symbols=(
            SymbolEvent(event="born", symbol="pkg.load", kind="function", path="pkg/__init__.py"),
            SymbolEvent(
                event="moved", symbol=f"pkg.load{number}", kind="function", path="b.py", moved_from="pkg.load"
            ),
        ),
        hypotheses=tuple(hypothesis(key, id=key) for key in keys),
        events=tuple(HypothesisEvent(hypothesis=key, grade="finding") for key in keys),
        probes=tuple(probe(f"p{i}", hypothesis=keys[0]) for i in range(3)),
        test_outcomes=(TestOutcomeRecord(test_id="t", commit=commit_id(number), outcome="passed"),),
    )


@pytest.fixture
def grown(store: MemoryStore) -> MemoryStore:
    """Five cycles of ``many``."""
    for _ in range(5):
        put(store, many)
    return store


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 200])
def test_pages_hold_everything_once_newest_first(grown, limit):
    assert [record.number for record in everything(grown.cycles, limit)] == [5, 4, 3, 2, 1]
    findings = everything(grown.findings, limit)
    assert len({row.record.record.key for row in findings}) == 10
    assert [row.cycle for row in findings] == sorted((row.cycle for row in findings), reverse=True)
    tests = everything(lambda **page: grown.test_history("t", **page), limit)
    assert [(row.cycle, row.commit) for row in tests] == [(n, commit_id(n)) for n in (5, 4, 3, 2, 1)]
    symbols = everything(lambda **page: grown.symbol_history("pkg.load", **page), limit)
    assert [row.record.event for row in symbols] == ["born", "moved"] * 5
    probes = everything(lambda **page: grown.probes_of("k2.0", **page), limit)
    assert [row.record.id for row in probes] == ["p0", "p1", "p2"]


@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_recall_pages_through_all_kinds_of_row_in_order(grown, limit):
    def read(*, limit, cursor=None):
        return grown.recall_locus(["pkg.load"], ["pkg/__init__.py"], limit_rows=limit, cursor=cursor)

    rows = everything(read, limit)
    kinds = [type(row.record) for row in rows]
    assert kinds == [HypothesisState] * 10 + [SignalRecord] * 15 + [SymbolEvent] * 10
    assert all(isinstance(row, Row) and row.commit == commit_id(row.cycle) for row in rows)
    signals = [(row.cycle, row.record.key) for row in rows if isinstance(row.record, SignalRecord)]
    assert signals == [(n, f"s{i}") for n in (5, 4, 3, 2, 1) for i in range(3)]


def test_recall_is_about_the_place_and_no_other(grown):
    put(
        grown,
        lambda number: CycleWrite(
            cycle=cycle_record(number), signals=(signal("other", symbols=("x",), paths=("pkg.load",)),)
        ),
    )
    assert grown.recall_locus(["pkg.load"]).total == 10 + 15 + 10
    assert grown.recall_locus(paths=["pkg.load"]).total == 1
    assert grown.recall_locus(["pkg"]).total == 0
    assert grown.recall_locus(["pkg.load", "x"], ["pkg/__init__.py"]).total == 36


def test_a_cursor_stays_right_while_cycles_are_added(grown):
    page = grown.cycles(limit=2)
    put(grown, many)
    assert [record.number for record in grown.cycles(limit=2, cursor=page.next_cursor).items] == [3, 2]


def test_signals_are_known_again_by_their_key(grown):
    seen = grown.signals_seen(["s1", "nope"], before_cycle=4)
    assert list(seen) == ["s1"]
    assert (seen["s1"].first_cycle, seen["s1"].last_cycle, seen["s1"].cycles) == (1, 3, 3)


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1, True])
def test_a_limit_that_cannot_be_is_refused(store, limit):
    for read in (store.cycles, store.findings):
        with pytest.raises(UsageError, match="limit"):
            read(limit=limit)
    with pytest.raises(UsageError, match="limit"):
        store.recall_locus(["a"], limit_rows=limit)


@pytest.mark.parametrize(
    "cursor", ["", "x", "1", "1.x", "-1.2", "1.2.3", "h:", "h:1", "q:1.1", "s:x", "9" * 40]
)
def test_a_cursor_from_elsewhere_is_refused(grown, cursor):
    with pytest.raises(UsageError, match="cursor"):
        grown.recall_locus(["pkg.load"], cursor=cursor)
    with pytest.raises(UsageError, match="cursor"):
        grown.test_history("t", cursor=cursor)


def test_too_many_places_are_refused(store):
    with pytest.raises(UsageError, match="symbols"):
        store.recall_locus(["s"] * (MAX_PLACES + 1))
    with pytest.raises(UsageError, match="paths"):
        store.recall_locus(paths="a.py")
    with pytest.raises(UsageError, match="signal keys"):
        store.signals_seen(["s"] * (MAX_PLACES + 1))
