"""Bounded reads by cursor: the keyset method, so that a page costs the same wherever it lies.

A cursor is the key of the last item that was returned, as dot-separated text. It is opaque to callers and
stays valid for ever, because rows never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    RowMapping,
    Select,
    Table,
    and_,
    func,
    or_,
    select,
)

from repo_guardian.errors import UsageError
from repo_guardian.memory_store.answers import Page, Row
from repo_guardian.memory_store.interface import MAX_LIMIT, MAX_PLACES
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.sections import R, record_of

CYCLES = tables.table_of(tables.Cycles)
Positions = Select[Any] | CompoundSelect[Any]
"""A query for ``cycle`` and ``seq`` of rows, each once."""

ROW_COMMIT = "row_commit"
"""The label of the column that holds the commit of a row's cycle."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of an answer is asked for.

    Raises:
        UsageError: from the constructor, for a limit out of range.
    """

    limit: int
    cursor: str | None = None
    before_cycle: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not 1 <= self.limit <= MAX_LIMIT:
            raise UsageError(
                f"a limit of {self.limit} rows cannot be", hint=f"ask for 1 to {MAX_LIMIT} rows per page"
            )

    def position(self, parts: int = 2) -> tuple[int, ...] | None:
        """The cursor as ``parts`` integers, None for the first page.

        Raises:
            UsageError: the cursor is not one that such a read returned.
        """
        if self.cursor is None:
            return None
        found = self.cursor.split(".")
        if len(found) != parts or not all(part.isdecimal() and len(part) < 19 for part in found):
            raise bad_cursor(self.cursor)
        return tuple(int(part) for part in found)


def bad_cursor(cursor: str) -> UsageError:
    """The error for a cursor that no read returned."""
    return UsageError(
        f"{cursor[:80]!r} is not a cursor of this read", hint="pass next_cursor of its former page unchanged"
    )


def bounded_keys(keys: Sequence[str], what: str) -> None:
    """Refuse to look for more than ``MAX_PLACES`` keys at once.

    Raises:
        UsageError: there are more.
    """
    if isinstance(keys, str) or len(keys) > MAX_PLACES:
        raise UsageError(f"cannot ask for these {what}", hint=f"pass a list of at most {MAX_PLACES} {what}")


def before(column: ColumnElement[int], cycle: int | None) -> list[ColumnElement[bool]]:
    """The condition that hides what cycle ``cycle`` and later ones wrote; none when it is None."""
    return [] if cycle is None else [column < cycle]


def count(connection: Connection, query: Positions) -> int:
    """How many rows ``query`` has."""
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())


def labelled_page(
    connection: Connection,
    table: Table,
    record: type[R],
    where: Sequence[ColumnElement[bool]],
    window: Window,
    *,
    oldest_first: bool = False,
) -> Page[Row[R]]:
    """One page of the rows of ``table``, which has ``cycle`` and ``seq``, as labelled records."""
    hidden = before(table.c.cycle, window.before_cycle)
    positions = select(table.c.cycle, table.c.seq).where(*where, *hidden)
    after = window.position()
    found = labelled_rows(connection, table, positions, window.limit + 1, after, oldest_first=oldest_first)
    items = tuple(labelled(row, record) for row in found[: window.limit])
    last = found[window.limit - 1] if len(found) > window.limit else None
    next_cursor = None if last is None else f"{last['cycle']}.{last['seq']}"
    return Page(items, count(connection, positions), next_cursor)


def labelled_rows(
    connection: Connection,
    table: Table,
    positions: Positions,
    limit: int,
    after: tuple[int, ...] | None,
    *,
    oldest_first: bool = False,
) -> Sequence[RowMapping]:
    """At most ``limit`` rows past ``after``, each with the commit of its cycle as ``row_commit``.

    Within a cycle always in the order in which they were written, which is the rank of signals. The
    positions are sorted and cut before any row is read: an index holds them, and they are small.
    """
    every = positions.subquery()
    window = select(every.c.cycle, every.c.seq)
    if after is not None:
        cycle, seq = after
        further = every.c.cycle > cycle if oldest_first else every.c.cycle < cycle
        window = window.where(or_(further, and_(every.c.cycle == cycle, every.c.seq > seq)))
    window = window.order_by(*_order(every.c, oldest_first)).limit(limit)
    chosen = window.subquery()
    query = (
        select(table, CYCLES.c.commit_id.label(ROW_COMMIT))
        .join(chosen, and_(chosen.c.cycle == table.c.cycle, chosen.c.seq == table.c.seq))
        .join(CYCLES, CYCLES.c.number == table.c.cycle)
        .order_by(*_order(table.c, oldest_first))
    )
    return connection.execute(query).mappings().all()


def _order(columns: Any, oldest_first: bool) -> tuple[Any, Any]:
    return (columns.cycle if oldest_first else columns.cycle.desc(), columns.seq)


def labelled(row: RowMapping, record: type[R]) -> Row[R]:
    """The record of a row of ``labelled_rows``, with its label."""
    return Row(cycle=row["cycle"], commit=row[ROW_COMMIT], record=record_of(record, row))
