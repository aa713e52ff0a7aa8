"""The ``MemoryStore`` on SQLite: each method is one transaction around the functions of its siblings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Table, func, select

from repo_guardian.errors import GuardianError, MemoryStoreError
from repo_guardian.memory_store import cycle_files
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
from repo_guardian.memory_store.fields import identifier
from repo_guardian.memory_store.interface import DEFAULT_LIMIT
from repo_guardian.memory_store.records import (
    CycleIntent,
    CycleRecord,
    CycleWrite,
    HumanWordRecord,
    ProbeRecord,
    SymbolEvent,
    TestOutcomeRecord,
)
from repo_guardian.memory_store.sql import folding, tables, timelines, writing
from repo_guardian.memory_store.sql.connections import Database
from repo_guardian.memory_store.sql.history import whole_cycle
from repo_guardian.memory_store.sql.opening import open_database
from repo_guardian.memory_store.sql.paging import Window, before, bounded_keys, count, labelled_page
from repo_guardian.memory_store.sql.recall import Locus, recall
from repo_guardian.memory_store.sql.sections import R, record_of
from repo_guardian.memory_store.sql.words import latest_words, put_word, word_page
from repo_guardian.memory_store.timeline import Timeline
from repo_guardian.vocabulary import Grade

CYCLES = tables.table_of(tables.Cycles)
SIGNALS = tables.table_of(tables.Signals)
SYMBOLS = tables.table_of(tables.Symbols)
PROBES = tables.table_of(tables.Probes)
TEST_OUTCOMES = tables.table_of(tables.TestOutcomes)


class SqlMemoryStore:
    """The memory of one repository in one SQLite file; see ``MemoryStore`` for the methods.

    Holds no connection between calls, so it needs no closing and may cross threads and forks.
    """

    def __init__(self, directory: Path, database: Database) -> None:
        self.directory = directory
        self.read_only = database.read_only
        self._database = database

    @classmethod
    def open(cls, directory: Path, *, read_only: bool = False) -> SqlMemoryStore:
        """See ``memory_store.open_store``."""
        return cls(directory, open_database(directory, read_only=read_only))

    def begin(self, intent: CycleIntent) -> int:
        """See ``MemoryStore.begin``. First makes up for the JSON file that a kill may have cost."""
        with self._writing() as connection:
            newest = connection.execute(
                select(CYCLES.c.number, CYCLES.c.commit_id).order_by(CYCLES.c.number.desc()).limit(1)
            ).first()
            if newest is not None and not cycle_files.path_of(self.directory, *newest).is_file():
                self._restore_json(connection, newest.number)
            return writing.take_number(connection, intent)

    def commit(self, write: CycleWrite) -> CommitReceipt:
        """See ``MemoryStore.commit``."""
        valid = writing.checked(write)
        with self._writing() as connection:
            writing.put_cycle(connection, valid)
        path = cycle_files.path_of(self.directory, valid.cycle.number, valid.cycle.commit)
        try:
            with self._writing():  # only to keep other writers of the same file out
                cycle_files.write_file(path, valid)
        except GuardianError as error:
            return CommitReceipt(path, json_problem=error.message)
        return CommitReceipt(path)

    def discard(self, number: int, reason: str) -> None:
        """See ``MemoryStore.discard``."""
        with self._writing() as connection:
            writing.put_discard(connection, number, reason)

    def say(self, record: HumanWordRecord) -> None:
        """See ``MemoryStore.say``."""
        valid = writing.valid(HumanWordRecord, record)
        with self._writing() as connection:
            put_word(connection, valid)

    def words(self, keys: Sequence[str], *, before_cycle: int | None = None) -> Mapping[str, HumanWordRecord]:
        """See ``MemoryStore.words``."""
        with self._database.read() as connection:
            return latest_words(connection, keys, before_cycle)

    def all_words(
        self, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None, before_cycle: int | None = None
    ) -> Page[HumanWordRecord]:
        """See ``MemoryStore.all_words``."""
        with self._database.read() as connection:
            return word_page(connection, Window(limit, cursor, before_cycle))

    def interrupted(self) -> tuple[CycleIntent, ...]:
        """See ``MemoryStore.interrupted``."""
        with self._database.read() as connection:
            found = writing.unfinished(connection)
        return tuple(intent for intent in found if not intent.process.is_alive())

    def rebuild_json(self, number: int | None = None) -> tuple[Path, ...]:
        """See ``MemoryStore.rebuild_json``."""
        with self._writing() as connection:
            query = select(CYCLES.c.number).order_by(CYCLES.c.number)
            if number is not None:
                query = query.where(CYCLES.c.number == number)
            numbers = connection.execute(query).scalars().all()
            if number is not None and not numbers:
                raise MemoryStoreError(f"there is no cycle {number}", hint="list them: guardian memory show")
            rebuilt = [self._restore_json(connection, each) for each in numbers]
        return tuple(path for path in rebuilt if path is not None)

    def cycle(self, number: int) -> CycleWrite | None:
        """See ``MemoryStore.cycle``."""
        with self._database.read() as connection:
            return whole_cycle(connection, number)

    def cycles(
        self, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None, before_cycle: int | None = None
    ) -> Page[CycleRecord]:
        """See ``MemoryStore.cycles``."""
        window = Window(limit, cursor, before_cycle)
        after = window.position(1)
        query = select(CYCLES).where(*before(CYCLES.c.number, before_cycle))
        bounded = query if after is None else query.where(CYCLES.c.number < after[0])
        with self._database.read() as connection:
            total = count(connection, query)
            ordered = bounded.order_by(CYCLES.c.number.desc()).limit(limit + 1)
            found = [record_of(CycleRecord, row) for row in connection.execute(ordered).mappings()]
        last = found[limit - 1] if len(found) > limit else None
        return Page(tuple(found[:limit]), total, None if last is None else str(last.number))

    def recall_locus(
        self,
        symbols: Sequence[str] = (),
        paths: Sequence[str] = (),
        *,
        limit_rows: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[RecallRow]:
        """See ``MemoryStore.recall_locus``."""
        bounded_keys(symbols, "symbols")
        bounded_keys(paths, "paths")
        locus = Locus(tuple(map(identifier, symbols)), tuple(map(identifier, paths)))
        with self._database.read() as connection:
            return recall(connection, locus, Window(limit_rows, cursor, before_cycle))

    def hypothesis(self, key: str, *, before_cycle: int | None = None) -> HypothesisState | None:
        """See ``MemoryStore.hypothesis``."""
        hypotheses = tables.table_of(tables.Hypotheses)
        among = select(hypotheses.c.key).where(hypotheses.c.key == identifier(key))
        with self._database.read() as connection:
            row = connection.execute(folding.folded(before_cycle, among)).mappings().first()
            return None if row is None else folding.state_of(row)

    def findings(
        self, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None, before_cycle: int | None = None
    ) -> Page[Row[HypothesisState]]:
        """See ``MemoryStore.findings``."""
        with self._database.read() as connection:
            return folding.graded(connection, Grade.FINDING, Window(limit, cursor, before_cycle))

    def signals_seen(self, keys: Sequence[str], *, before_cycle: int | None = None) -> Mapping[str, Sighting]:
        """See ``MemoryStore.signals_seen``."""
        bounded_keys(keys, "signal keys")
        asked = {identifier(key): key for key in keys}
        query = (
            select(SIGNALS.c.key, func.min(SIGNALS.c.cycle), func.max(SIGNALS.c.cycle), func.count())
            .where(SIGNALS.c.key.in_(asked), *before(SIGNALS.c.cycle, before_cycle))
            .group_by(SIGNALS.c.key)
            .order_by(SIGNALS.c.key)
        )
        with self._database.read() as connection:
            found = connection.execute(query).all()
        return {asked[key]: Sighting(asked[key], first, last, cycles) for key, first, last, cycles in found}

    def summary(self, *, before_cycle: int | None = None) -> MemorySummary:
        """See ``MemoryStore.summary``."""
        query = select(CYCLES).where(*before(CYCLES.c.number, before_cycle))
        with self._database.read() as connection:
            last = connection.execute(query.order_by(CYCLES.c.number.desc()).limit(1)).mappings().first()
            grades = folding.by_grade(connection, before_cycle)
            return MemorySummary(
                cycles=count(connection, query),
                last_cycle=None if last is None else record_of(CycleRecord, last),
                hypotheses=sum(grades.values()),
                by_grade=grades,
                signals=_rows_before(connection, SIGNALS, before_cycle),
                probes=_rows_before(connection, PROBES, before_cycle),
            )

    def timeline(
        self,
        *,
        limit_cycles: int = DEFAULT_LIMIT,
        limit_claims: int = DEFAULT_LIMIT,
        before_cycle: int | None = None,
    ) -> Timeline:
        """See ``MemoryStore.timeline``."""
        cycles, claims = Window(limit_cycles).limit, Window(limit_claims).limit
        with self._database.read() as connection:
            return timelines.timeline(
                connection, limit_cycles=cycles, limit_claims=claims, before_cycle=before_cycle
            )

    def test_history(
        self,
        test_id: str,
        *,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[TestRow]:
        """See ``MemoryStore.test_history``."""
        where = TEST_OUTCOMES.c.test_id == identifier(test_id)
        return self._page(TEST_OUTCOMES, TestOutcomeRecord, where, Window(limit, cursor, before_cycle))

    def symbol_history(
        self,
        symbol_id: str,
        *,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[SymbolRow]:
        """See ``MemoryStore.symbol_history``."""
        name = identifier(symbol_id)
        where = (SYMBOLS.c.symbol == name) | (SYMBOLS.c.moved_from == name)
        return self._page(SYMBOLS, SymbolEvent, where, Window(limit, cursor, before_cycle))

    def probes_of(
        self,
        key: str,
        *,
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
        before_cycle: int | None = None,
    ) -> Page[ProbeRow]:
        """See ``MemoryStore.probes_of``."""
        where = PROBES.c.hypothesis == identifier(key)
        window = Window(limit, cursor, before_cycle)
        return self._page(PROBES, ProbeRecord, where, window, oldest_first=True)

    def _page(
        self,
        table: Table,
        record: type[R],
        where: ColumnElement[bool],
        window: Window,
        *,
        oldest_first: bool = False,
    ) -> Page[Row[R]]:
        with self._database.read() as connection:
            return labelled_page(connection, table, record, [where], window, oldest_first=oldest_first)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self.read_only:
            raise MemoryStoreError(
                f"the memory at {self._database.path} was opened read-only", hint="open it for writing"
            )
        with self._database.write() as connection:
            yield connection

    def _restore_json(self, connection: Connection, number: int) -> Path | None:
        """Write the JSON file of a cycle unless it is there and right; the path if it was written."""
        write = whole_cycle(connection, number)
        if write is None:
            return None
        path = cycle_files.path_of(self.directory, number, write.cycle.commit)
        if path.is_file() and path.read_bytes() == cycle_files.rendered(write):
            return None
        cycle_files.write_file(path, write)
        return path


def _rows_before(connection: Connection, table: Table, before_cycle: int | None) -> int:
    return count(connection, select(table.c.cycle).where(*before(table.c.cycle, before_cycle)))
