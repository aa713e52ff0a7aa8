"""The current state of hypotheses, folded from their events at each read; nothing of it is stored."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, case, func, select, tuple_

from repo_guardian.memory_store.answers import HypothesisState, Page, Row
from repo_guardian.memory_store.records import HypothesisRecord
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.paging import ROW_COMMIT, Window, bad_cursor, before, count
from repo_guardian.memory_store.sql.sections import record_of
from repo_guardian.memory_store.vocabulary import EventKind
from repo_guardian.vocabulary import Grade, Verdict

CYCLES = tables.table_of(tables.Cycles)
HYPOTHESES = tables.table_of(tables.Hypotheses)
EVENTS = tables.table_of(tables.HypothesisEvents)


def folded(before_cycle: int | None, among: Select[Any] | None = None) -> Select[Any]:
    """A query for hypotheses with their state as of ``before_cycle``.

    Columns: those of the table, then ``grade``, ``verdict``, ``reason``, ``citations``, ``confidence``,
    ``graded_in``, ``last_cycle``, ``recurrences``.

    Args:
        among: a query for the keys to look at; None for all.
    """
    visible = before(EVENTS.c.cycle, before_cycle)
    known = before(HYPOTHESES.c.cycle, before_cycle)
    if among is not None:
        visible.append(EVENTS.c.hypothesis.in_(among))
        known.append(HYPOTHESES.c.key.in_(among))
    newest = (EVENTS.c.cycle.desc(), EVENTS.c.seq.desc())
    gradings = (
        select(
            EVENTS, func.row_number().over(partition_by=EVENTS.c.hypothesis, order_by=newest).label("place")
        )
        .where(EVENTS.c.kind == EventKind.GRADED.value, *visible)
        .subquery()
    )
    spans = (
        select(
            EVENTS.c.hypothesis,
            func.max(EVENTS.c.cycle).label("last"),
            func.sum(case((EVENTS.c.kind == EventKind.RECURRED.value, 1), else_=0)).label("recurrences"),
        )
        .where(*visible)
        .group_by(EVENTS.c.hypothesis)
        .subquery()
    )
    latest = (gradings.c.hypothesis == HYPOTHESES.c.key) & (gradings.c.place == 1)
    return (
        select(
            HYPOTHESES,
            func.coalesce(gradings.c.grade, Grade.CONJECTURE.value).label("grade"),
            gradings.c.verdict,
            func.coalesce(gradings.c.reason, "").label("reason"),
            gradings.c.citations,
            gradings.c.confidence,
            gradings.c.cycle.label("graded_in"),
            func.coalesce(spans.c.last, HYPOTHESES.c.cycle).label("last_cycle"),
            func.coalesce(spans.c.recurrences, 0).label("recurrences"),
        )
        .outerjoin_from(HYPOTHESES, gradings, latest)
        .outerjoin(spans, spans.c.hypothesis == HYPOTHESES.c.key)
        .where(*known)
    )


def state_of(row: RowMapping) -> HypothesisState:
    """The state in a row of ``folded``."""
    return HypothesisState(
        record=record_of(HypothesisRecord, row),
        grade=Grade(row["grade"]),
        graded_in=row["graded_in"],
        verdict=None if row["verdict"] is None else Verdict(row["verdict"]),
        reason=row["reason"],
        citations=tuple(row["citations"] or ()),
        confidence=row["confidence"],
        first_cycle=row["cycle"],
        last_cycle=row["last_cycle"],
        recurrences=row["recurrences"],
    )


def states(
    connection: Connection, query: Select[Any], limit: int, after: tuple[int, str] | None
) -> list[Row[HypothesisState]]:
    """At most ``limit`` hypotheses of a ``folded`` query past ``after``, the latest touched first."""
    inner = query.subquery()
    outer = select(inner, CYCLES.c.commit_id.label(ROW_COMMIT)).join(
        CYCLES, CYCLES.c.number == inner.c.last_cycle
    )
    if after is not None:
        outer = outer.where(_follows(inner.c.last_cycle, inner.c.key, after))
    outer = outer.order_by(inner.c.last_cycle.desc(), inner.c.key.desc()).limit(limit)
    return [
        Row(cycle=row["last_cycle"], commit=row[ROW_COMMIT], record=state_of(row))
        for row in connection.execute(outer).mappings()
    ]


def graded(connection: Connection, grade: Grade, window: Window) -> Page[Row[HypothesisState]]:
    """One page of the hypotheses that stand at ``grade``."""
    every = folded(window.before_cycle).subquery()
    query = select(every).where(every.c.grade == grade.value)
    after = None if window.cursor is None else parse_cursor(window.cursor)
    found = states(connection, query, window.limit + 1, after)
    last = found[window.limit - 1] if len(found) > window.limit else None
    return Page(
        tuple(found[: window.limit]), count(connection, query), None if last is None else cursor_of(last)
    )


def by_grade(connection: Connection, before_cycle: int | None) -> dict[Grade, int]:
    """How many hypotheses stand at each grade."""
    every = folded(before_cycle).subquery()
    query = select(every.c.grade, func.count()).group_by(every.c.grade)
    found = {grade: number for grade, number in connection.execute(query)}
    return {grade: int(found.get(grade.value, 0)) for grade in Grade}


def cursor_of(row: Row[HypothesisState]) -> str:
    """The cursor past ``row``."""
    return f"{row.cycle}.{row.record.record.key}"


def parse_cursor(cursor: str) -> tuple[int, str]:
    """The position that ``cursor_of`` wrote.

    Raises:
        UsageError: it did not write this.
    """
    cycle, dot, key = cursor.partition(".")
    if not dot or not key or not cycle.isdecimal() or len(cycle) > 18:
        raise bad_cursor(cursor)
    return int(cycle), key


def _follows(
    cycle: ColumnElement[int], key: ColumnElement[str], after: tuple[int, str]
) -> ColumnElement[bool]:
    return tuple_(cycle, key) < after
