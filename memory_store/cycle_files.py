"""The JSON file of a cycle: ``cycles/<n>_<commit>.json``, for people, and to rebuild a memory from.

It holds everything that the cycle wrote, in a canonical form: derived again from the database it is the
same, byte for byte (files of earlier versions may order names in another way). It is written under another
name, synced, and renamed, so that it is whole or absent.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from pydantic import ValidationError

from repo_guardian.errors import MemoryCorruptError, SchemaTooNewError
from repo_guardian.memory_store.records import CycleWrite

FOLDER = "cycles"
FORMAT = 1
"""Raised when a reader of the older form could misunderstand the newer one."""

_NAME = re.compile(r"([0-9]{1,18})_([0-9a-f]+)\.json")


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


def tells(content: bytes, write: CycleWrite) -> bool:
    """Whether ``content`` says what the file of ``write`` says, in whatever order of names."""
    wanted = rendered(write)
    if content == wanted:
        return True
    try:
        return bool(json.loads(content) == json.loads(wanted))
    except (ValueError, RecursionError):
        return False


def named(path: Path) -> tuple[int, str]:
    """The number and the commit that the name of one of ``listed`` tells."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise ValueError(f"{path.name} is not the name of a cycle's file")
    return int(match[1]), match[2]


def parsed(path: Path) -> CycleWrite:
    """The content of a file.

    Raises:
        MemoryCorruptError: it is not whole, not valid, or of another cycle than its name says.
        SchemaTooNewError: a newer version of the program wrote it.
        OSError: it cannot be read.
    """
    try:
        document = json.loads(path.read_bytes())
        if not isinstance(document, dict) or not isinstance(document.get("format"), int):
            raise _damaged(path, "it does not say its format")
        if document.pop("format") > FORMAT:
            raise SchemaTooNewError(
                f"{path} was written by a newer version", hint="upgrade Repository Guardian"
            )
        # Strict, and from JSON: there tuples are lists and enumerations text.
        write = CycleWrite.model_validate_json(json.dumps(document))
    except ValidationError as error:
        raise _damaged(path, first_problem(error)) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if (write.cycle.number, write.cycle.commit) != named(path):
        raise _damaged(path, "it is of another cycle than its name says")
    return write


def first_problem(error: ValidationError) -> str:
    """The first thing that a validation found, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def _damaged(path: Path, why: str) -> MemoryCorruptError:
    return MemoryCorruptError(
        f"{FOLDER}/{path.name} is damaged: {why}",
        hint="write it anew from the database: guardian memory rebuild",
    )


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
