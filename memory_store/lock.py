"""One cycle at a time per state directory, held by the kernel for as long as its process lives.

The lock is flock(2) on a file that is never removed (removing it would let two processes hold two files of
the same name). The kernel lets go when the holder dies, however it dies; the process id in the file is
only for the message.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repo_guardian.errors import DiskFullError, StateDirError, StateLockedError

LOCK_NAME = "lock"


@contextmanager
def lock(home: Path) -> Iterator[None]:
    """Hold the state directory ``home`` (created if missing) for the length of the block.

    Also shuts out a second holder in the same process. Not inherited by programs that are started
    meanwhile.

    Raises:
        StateLockedError: another cycle holds it; the message names its process id.
        StateDirError, DiskFullError: the lock file cannot be made.
    """
    path = home / LOCK_NAME
    try:
        home.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        _acquire(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def holder(home: Path) -> int | None:
    """The process id that was last written into the lock file of ``home``, None when there is none."""
    try:
        text = (home / LOCK_NAME).read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    return int(text) if text.strip().isdecimal() else None


def _acquire(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except BlockingIOError as error:
        pid = holder(path.parent)
        who = f"process {pid}" if pid is not None else "another process"
        raise StateLockedError(
            f"another cycle of this repository is running ({who})",
            hint="wait until it ends, or stop that process",
        ) from error
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> StateDirError:
    reason = error.strerror or type(error).__name__
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"no room left to write {path}", hint="free some space there and run again")
    return StateDirError(
        f"cannot use {path}: {reason}",
        hint="check that the directory exists and is writable, or set GUARDIAN_HOME to another one",
    )
