"""All that a memory holds, as records, and the two ways between records and rows.

The history of a memory is three lists: the cycles that were begun (with how the given up ones ended), what
the finished ones wrote, and what humans said. Putting them into an empty database in this order makes the
same memory again, numbers included.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import model_validator
from sqlalchemy import Connection, insert, select

from repo_guardian.memory_store.fields import Count, CycleNumber, Excerpt, Instant
from repo_guardian.memory_store.records import CycleIntent, CycleRecord, CycleWrite, HumanWordRecord, Record
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.sections import SECTIONS, columns_of, record_of, rows_are_valid
from repo_guardian.memory_store.sql.writing import intent_of

INTENTS = tables.table_of(tables.CycleIntents)
CYCLES = tables.table_of(tables.Cycles)
DISCARDS = tables.table_of(tables.CycleDiscards)
WORDS = tables.table_of(tables.HumanWords)


class Discard(Record):
    """Why a begun cycle was given up, and when."""

    reason: Excerpt
    discarded_at: Instant


class Begun(Record):
    """A cycle that was begun, under its number; ``discard`` is None unless it was given up."""

    intent: CycleIntent
    discard: Discard | None = None

    @model_validator(mode="after")
    def _it_has_a_number(self) -> Self:
        if self.intent.number is None:
            raise ValueError("a begun cycle has a number")
        return self

    @property
    def number(self) -> int:
        """The number that it took."""
        return self.intent.number or 0


class Said(Record):
    """What a human said: the place of the word among all, and the last cycle that had begun by then."""

    number: CycleNumber
    after_cycle: Count
    word: HumanWordRecord


def begun_numbers(connection: Connection) -> tuple[int, ...]:
    """The numbers that were taken, ascending."""
    return tuple(connection.execute(select(INTENTS.c.number).order_by(INTENTS.c.number)).scalars())


def finished_numbers(connection: Connection) -> tuple[int, ...]:
    """The numbers of the cycles that were committed, ascending."""
    return tuple(connection.execute(select(CYCLES.c.number).order_by(CYCLES.c.number)).scalars())


def said_numbers(connection: Connection) -> tuple[int, ...]:
    """The numbers of the words of humans, ascending."""
    return tuple(connection.execute(select(WORDS.c.number).order_by(WORDS.c.number)).scalars())


def begun(connection: Connection, number: int) -> Begun | None:
    """How the cycle ``number`` was begun, and given up if it was; None when it never was."""
    row = connection.execute(select(INTENTS).where(INTENTS.c.number == number)).mappings().first()
    if row is None:
        return None
    given_up = connection.execute(select(DISCARDS).where(DISCARDS.c.number == number)).mappings().first()
    with rows_are_valid():
        discard = None if given_up is None else record_of(Discard, given_up)
        return Begun(intent=intent_of(dict(row)), discard=discard)


def whole_cycle(connection: Connection, number: int) -> CycleWrite | None:
    """Everything that the finished cycle ``number`` wrote, None when there is no such cycle."""
    row = connection.execute(select(CYCLES).where(CYCLES.c.number == number)).mappings().first()
    if row is None:
        return None
    parts: dict[str, Any] = {}
    for section in SECTIONS:
        query = select(section.table).where(section.table.c.cycle == number).order_by(section.table.c.seq)
        rows = connection.execute(query).mappings()
        parts[section.field] = tuple(record_of(section.record, each) for each in rows)
    with rows_are_valid():
        return CycleWrite(cycle=record_of(CycleRecord, row), **parts)


def commit_of(connection: Connection, number: int) -> str | None:
    """The commit of the finished cycle ``number``, None when there is no such cycle."""
    commit: str | None = connection.execute(
        select(CYCLES.c.commit_id).where(CYCLES.c.number == number)
    ).scalar()
    return commit


def said(connection: Connection, number: int) -> Said | None:
    """The word ``number`` of humans, None when there is none."""
    row = connection.execute(select(WORDS).where(WORDS.c.number == number)).mappings().first()
    if row is None:
        return None
    with rows_are_valid():
        return Said(number=number, after_cycle=row["after_cycle"], word=record_of(HumanWordRecord, row))


def put_begun(connection: Connection, begun: Begun) -> None:
    """Insert a begun cycle under the number that it has, and its discard if it was given up."""
    values = columns_of(begun.intent)
    process = values.pop("process")
    connection.execute(insert(INTENTS).values(**values, **process))
    if begun.discard is not None:
        connection.execute(insert(DISCARDS).values(number=begun.number, **columns_of(begun.discard)))


def put_said(connection: Connection, said: Said) -> None:
    """Insert a word of a human under the number that it has."""
    values = {**columns_of(said.word), "number": said.number, "after_cycle": said.after_cycle}
    connection.execute(insert(WORDS).values(**values))
