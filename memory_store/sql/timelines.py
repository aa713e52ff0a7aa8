"""The queries behind ``MemoryStore.timeline``: a fixed number of them, however long the history is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Connection, Select, Table, func, select

from repo_guardian.memory_store.answers import HypothesisState
from repo_guardian.memory_store.interface import MAX_PLACES
from repo_guardian.memory_store.records import CycleRecord
from repo_guardian.memory_store.sql import folding, tables
from repo_guardian.memory_store.sql.paging import before, count
from repo_guardian.memory_store.sql.sections import record_of
from repo_guardian.memory_store.timeline import SEEN, Timeline, TimelineClaim, TimelineCycle
from repo_guardian.memory_store.vocabulary import EventKind
from repo_guardian.vocabulary import Grade

CYCLES = tables.table_of(tables.Cycles)
SIGNALS = tables.table_of(tables.Signals)
PROBES = tables.table_of(tables.Probes)
EVENTS = tables.table_of(tables.HypothesisEvents)


def timeline(
    connection: Connection, *, limit_cycles: int, limit_claims: int, before_cycle: int | None
) -> Timeline:
    """The latest ``limit_cycles`` cycles, and the ``limit_claims`` findings that were touched last."""
    every = select(CYCLES).where(*before(CYCLES.c.number, before_cycle))
    newest = connection.execute(every.order_by(CYCLES.c.number.desc()).limit(limit_cycles)).mappings()
    records = [record_of(CycleRecord, row) for row in reversed(newest.all())]
    numbers = [record.number for record in records]
    happened = _happened(connection, numbers)
    signals, probes = _rows_of(connection, SIGNALS, numbers), _rows_of(connection, PROBES, numbers)
    cycles = tuple(
        TimelineCycle(
            record,
            signals.get(record.number, 0),
            probes.get(record.number, 0),
            _grades(happened.get(record.number, {})),
            sum(EventKind.RECURRED.value in whats for whats in happened.get(record.number, {}).values()),
        )
        for record in records
    )
    found = _once_findings(before_cycle)
    states = folding.states(connection, folding.folded(before_cycle, found), limit_claims, None)
    seen = _seen(connection, numbers, [key for row in states for key in row.record.record.signal_keys])
    claims = tuple(_claim(row.record, happened, seen) for row in reversed(states))
    return Timeline(cycles, count(connection, every), claims, count(connection, found))


Happened = dict[int, dict[str, list[str]]]
"""By cycle and hypothesis, what happened to it, in order: values of grades, or ``recurred``."""


def _happened(connection: Connection, numbers: Sequence[int]) -> Happened:
    query = (
        select(EVENTS.c.cycle, EVENTS.c.hypothesis, EVENTS.c.kind, EVENTS.c.grade)
        .where(EVENTS.c.cycle.in_(numbers))
        .order_by(EVENTS.c.cycle, EVENTS.c.seq)
    )
    found: Happened = {}
    for cycle, hypothesis, kind, grade in connection.execute(query):
        what = grade if kind == EventKind.GRADED.value else kind
        found.setdefault(cycle, {}).setdefault(hypothesis, []).append(what)
    return found


def _rows_of(connection: Connection, table: Table, numbers: Sequence[int]) -> dict[int, int]:
    query = select(table.c.cycle, func.count()).where(table.c.cycle.in_(numbers)).group_by(table.c.cycle)
    return {cycle: rows for cycle, rows in connection.execute(query)}


def _grades(happened: dict[str, list[str]]) -> dict[Grade, int]:
    known = {grade.value for grade in Grade}
    last = [given[-1] for whats in happened.values() if (given := [what for what in whats if what in known])]
    return {Grade(value): number for value, number in sorted(Counter(last).items())}


def _once_findings(before_cycle: int | None) -> Select[tuple[str]]:
    """The keys of hypotheses that were ever graded a finding."""
    return (
        select(EVENTS.c.hypothesis)
        .where(EVENTS.c.grade == Grade.FINDING.value, *before(EVENTS.c.cycle, before_cycle))
        .distinct()
    )


def _seen(connection: Connection, numbers: Sequence[int], keys: Sequence[str]) -> dict[str, set[int]]:
    """In which of the cycles each signal was measured; of more keys than one read may ask for, the first."""
    wanted = SIGNALS.c.key.in_(list(dict.fromkeys(keys))[:MAX_PLACES])
    query = select(SIGNALS.c.key, SIGNALS.c.cycle).where(SIGNALS.c.cycle.in_(numbers), wanted)
    found: dict[str, set[int]] = {}
    for key, cycle in connection.execute(query):
        found.setdefault(key, set()).add(cycle)
    return found


def _claim(state: HypothesisState, happened: Happened, seen: dict[str, set[int]]) -> TimelineClaim:
    record = state.record
    events = {
        cycle: tuple(dict.fromkeys(hypotheses[record.key]))
        for cycle, hypotheses in happened.items()
        if record.key in hypotheses
    }
    for cycle in set().union(*(seen.get(key, set()) for key in record.signal_keys)):
        if cycle > state.first_cycle:
            events.setdefault(cycle, (SEEN,))
    return TimelineClaim(state, tuple((cycle, what) for cycle in sorted(events) for what in events[cycle]))
