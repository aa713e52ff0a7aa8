"""Reads and writes one file inside the sandbox, as the unprivileged user.

``files.py write PATH`` stores standard input; ``files.py read PATH LIMIT`` prints a regular file. The path
is resolved by the sandbox's own kernel view, so a link planted by strangers leads at most to another
place of theirs; the last component is never followed, and a FIFO or device is never waited for.
Runs on Python 3.8 and later.
"""

# pathlib would cost more than everything else that starts here.
# ruff: noqa: PTH103, PTH120
from __future__ import annotations

import os
import stat
import sys


class Refused(Exception):
    """The request cannot be served; the text is shown to the caller."""


def _open_regular(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise Refused("it is not a regular file")
    return descriptor


def write(path: str) -> None:
    """Create or replace the content of ``path``, keeping the mode of an existing file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = _open_regular(path, os.O_WRONLY | os.O_CREAT)
    os.ftruncate(descriptor, 0)
    with os.fdopen(descriptor, "wb") as stream:
        while chunk := sys.stdin.buffer.read(1 << 20):
            stream.write(chunk)


def read(path: str, limit: int) -> None:
    """Print ``path`` when it is a regular file of at most ``limit`` bytes."""
    descriptor = _open_regular(path, os.O_RDONLY)
    with os.fdopen(descriptor, "rb") as stream:
        size = os.fstat(descriptor).st_size
        if size > limit:
            raise Refused(f"it has {size} bytes, the limit is {limit}")
        sys.stdout.buffer.write(stream.read(limit))
        sys.stdout.buffer.flush()


def main(arguments: list[str]) -> int:
    """Serve one request; exit code 1 and one line on standard error when it is refused."""
    try:
        if arguments[0] == "write":
            write(arguments[1])
        else:
            read(arguments[1], int(arguments[2]))
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        return 1
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
