"""A copy of a memory as one file, by ``VACUUM INTO``: a live file copied byte by byte can be torn.

To restore one, it takes the place of ``index.sqlite``; the JSON files that lie beside it then bring the
cycles that are newer than the copy (``rebuilding.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from repo_guardian.errors import UsageError
from repo_guardian.memory_store import cycle_files
from repo_guardian.memory_store.sql.connections import Database
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.opening import verify
from repo_guardian.memory_store.upkeep.answers import Copied
from repo_guardian.memory_store.upkeep.reading import there


def backup(directory: Path, target: Path) -> Copied:
    """Copy the database of the memory in ``directory`` to ``target``, whole and verified, or not at all.

    Cycles may run meanwhile: the copy is the state at one moment. Graph snapshots and JSON files are not in
    it; they are files that are never changed, and may be copied as they are.

    Raises:
        UsageError: something lies at ``target`` already.
        MemoryCorruptError: the memory is damaged; there is no copy then.
        MemoryStoreError, SchemaTooNewError, StateDirError, DiskFullError
    """
    source = Database(there(directory).path)
    with new_file(target) as partial:
        source.copy_to(partial)
        with Database(partial, read_only=True).read() as connection:
            verify(connection, source.path)
            counts = _rows(connection, "cycles"), _rows(connection, "human_words")
        cycle_files.sync(partial)
    return Copied(target, *counts)


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """Yield a name beside ``target`` to write to; it takes the name when the block ends, else it is removed.

    Raises:
        UsageError: something lies at ``target`` already.
        StateDirError, DiskFullError: it cannot be written.
    """
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} is there already", hint="name a file that is not; nothing is replaced")
    partial = target.with_name(f".{target.name}.partial-{os.getpid()}")
    with translated(target):
        try:
            yield partial
            partial.replace(target)
            cycle_files.sync(target.parent)
        finally:
            partial.unlink(missing_ok=True)


def _rows(connection: Connection, table: str) -> int:
    """How many rows a table has; none where an older memory does not have it."""
    there_is = connection.exec_driver_sql(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
    ).first()
    if there_is is None:
        return 0
    return int(connection.exec_driver_sql(f'SELECT count(*) FROM "{table}"').scalar_one())  # noqa: S608  ours
