"""Durable files of the state directory: atomic writes, and system errors as this program's errors."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from repo_guardian.errors import DiskFullError, StateDirError

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def state_errors(path: Path) -> Iterator[None]:
    """Turn an OSError below ``path`` into ``DiskFullError`` or ``StateDirError``."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno in _FULL:
            raise DiskFullError(
                f"the file system of the state directory is full: {path}",
                hint="free some space, or point GUARDIAN_HOME at another file system",
            ) from error
        raise StateDirError(
            f"the state directory cannot be used: {path}: {reason}",
            hint="make it readable and writable for this user, or point GUARDIAN_HOME at another directory",
        ) from error


@contextmanager
def locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder: alone, or ``shared`` with others that share it. It ends with the process.

    Raises:
        StateDirError: the folder is not there or cannot be opened.
    """
    with state_errors(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees the old file or the new one, never a part.

    Raises:
        DiskFullError, StateDirError: nothing is left behind.
    """
    with state_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
