"""The JSON file of a cycle: ``cycles/<n>_<commit>.json``, for people, and to rebuild a memory from.

It holds everything that the cycle wrote, in a canonical form: derived again from the database it is the
same, byte for byte. It is written under another name, synced, and renamed, so that it is whole or absent.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from repo_guardian.memory_store.records import CycleWrite

FOLDER = "cycles"
FORMAT = 1
"""Raised when a reader of the older form could misunderstand the newer one."""

_NAME = re.compile(r"[0-9]+_[0-9a-f]+\.json")


def path_of(directory: Path, number: int, commit: str) -> Path:
    """Where the file of a cycle lies."""
    return directory / FOLDER / f"{number}_{commit}.json"


def listed(directory: Path) -> tuple[Path, ...]:
    """The files that are there, in no particular order; none when the folder is missing."""
    try:
        return tuple(path for path in (directory / FOLDER).iterdir() if _NAME.fullmatch(path.name))
    except FileNotFoundError:
        return ()


def rendered(write: CycleWrite) -> bytes:
    """The content of the file, UTF-8."""
    document = {"format": FORMAT, **write.model_dump(mode="json")}
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def write_file(path: Path, write: CycleWrite) -> None:
    """Write the file of a cycle, replacing it if it is there; the caller keeps other writers out.

    Raises:
        OSError: it could not be written; the former one, if any, is intact.
    """
    path.parent.mkdir(exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(rendered(write))
        sync(partial)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Ask the operating system to put a file, or the names in a directory, on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
