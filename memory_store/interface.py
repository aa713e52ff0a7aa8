"""The memory's contract on one page.

Writes: ``begin`` takes a number, then exactly one of ``commit`` and ``discard`` follows. Reads are
bounded by ``limit`` (1 to ``MAX_LIMIT`` items) and paged by an opaque ``cursor``: newest cycle first unless
said otherwise, and within a cycle in the order of writing. They see only cycles below ``before_cycle`` when
it is given: with the number of the running cycle, an answer does not depend on what is written meanwhile.

Every method may raise ``MemoryStoreError`` or ``StateDirError`` and their subclasses; reads raise
``UsageError`` for a limit or cursor that cannot be. A store may be used from several threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from repo_guardian.memory_store.answers import (
    CommitReceipt,
    HypothesisState,
    MemorySummary,
    Page,
    ProbeRow,
    RecallRow,
    Row,
    Sighting,
    SymbolRow,
    TestRow,
)
from repo_guardian.memory_store.records import CycleIntent, CycleRecord, CycleWrite, HumanWordRecord
from repo_guardian.memory_store.timeline import Timeline

DEFAULT_LIMIT = 20
MAX_LIMIT = 200
MAX_PLACES = 500
"""How many keys, symbols or paths one read may ask for."""


@runtime_checkable
class MemoryStore(Protocol):
    """The append-only memory of one repository."""

    directory: Path
    read_only: bool

    def begin(self, intent: CycleIntent) -> int:
        """Take the next cycle number, durably. Numbers are never reused, so they may have gaps."""
        ...

    def commit(self, write: CycleWrite) -> CommitReceipt:
        """Write a begun cycle whole, then its JSON file.

        Raises:
            MemoryStoreError: never begun, already committed or discarded, not what was begun, not
                valid, or naming a hypothesis that is not known; nothing is written then.
        """
        ...

    def discard(self, number: int, reason: str) -> None:
        """Record that a begun cycle will never be committed."""
        ...

    def say(self, record: HumanWordRecord) -> None:
        """Write down what a human said, durably. Cycles that have begun by then do not see it.

        Raises:
            MemoryStoreError: the record is not valid; nothing is written then.
        """
        ...

    def interrupted(self) -> tuple[CycleIntent, ...]:
        """Cycles begun, neither committed nor discarded, whose process is dead; oldest first."""
        ...

    def rebuild_json(self, number: int | None = None) -> tuple[Path, ...]:
        """Write the JSON file of one cycle, or of all, anew where it is missing or differs."""
        ...

    def cycle(self, number: int) -> CycleWrite | None:
        """Everything that one cycle wrote. Not bounded: meant for export, not for a model."""
        ...

    def cycles(
        self, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None, before_cycle: int | None = None
    ) -> Page[CycleRecord]:
        """The finished cycles."""
        ...

    def recall_locus(
        self,
        symbols: Sequence[str] = (),
        paths: Sequence[str] = (),
        *,
        limit_rows: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[RecallRow]:
        """What is known about any of these places: hypotheses first, then signals, then symbol events."""
        ...

    def hypothesis(self, key: str, *, before_cycle: int | None = None) -> HypothesisState | None:
        """One hypothesis as it stands, or None when it was never made."""
        ...

    def words(self, keys: Sequence[str], *, before_cycle: int | None = None) -> Mapping[str, HumanWordRecord]:
        """For each of ``keys`` (at most ``MAX_PLACES``) that a human has a word on: the latest one."""
        ...

    def all_words(
        self, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None, before_cycle: int | None = None
    ) -> Page[HumanWordRecord]:
        """All that humans said, the latest first."""
        ...

    def findings(
        self, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None, before_cycle: int | None = None
    ) -> Page[Row[HypothesisState]]:
        """The hypotheses that stand at grade ``finding``, the latest touched first."""
        ...

    def signals_seen(self, keys: Sequence[str], *, before_cycle: int | None = None) -> Mapping[str, Sighting]:
        """For each of ``keys`` that was seen before: when, and in how many cycles."""
        ...

    def summary(self, *, before_cycle: int | None = None) -> MemorySummary:
        """The whole memory in a few numbers."""
        ...

    def timeline(
        self,
        *,
        limit_cycles: int = DEFAULT_LIMIT,
        limit_claims: int = DEFAULT_LIMIT,
        before_cycle: int | None = None,
    ) -> Timeline:
        """The latest cycles in numbers and the findings touched last, oldest first."""
        ...

    def test_history(
        self,
        test_id: str,
        *,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[TestRow]:
        """What one test did over time."""
        ...

    def symbol_history(
        self,
        symbol_id: str,
        *,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[SymbolRow]:
        """The births, moves (to and from it) and deaths of one symbol id."""
        ...

    def probes_of(
        self,
        key: str,
        *,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[ProbeRow]:
        """The ledger of one hypothesis, in the order in which it was probed, oldest first."""
        ...
