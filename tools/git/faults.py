"""What a failure of git, or of a system call on our state, means for the user: the mapping to errors.

git reports everything as text on stderr. It runs with ``LC_ALL=C`` here, so the English words below are
its contract (the strings come from git's own sources and from ``strerror``).
"""

from __future__ import annotations

import errno
import re
import shlex
from pathlib import Path

from repo_guardian.errors import (
    DiskFullError,
    GitError,
    NotARepositoryError,
    RepositoryOwnershipError,
    StateDirError,
    TransportError,
)

_NO_SPACE = ("No space left on device", "Disk quota exceeded")
_NO_WRITE = ("Permission denied", "Read-only file system", "Operation not permitted")
_OWNERSHIP = re.compile(r"dubious ownership in repository at '(?P<path>.*)'", re.DOTALL)
_NO_REPOSITORY = ("not a git repository", "does not appear to be a git repository")
_PARTIAL_CLONE = ("promisor remote", "lazy fetching disabled")
_MISSING_OBJECTS = ("repository corruption on the remote side", "unable to read", "bad object")
_INTERESTING = re.compile(r"^(?:remote: )?(?:fatal|error|BUG): ?(?P<text>.+)$", re.MULTILINE)


def state_fault(error: OSError, path: Path) -> StateDirError:
    """The error for a system call that failed on the state directory.

    Args:
        error: what the system said.
        path: the file or directory that could not be used.
    """
    where = shown(path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(where)
    reason = error.strerror or type(error).__name__
    return StateDirError(
        f"cannot write {where}: {reason}",
        hint="make the state directory writable, or point GUARDIAN_HOME at one that is",
    )


def disk_full(where: str) -> DiskFullError:
    """The error for a full file system (or an exhausted quota) at ``where``."""
    return DiskFullError(
        f"no space left on the device of {where}",
        hint="free some space, or point GUARDIAN_HOME at a larger file system",
    )


def write_fault(stderr: str, git_dir: Path) -> GitError | StateDirError:
    """The error for a git command that failed on our own mirror at ``git_dir``."""
    if any(words in stderr for words in _NO_SPACE):
        return disk_full(shown(git_dir))
    if any(words in stderr for words in _NO_WRITE):
        return state_fault(PermissionError(errno.EACCES, "Permission denied"), git_dir)
    return GitError(f"git failed on the mirror: {first_line(stderr)}")


def read_fault(stderr: str, location: str) -> GitError | NotARepositoryError:
    """The error for a git command that could not read the watched repository at ``location``."""
    if match := _OWNERSHIP.search(stderr):
        command = f"git config --global --add safe.directory {shlex.quote(match['path'])}"
        return RepositoryOwnershipError(
            f"{location} belongs to another user, and git refuses to read it",
            hint=f"if you trust that user: {command!s}",
        )
    if any(words in stderr for words in _PARTIAL_CLONE):
        return GitError(
            f"{location} is a partial clone and misses objects of its history",
            hint="complete it: git fetch --refetch --no-filter (nothing is fetched on its behalf)",
        )
    if any(words in stderr for words in _MISSING_OBJECTS):
        return GitError(
            f"{location} misses objects of its history: it is damaged, or was copied incompletely",
            hint="git fsck there names them; fetch them from where the repository came from",
        )
    if any(words in stderr for words in _NO_REPOSITORY):
        return NotARepositoryError(
            f"{location} is not a git repository",
            hint="give the path or the address of one; `git init` makes a new one",
        )
    return TransportError(
        f"cannot read {location}: {first_line(stderr)}",
        hint="check the address, the network and your credentials: git ls-remote must work without a prompt",
    )


def first_line(stderr: str) -> str:
    """The line of git's stderr that says most, without its prefix, at most 300 characters, printable."""
    matches = [m["text"] for m in _INTERESTING.finditer(stderr)]
    lines = matches or [line for line in stderr.strip().split("\n") if line.strip()]
    text = lines[0].strip() if lines else "no reason given"
    return "".join(c if c.isprintable() else "?" for c in text)[:300]


def shown(path: Path | str) -> str:
    """A path as one printable line: undecodable bytes and control characters are escaped."""
    text = str(path)
    return text if text.isprintable() else repr(text)[1:-1]
