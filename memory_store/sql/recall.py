"""What is known about a place: one flat, bounded answer over three kinds of row.

Hypotheses come first (what was concluded), then signals (what was measured), then symbol events (what
happened to the code), each newest first. A cursor names the kind and the last row of it: ``h:12.key``,
``s:12.3``, ``e:12.3``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, or_, select, union

from repo_guardian.memory_store.answers import Page, RecallRow
from repo_guardian.memory_store.records import SignalRecord, SymbolEvent
from repo_guardian.memory_store.sql import folding, tables
from repo_guardian.memory_store.sql.paging import (
    Positions,
    Window,
    bad_cursor,
    before,
    count,
    labelled,
    labelled_rows,
)

SIGNALS = tables.table_of(tables.Signals)
SIGNAL_LOCI = tables.table_of(tables.SignalLoci)
SYMBOLS = tables.table_of(tables.Symbols)
HYPOTHESIS_LOCI = tables.table_of(tables.HypothesisLoci)

Found = tuple[str, RecallRow]
"""A row and the cursor past it."""


@dataclass(frozen=True, slots=True)
class Locus:
    """The places that are asked about."""

    symbols: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def among(self, loci: Table) -> ColumnElement[bool]:
        """The condition on a table of loci."""
        return or_(
            and_(loci.c.place_kind == "symbol", loci.c.place.in_(self.symbols)),
            and_(loci.c.place_kind == "path", loci.c.place.in_(self.paths)),
        )


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of row: how many there are at a locus, and some of them past a position."""

    letter: str
    total: Callable[[Connection, Locus, int | None], int]
    rows: Callable[[Connection, Locus, int | None, int, str | None], list[Found]]


def recall(connection: Connection, locus: Locus, window: Window) -> Page[RecallRow]:
    """One page of what is known about ``locus``."""
    start, position = _parse(window.cursor)
    found: list[Found] = []
    for kind in _KINDS[start:]:
        missing = window.limit + 1 - len(found)
        found += kind.rows(connection, locus, window.before_cycle, missing, position)
        position = None
        if len(found) > window.limit:
            break
    total = sum(kind.total(connection, locus, window.before_cycle) for kind in _KINDS)
    next_cursor = found[window.limit - 1][0] if len(found) > window.limit else None
    return Page(tuple(row for _, row in found[: window.limit]), total, next_cursor)


def _parse(cursor: str | None) -> tuple[int, str | None]:
    if cursor is None:
        return 0, None
    letter, colon, position = cursor.partition(":")
    for index, kind in enumerate(_KINDS):
        if colon and kind.letter == letter:
            return index, position
    raise bad_cursor(cursor)


def _hypothesis_keys(locus: Locus, before_cycle: int | None) -> Select[Any]:
    hidden = before(HYPOTHESIS_LOCI.c.cycle, before_cycle)
    return select(HYPOTHESIS_LOCI.c.hypothesis).where(locus.among(HYPOTHESIS_LOCI), *hidden).distinct()


def _hypothesis_total(connection: Connection, locus: Locus, before_cycle: int | None) -> int:
    return count(connection, _hypothesis_keys(locus, before_cycle))


def _hypotheses(
    connection: Connection, locus: Locus, before_cycle: int | None, limit: int, position: str | None
) -> list[Found]:
    after = None if position is None else folding.parse_cursor(position)
    query = folding.folded(before_cycle, _hypothesis_keys(locus, before_cycle))
    rows = folding.states(connection, query, limit, after)
    return [(f"h:{folding.cursor_of(row)}", row) for row in rows]


def _signal_positions(locus: Locus, before_cycle: int | None) -> Positions:
    # One signal may hold several of the places, and is still one row.
    hidden = before(SIGNAL_LOCI.c.cycle, before_cycle)
    return select(SIGNAL_LOCI.c.cycle, SIGNAL_LOCI.c.seq).where(locus.among(SIGNAL_LOCI), *hidden).distinct()


def _symbol_positions(locus: Locus, before_cycle: int | None) -> Positions:
    hidden = before(SYMBOLS.c.cycle, before_cycle)
    # A union of three, each answered by an index that holds all it needs, and not one condition with OR.
    return union(
        *(
            select(SYMBOLS.c.cycle, SYMBOLS.c.seq).where(touched, *hidden)
            for touched in (
                SYMBOLS.c.symbol.in_(locus.symbols),
                SYMBOLS.c.moved_from.in_(locus.symbols),
                SYMBOLS.c.path.in_(locus.paths),
            )
        )
    )


def _events_kind(
    letter: str,
    table: Table,
    record: type[SignalRecord] | type[SymbolEvent],
    positions: Callable[[Locus, int | None], Positions],
) -> _Kind:
    """The kind of row that is one row of ``table``, newest first."""

    def total(connection: Connection, locus: Locus, before_cycle: int | None) -> int:
        return count(connection, positions(locus, before_cycle))

    def rows(
        connection: Connection, locus: Locus, before_cycle: int | None, limit: int, position: str | None
    ) -> list[Found]:
        after = Window(limit=1, cursor=position).position()
        found = labelled_rows(connection, table, positions(locus, before_cycle), limit, after)
        return [(f"{letter}:{row['cycle']}.{row['seq']}", labelled(row, record)) for row in found]

    return _Kind(letter, total, rows)


_KINDS = (
    _Kind("h", _hypothesis_total, _hypotheses),
    _events_kind("s", SIGNALS, SignalRecord, _signal_positions),
    _events_kind("e", SYMBOLS, SymbolEvent, _symbol_positions),
)
