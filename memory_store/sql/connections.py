"""Connections and transactions on one SQLite file.

Settings, and why:

- The rollback journal, not a write-ahead log. A memory is written once per cycle, and between writes it is
  then exactly one file: copying it loses nothing, and a read-only directory can be read. SQLite follows a
  ``-wal`` file that it finds beside *any* database, so a stray one, which can only be foreign here, is
  refused instead of read.
- ``BEGIN IMMEDIATE`` for every write: a deferred transaction that reads first fails at once when it turns
  out to write, busy timeout or not.
- ``cache_spill`` off: a growing transaction stays in memory until it commits, so that readers keep reading
  the state before it and are shut out only for the commit itself.
- ``synchronous`` EXTRA: the removal of the journal is on disk before a commit returns.
- One connection per transaction, none kept: nothing is shared between threads or across a fork, and a file
  that was replaced (by a migration) is never written through an old handle.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event

from repo_guardian.errors import MemoryCorruptError, StateLockedError
from repo_guardian.memory_store.sql.faults import translated

BUSY_TIMEOUT_S = 30.0
APPLICATION_ID = 0x47524D53
"""``GRMS`` in the header of every memory, so that another program's database is never taken for one."""

_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA synchronous = EXTRA",
    "PRAGMA cache_spill = OFF",
    "PRAGMA trusted_schema = OFF",
)
_REPLACED_RETRIES = 3
_BEGIN_OPTION = "guardian_begin"


class Database:
    """One SQLite file, opened anew for each transaction.

    Args:
        path: the file.
        read_only: refuse every write. Recovery of an interrupted write still happens where the
            directory allows it, because nothing could be read otherwise.
        busy_timeout_s: how long to wait for another process's transaction.
    """

    def __init__(
        self, path: Path, *, read_only: bool = False, busy_timeout_s: float = BUSY_TIMEOUT_S
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_timeout_s = busy_timeout_s
        self._engine = self._build_engine("rw")

    def exists(self) -> bool:
        """Whether the file is there and has any content."""
        with translated(self.path):
            try:
                return self.path.stat().st_size > 0
            except FileNotFoundError:
                return False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent view of the file for as long as the block runs."""
        with self._transaction(self._engine, "BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction: committed when the block ends, rolled back when it raises.

        Raises:
            StateLockedError: another process wrote for longer than the busy timeout.
        """
        for _ in range(_REPLACED_RETRIES):
            before = self._identity()
            with self._transaction(self._engine, "BEGIN IMMEDIATE") as connection:
                if self._identity() != before:
                    continue  # a migration swapped the file while this transaction waited for it
                yield connection
                return
        raise StateLockedError(f"{self.path} is being replaced", hint="wait a moment, then run again")

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        """Like ``write``, and creates the file when it is missing."""
        with self._transaction(self._build_engine("rwc"), "BEGIN IMMEDIATE") as connection:
            yield connection

    def copy_to(self, target: Path) -> None:
        """Copy the file to ``target``, which must not exist, by ``VACUUM INTO``: never byte by byte."""
        with translated(self.path), self._engine.connect() as connection:
            raw: Any = connection.connection.dbapi_connection
            raw.execute("VACUUM INTO ?", (str(target),))

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    @contextmanager
    def _transaction(self, engine: Engine, begin: str) -> Iterator[Connection]:
        with translated(self.path):
            self.refuse_foreign_log()
            with engine.connect() as plain:
                connection = plain.execution_options(**{_BEGIN_OPTION: begin})
                with connection.begin():
                    yield connection

    def refuse_foreign_log(self) -> None:
        """Refuse a write-ahead log beside the file; see the module docstring.

        Raises:
            MemoryCorruptError: there is one.
        """
        log = self.path.with_name(self.path.name + "-wal")
        if log.exists():
            raise MemoryCorruptError(
                f"{log} does not belong to this memory, and would silently change what it says",
                hint="move that file away; the memory never makes one",
            )

    def _build_engine(self, mode: str) -> Engine:
        uri = f"file:{quote(str(self.path.absolute()))}?mode={mode}"

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(uri, uri=True, timeout=self._busy_timeout_s, isolation_level=None)
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            if self.read_only:
                connection.execute("PRAGMA query_only = ON")
            return connection

        engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
        event.listen(engine, "begin", _begin)
        return engine


def _begin(connection: Connection) -> None:
    """Begin as the opener asked: sqlite3 itself would begin late, and only ever deferred."""
    connection.exec_driver_sql(connection.get_execution_options()[_BEGIN_OPTION])
