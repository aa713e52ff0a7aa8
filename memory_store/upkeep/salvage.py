"""What a damaged database still gives up, read from a copy, row by row, trusting nothing.

SQLite refuses a file that is shorter than its header says, unless ``PRAGMA writable_schema`` is on (see
``lockBtree`` in its ``btree.c``); what lies on the pages that are left can then be read. Tables are walked
from both ends, so that a hole in the middle costs only what lay in it.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, NullPool, Table, create_engine, select
from sqlalchemy.exc import SQLAlchemyError

from repo_guardian.errors import GuardianError
from repo_guardian.memory_store import INDEX_NAME
from repo_guardian.memory_store.records import CycleWrite
from repo_guardian.memory_store.sql import history
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.history import Begun, Said
from repo_guardian.memory_store.sql.migrations import applied, migrate

_UNREADABLE = (GuardianError, SQLAlchemyError, sqlite3.Error, ValueError, TypeError, RecursionError)

T = TypeVar("T")


@dataclass(slots=True)
class Salvaged:
    """What could be read, by number; ``…_whole`` when no row of that table failed."""

    begun: dict[int, Begun] = field(default_factory=dict)
    cycles: dict[int, CycleWrite] = field(default_factory=dict)
    words: dict[int, Said] = field(default_factory=dict)
    cycle_numbers: set[int] = field(default_factory=set)
    begun_whole: bool = False
    words_whole: bool = False


def salvage(directory: Path, known: Iterable[int]) -> Salvaged:
    """Read what can be read of the damaged database in ``directory``; nothing when it is lost.

    Args:
        known: numbers of cycles that are known from elsewhere and need not be read.

    Raises:
        StateDirError, DiskFullError: it cannot be copied.
    """
    found = Salvaged()
    with _copy(directory) as connection:
        if connection is None:
            return found
        numbers, found.begun_whole = _numbers(connection, history.INTENTS)
        found.begun, whole = _each(connection, numbers, history.begun)
        found.begun_whole &= whole
        numbers, _ = _numbers(connection, history.CYCLES)
        found.cycle_numbers = set(numbers)
        found.cycles, _ = _each(connection, sorted(found.cycle_numbers - set(known)), history.whole_cycle)
        numbers, found.words_whole = _numbers(connection, history.WORDS)
        found.words, whole = _each(connection, numbers, history.said)
        found.words_whole &= whole
    return found


@contextmanager
def _copy(directory: Path) -> Iterator[Connection | None]:
    """A connection to a copy of the file and of the journal beside it; None when there is no file."""
    with translated(directory), tempfile.TemporaryDirectory(prefix="guardian-memory-") as scratch:
        for suffix in ("", "-journal"):
            source = directory / f"{INDEX_NAME}{suffix}"
            if source.is_file():
                shutil.copyfile(source, Path(scratch) / source.name)
        path = Path(scratch) / INDEX_NAME
        if not path.is_file() or not path.stat().st_size:
            yield None
            return

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(path, isolation_level=None)
            connection.execute("PRAGMA writable_schema = ON")
            return connection

        try:
            connection = create_engine("sqlite://", creator=connect, poolclass=NullPool).connect()
        except _UNREADABLE:
            yield None
            return
        with connection:
            _migrate(connection)
            yield connection


def _migrate(connection: Connection) -> None:
    """Bring a copy of an older memory up to date where that can be, so that its rows can be read at all."""
    with suppress(*_UNREADABLE):
        if applied(connection):  # else the ledger is lost, and tables that are lost, too, must not seem empty
            migrate(connection)


def _numbers(connection: Connection, table: Table) -> tuple[list[int], bool]:
    """The numbers in a table, ascending, and whether all were read."""
    found: set[int] = set()
    for order in (table.c.number, table.c.number.desc()):
        try:
            for number in connection.execute(select(table.c.number).order_by(order)).scalars():
                found.add(int(number))
        except _UNREADABLE:
            continue
        return sorted(found), True
    return sorted(found), False


def _each(
    connection: Connection, numbers: Iterable[int], read: Callable[[Connection, int], T | None]
) -> tuple[dict[int, T], bool]:
    """What ``read`` gives for each number that it can, and whether it could for all."""
    found: dict[int, T] = {}
    whole = True
    for number in numbers:
        try:
            item = read(connection, number)
        except _UNREADABLE:
            item = None
        if item is None:
            whole = False
        else:
            found[number] = item
    return found, whole
