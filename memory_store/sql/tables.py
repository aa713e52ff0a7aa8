"""The table models: where the migrations lead, as SQLModel classes that statements are built from.

They validate nothing and carry no defaults; ``records.py`` does that, and ``sections.py`` maps between the
two. Git object ids are ``commit_id`` and ``base_id`` here because COMMIT is a keyword of SQL.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Dialect, ForeignKeyConstraint, Table, Text, UniqueConstraint
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from repo_guardian.errors import MemoryCorruptError
from repo_guardian.memory_store.fields import canonical_json
from repo_guardian.memory_store.sql.faults import RESTORE_HINT


class CanonicalJson(TypeDecorator[Any]):
    """JSON as text with sorted keys, so that equal values are equal bytes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """The value as text."""
        return canonical_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The text as a value.

        Raises:
            MemoryCorruptError: it is no JSON, which it was when it was written.
        """
        try:
            return None if value is None else json.loads(value)
        except (ValueError, RecursionError) as error:
            raise MemoryCorruptError(
                f"the memory is damaged: a column holds no JSON: {error}", hint=RESTORE_HINT
            ) from error


class Rows(SQLModel, registry=registry()):
    """Base of the table models, with metadata of its own."""


class CycleRow(Rows):
    """Base of what belongs to a cycle: its number, and the row's place among its kind, from 0."""

    cycle: int = Field(primary_key=True, foreign_key="cycles.number")
    seq: int = Field(primary_key=True)


def _json() -> Any:
    return Field(sa_type=CanonicalJson)


class CycleIntents(Rows, table=True):
    """That a cycle was begun, and by which process."""

    __tablename__ = "cycle_intents"
    number: int = Field(primary_key=True)
    commit_id: str
    base_id: str | None
    arm: str
    started_at: str
    pid: int
    start_ticks: int
    boot_id: str


class Cycles(Rows, table=True):
    """Finished cycles."""

    __tablename__ = "cycles"
    number: int = Field(primary_key=True, foreign_key="cycle_intents.number")
    commit_id: str
    base_id: str | None
    arm: str
    policy: str
    model: str | None
    sandbox: str
    exit_reason: str
    degraded: bool
    tokens_reserved: int
    tokens_used: int
    tokens_overshot: int
    wall_s: float
    started_at: str
    ended_at: str
    detail: dict[str, Any] = _json()


class CycleDiscards(Rows, table=True):
    """Begun cycles that were given up."""

    __tablename__ = "cycle_discards"
    number: int = Field(primary_key=True, foreign_key="cycle_intents.number")
    reason: str
    discarded_at: str


class Signals(CycleRow, table=True):
    """Measurements."""

    __tablename__ = "signals"
    __table_args__ = (UniqueConstraint("cycle", "key"),)
    key: str
    kind: str
    line: str
    symbols: list[str] = _json()
    paths: list[str] = _json()
    before: str
    after: str
    public: bool
    score: float
    detail: dict[str, Any] = _json()


class SignalLoci(Rows, table=True):
    """Which signals speak of a symbol or a path."""

    __tablename__ = "signal_loci"
    __table_args__ = (ForeignKeyConstraint(["cycle", "seq"], ["signals.cycle", "signals.seq"]),)
    place_kind: str = Field(primary_key=True)
    place: str = Field(primary_key=True)
    cycle: int = Field(primary_key=True)
    seq: int = Field(primary_key=True)


class Symbols(CycleRow, table=True):
    """Births, moves and deaths of symbols."""

    __tablename__ = "symbols"
    event: str
    symbol: str
    kind: str
    path: str
    moved_from: str | None


class Edges(CycleRow, table=True):
    """Births and deaths of edges."""

    __tablename__ = "edges"
    event: str
    source: str
    target: str
    kind: str


class TestOutcomes(CycleRow, table=True):
    """What tests did."""

    __tablename__ = "test_outcomes"
    test_id: str
    commit_id: str
    tree: str
    outcome: str
    duration_s: float


class GraphSnapshots(CycleRow, table=True):
    """Where linked graphs lie."""

    __tablename__ = "graph_snapshots"
    __table_args__ = (UniqueConstraint("cycle", "commit_id"),)
    commit_id: str
    digest: str
    path: str


class Hypotheses(CycleRow, table=True):
    """Claims, each once."""

    __tablename__ = "hypotheses"
    __table_args__ = (UniqueConstraint("key"),)
    key: str
    id: str
    claim: str
    consequence: str
    remedy: str
    origin: str
    locus_files: list[str] = _json()
    locus_symbols: list[str] = _json()
    signal_keys: list[str] = _json()


class HypothesisLoci(Rows, table=True):
    """Which hypotheses speak of a symbol or a path."""

    __tablename__ = "hypothesis_loci"
    place_kind: str = Field(primary_key=True)
    place: str = Field(primary_key=True)
    hypothesis: str = Field(primary_key=True, foreign_key="hypotheses.key")
    cycle: int = Field(foreign_key="cycles.number")


class HypothesisEvents(CycleRow, table=True):
    """Gradings and recurrences."""

    __tablename__ = "hypothesis_events"
    hypothesis: str = Field(foreign_key="hypotheses.key")
    kind: str
    grade: str | None
    verdict: str | None
    reason: str
    citations: list[str] = _json()
    confidence: float | None


class HumanWords(Rows, table=True):
    """What humans said of hypotheses; of no cycle, but after one."""

    __tablename__ = "human_words"
    number: int = Field(primary_key=True)
    after_cycle: int
    hypothesis: str
    word: str
    reason: str
    claim: str
    commit_id: str
    blobs: dict[str, Any] = _json()
    said_at: str


class Probes(CycleRow, table=True):
    """The probe ledger."""

    __tablename__ = "probes"
    __table_args__ = (
        UniqueConstraint("cycle", "id"),
        ForeignKeyConstraint(["cycle", "parent"], ["probes.cycle", "probes.id"]),
    )
    id: str
    hypothesis: str = Field(foreign_key="hypotheses.key")
    hypothesis_id: str
    parent: str | None
    tool: str
    argv: list[str] = _json()
    commit_id: str
    tree: str
    process_status: str
    exit_code: int | None
    outcomes: dict[str, Any] = _json()
    evidence_status: str
    reason: str
    test_source: str
    evidence_diff: str
    stdout: str
    stderr: str
    duration_s: float


class Decisions(CycleRow, table=True):
    """Tool calls of the deciding loop."""

    __tablename__ = "decisions"
    __table_args__ = (UniqueConstraint("cycle", "turn"),)
    turn: int
    tool: str
    arguments: dict[str, Any] = _json()
    state_digest: str
    observation: str


def table_of(model: type[Rows]) -> Table:
    """The table behind a model, for Core statements."""
    table: Table = Rows.metadata.tables[str(model.__tablename__)]
    return table
