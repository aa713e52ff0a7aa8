"""Record <-> row: one entry per kind of row that a cycle writes, in the order of their foreign keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import RowMapping, Table

from repo_guardian.errors import MemoryCorruptError
from repo_guardian.memory_store.cycle_files import first_problem
from repo_guardian.memory_store.records import (
    CycleWrite,
    DecisionRecord,
    EdgeEvent,
    GraphSnapshotRecord,
    HypothesisEvent,
    HypothesisRecord,
    ProbeRecord,
    Record,
    SignalRecord,
    SymbolEvent,
    TestOutcomeRecord,
)
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.faults import RESTORE_HINT

R = TypeVar("R", bound=Record)

_COLUMN_OF = {"commit": "commit_id", "base": "base_id"}


@dataclass(frozen=True, slots=True)
class Section:
    """One field of ``CycleWrite``, the record in it, and its table."""

    field: str
    record: type[Record]
    table: Table


SECTIONS: tuple[Section, ...] = (
    Section("signals", SignalRecord, tables.table_of(tables.Signals)),
    Section("symbols", SymbolEvent, tables.table_of(tables.Symbols)),
    Section("edges", EdgeEvent, tables.table_of(tables.Edges)),
    Section("hypotheses", HypothesisRecord, tables.table_of(tables.Hypotheses)),
    Section("events", HypothesisEvent, tables.table_of(tables.HypothesisEvents)),
    Section("probes", ProbeRecord, tables.table_of(tables.Probes)),
    Section("decisions", DecisionRecord, tables.table_of(tables.Decisions)),
    Section("test_outcomes", TestOutcomeRecord, tables.table_of(tables.TestOutcomes)),
    Section("graph_snapshots", GraphSnapshotRecord, tables.table_of(tables.GraphSnapshots)),
)


def columns_of(record: Record) -> dict[str, Any]:
    """A record's values by column name, as plain JSON-able values."""
    return {_COLUMN_OF.get(name, name): value for name, value in record.model_dump(mode="json").items()}


def record_of(kind: type[R], row: RowMapping) -> R:
    """The record in a row; columns that are not its fields are left out.

    Not strict: SQLite has no booleans and JSON no tuples. The table's own types were.

    Raises:
        MemoryCorruptError: the row does not hold what was once validated.
    """
    values = {name: row[_COLUMN_OF.get(name, name)] for name in kind.model_fields}
    with rows_are_valid():
        return kind.model_validate(values, strict=False)


@contextmanager
def rows_are_valid() -> Iterator[None]:
    """Records that are made of rows: every row was validated once, so one that is not valid is damaged.

    Raises:
        MemoryCorruptError: one is not.
    """
    try:
        yield
    except ValidationError as error:
        raise MemoryCorruptError(
            f"the memory is damaged: a row is not valid: {first_problem(error)}", hint=RESTORE_HINT
        ) from error


def rows_of(write: CycleWrite) -> Iterator[tuple[Table, list[dict[str, Any]]]]:
    """All rows of a cycle but its own, table by table; tables without any are left out."""
    cycle = write.cycle.number
    for section in SECTIONS:
        rows = [
            {"cycle": cycle, "seq": seq, **columns_of(record)}
            for seq, record in enumerate(getattr(write, section.field))
        ]
        if rows:
            yield section.table, rows
    signal_loci = [
        {"place_kind": kind, "place": place, "cycle": cycle, "seq": seq}
        for seq, signal in enumerate(write.signals)
        for kind, place in _places(signal.symbols, signal.paths)
    ]
    if signal_loci:
        yield tables.table_of(tables.SignalLoci), signal_loci
    hypothesis_loci = [
        {"place_kind": kind, "place": place, "hypothesis": hypothesis.key, "cycle": cycle}
        for hypothesis in write.hypotheses
        for kind, place in _places(hypothesis.locus_symbols, hypothesis.locus_files)
    ]
    if hypothesis_loci:
        yield tables.table_of(tables.HypothesisLoci), hypothesis_loci


def _places(symbols: tuple[str, ...], paths: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each place once, symbols first."""
    yield from (("symbol", symbol) for symbol in dict.fromkeys(symbols))
    yield from (("path", path) for path in dict.fromkeys(paths))
