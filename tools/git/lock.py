"""One writer at a time: an advisory lock on a file, released by the system when its holders are gone."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repo_guardian.errors import StateLockedError

_POLL_S = 0.05


@contextmanager
def exclusive(path: Path, *, wait_s: float) -> Iterator[int]:
    """Hold the lock file ``path`` and yield its descriptor; the file itself is left in place.

    A child process that inherits the descriptor shares the lock, and keeps it when the parent is killed.

    Args:
        wait_s: how many seconds to wait for another holder.

    Raises:
        StateLockedError: it is still held after ``wait_s``.
        OSError: the file cannot be created.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while not _take(descriptor):
            if time.monotonic() >= deadline:
                raise StateLockedError(
                    f"{path.name} is held by another process", hint="wait until the other cycle has ended"
                )
            time.sleep(_POLL_S)
        yield descriptor
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
