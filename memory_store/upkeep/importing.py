"""An archive becomes a memory, where there is none yet: the same rows under the same numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from repo_guardian.errors import MemoryCorruptError, MemoryStoreError
from repo_guardian.memory_store import INDEX_NAME, open_store
from repo_guardian.memory_store.records import CycleWrite
from repo_guardian.memory_store.sql import history, writing
from repo_guardian.memory_store.sql.connections import Database
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.history import Begun, Said
from repo_guardian.memory_store.sql.opening import create, existing, take_place, verify
from repo_guardian.memory_store.upkeep.answers import Copied
from repo_guardian.memory_store.upkeep.archive import Item, items
from repo_guardian.memory_store.upkeep.reading import readable


def import_archive(directory: Path, archive: Path) -> Copied:
    """Make the memory in ``directory`` out of ``archive``, whole or not at all, then the JSON of each cycle.

    The caller keeps cycles out (``memory_store.lock``).

    Raises:
        MemoryStoreError: there is a memory already, whose cycles an import would have to mix with its own;
            or the archive holds the same cycle, hypothesis or word twice.
        MemoryCorruptError, SchemaTooNewError: the archive is damaged, or of a newer version.
        StateDirError, DiskFullError
    """
    _refuse_known(directory)
    counts = {"cycles": 0, "words": 0}
    with new_database(directory, "importing") as connection:
        for item in items(archive):
            put_item(connection, item)
            counts["cycles"] += isinstance(item, CycleWrite)
            counts["words"] += isinstance(item, Said)
    open_store(directory).rebuild_json()
    return Copied(directory / INDEX_NAME, counts["cycles"], counts["words"])


@contextmanager
def new_database(directory: Path, mark: str) -> Iterator[Connection]:
    """Yield a new, empty database, to be filled; it becomes the memory's when the block ends and it is whole.

    Args:
        mark: what the file is called meanwhile; one that a killed run left behind is removed.
    """
    path = directory / f"{INDEX_NAME}.{mark}-{os.getpid()}"
    with translated(path):
        directory.mkdir(parents=True, exist_ok=True)
        for stale in directory.glob(f"{INDEX_NAME}.{mark}-*"):
            stale.unlink(missing_ok=True)
    try:
        with Database(path).creating() as connection:
            create(connection)
            # Nobody reads this file yet, so what does not fit into memory may go to it.
            connection.exec_driver_sql("PRAGMA cache_spill = ON")
            yield connection
        with Database(path, read_only=True).read() as connection:
            verify(connection, path)
        take_place(path, directory / INDEX_NAME)
    finally:
        path.unlink(missing_ok=True)


def put_item(connection: Connection, item: Item) -> None:
    """Insert one item of a history under the numbers that it has.

    Raises:
        MemoryStoreError: it is there already, or of a cycle that was never begun.
    """
    if isinstance(item, CycleWrite):
        writing.put_cycle(connection, item)
    elif isinstance(item, Begun):
        if history.begun(connection, item.number) is not None:
            raise _twice(f"cycle {item.number}")
        history.put_begun(connection, item)
    else:
        if history.said(connection, item.number) is not None:
            raise _twice(f"word {item.number}")
        history.put_said(connection, item)


def _twice(what: str) -> MemoryStoreError:
    return MemoryStoreError(f"{what} occurs twice", hint="nothing was written; export the memory anew")


def _refuse_known(directory: Path) -> None:
    try:
        database = existing(directory, read_only=True)
    except MemoryCorruptError as error:
        raise MemoryCorruptError(
            f"nothing was imported: {error.message}",
            hint=f"move it aside to import an archive, or {error.hint}",
        ) from error
    if database is None:
        return
    with readable(directory) as reading, reading.database.read() as connection:
        cycles, words = len(history.begun_numbers(connection)), len(history.said_numbers(connection))
    if cycles or words:
        raise MemoryStoreError(
            f"the memory in {directory} holds {cycles} cycles and {words} words of humans already",
            hint="import into an empty one: set GUARDIAN_HOME to another directory, or move memory/ aside",
        )
