"""Churn from one commit to the next: what a commit did never changes, so only new commits are looked at.

Each commit's changes are kept in one file of the state directory, as many as a few windows hold. It is a
cache: one that cannot be read, or that was made while the history was cut off elsewhere, is made anew.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.faults import state_fault
from repo_guardian.tools.git.history import (
    DEFAULT_MAX_COMMITS,
    CommitChanges,
    FileChurn,
    last_commits,
    read_changes,
    tally,
)

_FORMAT = "2"
_WINDOWS_KEPT = 4
_BY_NAME_MAX = 200
"""Commits that are asked for one by one; beyond that the whole window is read."""


class _Stored(msgspec.Struct, array_like=True):
    version: str
    commits: dict[str, CommitChanges]


_DECODER = msgspec.msgpack.Decoder(_Stored)


def kept_churn(
    git: Git, commit: str, store: Path, max_commits: int = DEFAULT_MAX_COMMITS
) -> dict[bytes, FileChurn]:
    """What ``history.churn`` gives, with ``store`` remembering the commits that were seen before.

    Args:
        store: the file; its folder is made when it is missing.

    Raises:
        GitError: no such commit, or git failed.
        StateDirError, DiskFullError: the file cannot be written.
    """
    return tally(kept_changes(git, commit, store, max_commits))


def kept_changes(
    git: Git, commit: str, store: Path, max_commits: int = DEFAULT_MAX_COMMITS
) -> list[CommitChanges]:
    """What each of the last ``max_commits`` commits up to ``commit`` did, the latest first.

    Args:
        store: see ``kept_churn``.

    Raises:
        GitError, StateDirError, DiskFullError: see ``kept_churn``.
    """
    version = _version(git)
    known = _read(store, version)
    window = last_commits(git, commit, max_commits)
    missing = [name for name in window if name not in known]
    if missing:
        selection: tuple[str, ...]
        if len(missing) > _BY_NAME_MAX:
            selection = (f"--max-count={max_commits}", "--end-of-options", commit, "--")
        else:
            selection = ("--no-walk=unsorted", "--end-of-options", *missing, "--")
        fresh = dict(read_changes(git, *selection))
        known = {**fresh, **known}
        _write(store, _Stored(version, _newest(known, window, _WINDOWS_KEPT * max_commits)))
    return [known[name] for name in window]


def _newest(known: dict[str, CommitChanges], window: list[str], count: int) -> dict[str, CommitChanges]:
    """The commits of the window, then those that were added last."""
    ordered = dict.fromkeys([*window, *known])
    return {name: known[name] for name in list(ordered)[: max(count, len(window))]}


def _version(git: Git) -> str:
    """Changes when the same commit may count for something else: where the history is cut off."""
    try:
        cut = (git.git_dir / "shallow").read_bytes()
    except OSError:
        cut = b""
    return f"{_FORMAT} {hashlib.sha256(cut).hexdigest()}"


def _read(store: Path, version: str) -> dict[str, CommitChanges]:
    try:
        stored = _DECODER.decode(store.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return stored.commits if stored.version == version else {}


def _write(store: Path, stored: _Stored) -> None:
    partial: Path | None = None
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{store.name}.", dir=store.parent)
        partial = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.msgpack.encode(stored))
        partial.replace(store)
        partial = None
    except OSError as error:
        raise state_fault(error, store) from error
    finally:
        if partial is not None:
            with suppress(OSError):
                partial.unlink()
