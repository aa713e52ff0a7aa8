"""What the reads of the memory return: bounded, counted, and labelled with the cycle of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from repo_guardian.memory_store.records import (
    CycleRecord,
    HypothesisRecord,
    ProbeRecord,
    SignalRecord,
    SymbolEvent,
    TestOutcomeRecord,
)
from repo_guardian.vocabulary import Grade, Verdict

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Row(Generic[T_co]):
    """One record, with the number and the commit of the cycle that wrote it."""

    cycle: int
    commit: str
    record: T_co


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """A bounded part of an answer.

    ``total`` counts all items of the answer, not only those in this page. ``next_cursor`` is None on
    the last page, else what to pass as ``cursor`` for the next. A page stays correct while cycles are
    added: what is new is newer than the first page.
    """

    items: tuple[T_co, ...]
    total: int
    next_cursor: str | None

    @property
    def truncated(self) -> bool:
        """Whether items follow that are not in this page."""
        return self.next_cursor is not None


@dataclass(frozen=True, slots=True)
class HypothesisState:
    """A hypothesis as it stands, folded from its events.

    Attributes:
        record: as first written, in cycle ``first_cycle``.
        grade: of the latest grading, ``conjecture`` before any.
        graded_in: the cycle of that grading, None before any; ``verdict``, ``reason``, ``citations``
            (probe ids of that cycle) and ``confidence`` are that grading's.
        last_cycle: the cycle of its latest event of any kind.
        recurrences: in how many events it came up again.
    """

    record: HypothesisRecord
    grade: Grade
    graded_in: int | None
    verdict: Verdict | None
    reason: str
    citations: tuple[str, ...]
    confidence: float | None
    first_cycle: int
    last_cycle: int
    recurrences: int


@dataclass(frozen=True, slots=True)
class Sighting:
    """When a signal was seen before: first and last cycle, and in how many cycles in all."""

    key: str
    first_cycle: int
    last_cycle: int
    cycles: int


@dataclass(frozen=True, slots=True)
class MemorySummary:
    """The memory in a few numbers. ``by_grade`` holds every grade, those without a hypothesis too."""

    cycles: int
    last_cycle: CycleRecord | None
    hypotheses: int
    by_grade: Mapping[Grade, int]
    signals: int
    probes: int


@dataclass(frozen=True, slots=True)
class CommitReceipt:
    """What a commit left on disk.

    The cycle is in the memory in any case. ``json_problem`` is one line when its JSON file could not be
    written (``MemoryStore.rebuild_json`` makes up for it), else empty.
    """

    json_path: Path
    json_problem: str = ""


RecallRow = Row[HypothesisState | SignalRecord | SymbolEvent]
"""One row of a recall; a hypothesis is labelled with the cycle of its latest event."""

ProbeRow = Row[ProbeRecord]
TestRow = Row[TestOutcomeRecord]
SymbolRow = Row[SymbolEvent]
