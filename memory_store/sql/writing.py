"""Begin, commit and discard: the only statements that write, each in one immediate transaction."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Select, func, insert, select

from repo_guardian.errors import MemoryStoreError
from repo_guardian.memory_store.fields import excerpt, utc_now
from repo_guardian.memory_store.process import ProcessIdentity
from repo_guardian.memory_store.records import CycleIntent, CycleRecord, CycleWrite
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.sections import R, columns_of, rows_are_valid, rows_of

INTENTS = tables.table_of(tables.CycleIntents)
CYCLES = tables.table_of(tables.Cycles)
DISCARDS = tables.table_of(tables.CycleDiscards)
HYPOTHESES = tables.table_of(tables.Hypotheses)


def checked(write: CycleWrite) -> CycleWrite:
    """``write`` validated once more; see ``valid``."""
    return valid(CycleWrite, write)


def valid(kind: type[R], record: R) -> R:
    """``record`` validated once more, whatever way it was built.

    Raises:
        MemoryStoreError: a field does not hold what it must; the message names the first.
    """
    what = "cycle" if kind is CycleWrite else "record"
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or what
        raise MemoryStoreError(
            f"the {what} is not valid: {where}: {first['msg']}", hint="nothing was written; mend the record"
        ) from error


def take_number(connection: Connection, intent: CycleIntent) -> int:
    """Record that a cycle begins and return its number: one more than any before, discarded ones too.

    Raises:
        MemoryStoreError: the intent has a number already.
    """
    if intent.number is not None:
        raise MemoryStoreError(
            f"cycle {intent.number} was begun already", hint="begin a new cycle from a new CycleIntent"
        )
    highest = connection.execute(select(func.coalesce(func.max(INTENTS.c.number), 0))).scalar_one()
    number = int(highest) + 1
    values = columns_of(intent)
    process = values.pop("process")
    connection.execute(insert(INTENTS).values(**{**values, **process, "number": number}))
    return number


def put_cycle(connection: Connection, write: CycleWrite) -> None:
    """Insert every row of a begun cycle.

    Raises:
        MemoryStoreError: the cycle is not an open one, or makes a hypothesis that is known already.
    """
    record = write.cycle
    begun = _open_intent(connection, record.number)
    _refuse_another_cycle(record, begun)
    _refuse_known_hypotheses(connection, write)
    connection.execute(insert(CYCLES).values(**columns_of(record)))
    for table, rows in rows_of(write):
        connection.execute(insert(table), rows)


def put_discard(connection: Connection, number: int, reason: str) -> None:
    """Record that an open cycle is given up.

    Raises:
        MemoryStoreError: the cycle is not an open one.
    """
    _open_intent(connection, number)
    connection.execute(insert(DISCARDS).values(number=number, reason=excerpt(reason), discarded_at=utc_now()))


def unfinished(connection: Connection) -> tuple[CycleIntent, ...]:
    """The cycles that were begun and neither committed nor discarded, oldest first."""
    query = (
        select(INTENTS)
        .where(~select(CYCLES.c.number).where(CYCLES.c.number == INTENTS.c.number).exists())
        .where(~select(DISCARDS.c.number).where(DISCARDS.c.number == INTENTS.c.number).exists())
        .order_by(INTENTS.c.number)
    )
    return tuple(intent_of(dict(row)) for row in connection.execute(query).mappings())


def intent_of(row: dict[str, Any]) -> CycleIntent:
    """The record in a row of the begun cycles.

    Raises:
        MemoryCorruptError: the row does not hold what was once validated.
    """
    with rows_are_valid():
        process = ProcessIdentity(pid=row["pid"], start_ticks=row["start_ticks"], boot_id=row["boot_id"])
        return CycleIntent(
            number=row["number"],
            commit=row["commit_id"],
            base=row["base_id"],
            arm=row["arm"],
            started_at=row["started_at"],
            process=process,
        )


def _open_intent(connection: Connection, number: int) -> CycleIntent:
    row = connection.execute(select(INTENTS).where(INTENTS.c.number == number)).mappings().first()
    if row is None:
        raise MemoryStoreError(f"cycle {number} was never begun", hint="use the number that begin() returned")
    if _there(connection, select(CYCLES.c.number).where(CYCLES.c.number == number)):
        raise MemoryStoreError(f"cycle {number} was committed already", hint="a cycle is written once")
    if _there(connection, select(DISCARDS.c.number).where(DISCARDS.c.number == number)):
        raise MemoryStoreError(f"cycle {number} was discarded", hint="begin a new cycle")
    return intent_of(dict(row))


def _refuse_another_cycle(record: CycleRecord, begun: CycleIntent) -> None:
    for name in ("commit", "base", "arm"):
        if getattr(record, name) != getattr(begun, name):
            raise MemoryStoreError(
                f"cycle {record.number} was begun with {name} {getattr(begun, name)}, "
                f"not {getattr(record, name)}",
                hint="commit, base and arm are fixed when a cycle begins",
            )


def _refuse_known_hypotheses(connection: Connection, write: CycleWrite) -> None:
    for hypothesis in write.hypotheses:
        known = select(HYPOTHESES.c.cycle).where(HYPOTHESES.c.key == hypothesis.key)
        cycle = connection.execute(known).scalar()
        if cycle is not None:
            raise MemoryStoreError(
                f"hypothesis {hypothesis.key} is known since cycle {cycle}",
                hint="record a HypothesisEvent of kind recurred instead of a second HypothesisRecord",
            )


def _there(connection: Connection, query: Select[Any]) -> bool:
    return connection.execute(query).first() is not None
