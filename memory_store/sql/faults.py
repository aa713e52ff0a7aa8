"""The database's errors, told apart by SQLite's result code and raised as ours with a way out."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from repo_guardian.errors import (
    DiskFullError,
    GuardianError,
    MemoryCorruptError,
    MemoryStoreError,
    StateDirError,
    StateLockedError,
)

_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

ROOM_HINT = "free some space there and run again; what was stored before is intact"
RESTORE_HINT = "rebuild it from the JSON files in cycles/ (guardian memory rebuild), or restore a backup"
WRITABLE_HINT = "check that the directory exists and is writable, or set GUARDIAN_HOME to another one"


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's and the operating system's errors on ``path`` into typed ones.

    Raises:
        DiskFullError, StateDirError, StateLockedError, MemoryCorruptError, MemoryStoreError
    """
    try:
        yield
    except DBAPIError as error:
        original = error.orig
        if not isinstance(original, sqlite3.Error):
            raise
        raise fault_of(original, path) from error
    except sqlite3.Error as error:
        raise fault_of(error, path) from error
    except OSError as error:
        raise os_fault_of(error, path) from error


def os_fault_of(error: OSError, path: Path) -> StateDirError:
    """The typed form of an operating system error on ``path``."""
    reason = error.strerror or type(error).__name__
    if error.errno in _FULL_ERRNOS:
        return DiskFullError(f"no room left to write {path}", hint=ROOM_HINT)
    return StateDirError(f"cannot use {path}: {reason}", hint=WRITABLE_HINT)


def fault_of(error: sqlite3.Error, path: Path) -> GuardianError:
    """The typed form of an SQLite error on the database at ``path``."""
    # Result codes: https://www.sqlite.org/rescode.html; the low byte is the primary one.
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code == sqlite3.SQLITE_READONLY_ROLLBACK:
        return StateDirError(
            f"{path} was left in the middle of a write and cannot be recovered read-only",
            hint="make the directory writable for one run; the write is then rolled back",
        )
    build = _BY_PRIMARY_CODE.get(code & 0xFF, _unexpected)
    return build(path, str(error))


def _full(path: Path, reason: str) -> GuardianError:
    return DiskFullError(f"no room left to write {path}", hint=ROOM_HINT)


def _unusable(path: Path, reason: str) -> GuardianError:
    return StateDirError(f"cannot use {path}: {reason}", hint=WRITABLE_HINT)


def _damaged(path: Path, reason: str) -> GuardianError:
    return MemoryCorruptError(f"the memory at {path} is damaged: {reason}", hint=RESTORE_HINT)


def _busy(path: Path, reason: str) -> GuardianError:
    return StateLockedError(
        f"another process is writing {path}", hint="wait until it is done, then run again"
    )


def _refused(path: Path, reason: str) -> GuardianError:
    return MemoryStoreError(
        f"the memory refused a row: {reason}",
        hint="nothing was written; rows are only ever added, once, and may only name what is known",
    )


def _unexpected(path: Path, reason: str) -> GuardianError:
    if reason.startswith(("no such table", "no such column")):
        return _damaged(path, reason)
    return MemoryStoreError(f"the memory at {path} failed: {reason}", hint="run again; report it if it lasts")


_BY_PRIMARY_CODE = {
    sqlite3.SQLITE_FULL: _full,
    sqlite3.SQLITE_PERM: _unusable,
    sqlite3.SQLITE_READONLY: _unusable,
    sqlite3.SQLITE_IOERR: _unusable,
    sqlite3.SQLITE_CANTOPEN: _unusable,
    sqlite3.SQLITE_CORRUPT: _damaged,
    sqlite3.SQLITE_NOTADB: _damaged,
    sqlite3.SQLITE_BUSY: _busy,
    sqlite3.SQLITE_LOCKED: _busy,
    sqlite3.SQLITE_CONSTRAINT: _refused,
}
