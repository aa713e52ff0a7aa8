"""Open a memory to look at it, writing nothing: an older one is read through a migrated copy."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import MemoryStoreError
from repo_guardian.memory_store import INDEX_NAME
from repo_guardian.memory_store.sql.connections import Database
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.migrations import migrate, pending
from repo_guardian.memory_store.sql.opening import existing


@dataclass(frozen=True, slots=True)
class Reading:
    """A database at the current schema; ``older`` when it is a migrated copy of the memory's own."""

    database: Database
    older: bool


@contextmanager
def readable(directory: Path) -> Iterator[Reading]:
    """The memory in ``directory``, to be read for as long as the block runs.

    Raises:
        MemoryStoreError: there is no memory yet.
        MemoryCorruptError, SchemaTooNewError, StateDirError: see ``memory_store.open_store``.
    """
    database = there(directory)
    with database.read() as connection:
        steps = pending(connection)
    if not steps:
        yield Reading(database, older=False)
        return
    with translated(directory), tempfile.TemporaryDirectory(prefix="guardian-memory-") as scratch:
        copy = Database(Path(scratch) / INDEX_NAME)
        Database(database.path).copy_to(copy.path)
        with copy.write() as connection:
            migrate(connection)
        yield Reading(copy, older=True)


def there(directory: Path) -> Database:
    """The database of the memory in ``directory``, of whatever version this program knows.

    Raises:
        MemoryStoreError: there is no memory yet.
        MemoryCorruptError, SchemaTooNewError, StateDirError: see ``memory_store.open_store``.
    """
    database = existing(directory, read_only=True)
    if database is None:
        raise no_memory(directory)
    return database


def no_memory(directory: Path) -> MemoryStoreError:
    """The error for a directory that holds no memory."""
    return MemoryStoreError(
        f"there is no memory yet in {directory}", hint="run a cycle first: guardian cycle PATH"
    )
