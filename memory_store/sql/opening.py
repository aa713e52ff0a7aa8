"""Open a memory: create it, recognize it, refuse it, or bring an older one up to date.

An older file is never changed in place. While a write transaction keeps every other writer out, it is
copied with ``VACUUM INTO``, the copy is migrated, verified (integrity, foreign keys, no row fewer or
more) and synced, and then takes the file's name in one rename. A kill at any point leaves the old file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from repo_guardian.errors import MemoryCorruptError, MemoryStoreError, StateDirError
from repo_guardian.memory_store import INDEX_NAME, cycle_files
from repo_guardian.memory_store.sql.connections import APPLICATION_ID, Database
from repo_guardian.memory_store.sql.faults import RESTORE_HINT, translated
from repo_guardian.memory_store.sql.migrations import MIGRATIONS, Migration, applied, migrate, pending

_COPY_MARK = ".migrating-"


def open_database(
    directory: Path, *, read_only: bool, migrations: Sequence[Migration] = MIGRATIONS
) -> Database:
    """The database in ``directory``, at the schema of ``migrations``.

    Raises:
        MemoryStoreError, SchemaTooNewError, MemoryCorruptError, StateDirError, DiskFullError,
        StateLockedError: see ``memory_store.open_store``.
    """
    database = existing(directory, read_only=read_only)
    if database is None:
        if read_only:
            raise MemoryStoreError(
                f"there is no memory yet in {directory}", hint="run a cycle first: guardian cycle PATH"
            )
        database = Database(directory / INDEX_NAME)
        _create(database, migrations)
        return database
    with database.read() as connection:
        steps = pending(connection, migrations)
    if steps and read_only:
        raise MemoryStoreError(
            f"the memory at {database.path} is of an older version and has to be migrated first",
            hint="run a cycle once, or open it for writing: the old file is kept until the new one is whole",
        )
    if steps:
        _migrate_in_copy(database, migrations)
    return database


def existing(directory: Path, *, read_only: bool) -> Database | None:
    """The database in ``directory``, at whatever schema; None when there has been no memory yet.

    Raises:
        MemoryCorruptError: it is damaged, lost, or not a memory.
        StateDirError, StateLockedError: see ``memory_store.open_store``.
    """
    _refuse_unspeakable(directory)
    database = Database(directory / INDEX_NAME, read_only=read_only)
    if not database.exists():
        _refuse_lost(directory)
        return None
    with database.read() as connection:
        _recognize(connection, database.path)
    return database


def verify(connection: Connection, path: Path) -> None:
    """Check every page, index and foreign key.

    Raises:
        MemoryCorruptError: one does not hold; the message names the first.
    """
    problems = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
    if problems != ["ok"]:
        raise MemoryCorruptError(f"the memory at {path} is damaged: {problems[0]}", hint=RESTORE_HINT)
    orphan = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if orphan is not None:
        raise MemoryCorruptError(
            f"the memory at {path} is damaged: a row of {orphan[0]} names a missing row of {orphan[2]}",
            hint=RESTORE_HINT,
        )


def _create(database: Database, migrations: Sequence[Migration]) -> None:
    with translated(database.path):
        database.path.parent.mkdir(parents=True, exist_ok=True)
    with database.creating() as connection:
        if not applied(connection):  # else another process was first
            create(connection, migrations)


def create(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Make a memory of an empty database, in the caller's transaction."""
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    migrate(connection, migrations)


def _recognize(connection: Connection, path: Path) -> None:
    found = connection.exec_driver_sql("PRAGMA application_id").scalar()
    if found != APPLICATION_ID or not applied(connection):
        raise MemoryCorruptError(
            f"{path} is a database, but not a memory of Repository Guardian", hint=RESTORE_HINT
        )


def _refuse_lost(directory: Path) -> None:
    """A memory without its file is lost, not new: starting over would reuse the numbers of its cycles."""
    with translated(directory):
        written = cycle_files.listed(directory)
    if written:
        raise MemoryCorruptError(
            f"{directory / INDEX_NAME} is missing or empty, but beside it lie {len(written)} recorded cycles",
            hint="rebuild it from them (guardian memory rebuild), or restore a backup",
        )


def _refuse_unspeakable(directory: Path) -> None:
    try:
        str(directory).encode()
    except UnicodeEncodeError:
        raise StateDirError(
            f"the state directory's name is not UTF-8: {os.fsencode(directory)!r}",
            hint="set GUARDIAN_HOME to a directory whose name is",
        ) from None


def _migrate_in_copy(database: Database, migrations: Sequence[Migration]) -> None:
    copy = Database(database.path.with_name(f"{database.path.name}{_COPY_MARK}{os.getpid()}"))
    with database.write() as original:
        if not pending(original, migrations):
            return  # another process was first
        before = _row_counts(original)
        _remove_copies(database.path)
        try:
            database.copy_to(copy.path)
            with copy.write() as connection:
                migrate(connection, migrations)
            with copy.read() as connection:
                verify(connection, copy.path)
                after = _row_counts(connection)
            _refuse_changed(database.path, before, after)
            take_place(copy.path, database.path)
        finally:
            copy.path.unlink(missing_ok=True)


def _refuse_changed(path: Path, before: dict[str, int], after: dict[str, int]) -> None:
    changed = sorted(name for name, count in before.items() if after.get(name) != count)
    if changed:
        raise MemoryStoreError(
            f"migrating {path} would have changed the rows of {changed[0]}",
            hint="the old file was kept as it was; report this",
        )


def _row_counts(connection: Connection) -> dict[str, int]:
    names = connection.exec_driver_sql(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations' "
        "AND name NOT LIKE 'sqlite_%'"
    ).scalars()
    return {
        name: int(connection.exec_driver_sql(f'SELECT count(*) FROM "{name}"').scalar_one())  # noqa: S608
        for name in list(names)
    }


def _remove_copies(path: Path) -> None:
    """Remove what killed migrations left; the caller holds the write lock, so none is in use."""
    for stale in path.parent.glob(f"{path.name}{_COPY_MARK}*"):
        stale.unlink(missing_ok=True)


def take_place(copy: Path, path: Path) -> None:
    """Give a whole database the name ``path``, in one rename, on disk when this returns."""
    with translated(path):
        cycle_files.sync(copy)
        copy.replace(path)
        cycle_files.sync(path.parent)
