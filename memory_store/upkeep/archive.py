"""All of a memory as one file of JSON lines, and such a file read again.

Each line is one JSON object in UTF-8 whose ``kind`` says what it is, in this order:

- ``memory``: the first line. ``format`` (1) and the ``version`` of the program that wrote it.
- ``begun``: a cycle that was begun: its ``intent`` with the number, and its ``discard`` if it was given up.
- ``cycle``: what a finished cycle wrote, the same as its JSON file in ``cycles/``.
- ``word``: what a human said, its ``number`` and the last cycle that had begun by then (``after_cycle``).
- ``end``: the last line. How many ``lines`` precede it, and their ``sha256``: a file that was cut off or
  changed is recognized.

Cycles and words are in ascending order of their numbers. Graph snapshots are not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError
from sqlalchemy import Connection

from repo_guardian import __version__
from repo_guardian.errors import MemoryCorruptError, MemoryStoreError, SchemaTooNewError
from repo_guardian.memory_store.cycle_files import first_problem
from repo_guardian.memory_store.records import CycleWrite, Record
from repo_guardian.memory_store.sql import history
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.history import Begun, Said
from repo_guardian.memory_store.upkeep.answers import Copied
from repo_guardian.memory_store.upkeep.backing_up import new_file
from repo_guardian.memory_store.upkeep.reading import readable

FORMAT = 1
"""Raised when a reader of the older form could misunderstand the newer one."""

MAX_LINE_BYTES = 1 << 30
"""The longest line that is read: what a cycle writes is far below it, and memory is bounded by it."""

Item = Begun | CycleWrite | Said
_RECORDS: dict[str, type[Begun | CycleWrite | Said]] = {"begun": Begun, "cycle": CycleWrite, "word": Said}
_ORDER = tuple(_RECORDS)


def export(directory: Path, target: Path) -> Copied:
    """Write all of the memory in ``directory`` to ``target``, whole or not at all; cycles may run meanwhile.

    Raises:
        UsageError: something lies at ``target`` already.
        MemoryCorruptError: the memory is damaged; there is no archive then.
        MemoryStoreError, SchemaTooNewError, StateDirError, DiskFullError
    """
    with (
        new_file(target) as partial,
        readable(directory) as reading,
        partial.open("wb") as stream,
        reading.database.read() as connection,
    ):
        counts = _write(connection, stream)
        stream.flush()
        os.fsync(stream.fileno())
    return Copied(target, counts["cycle"], counts["word"])


def _write(connection: Connection, stream: BinaryIO) -> dict[str, int]:
    digest = hashlib.sha256()
    lines = 0
    counts = dict.fromkeys(_ORDER, 0)
    for kind, document in _documents(connection):
        line = _line({"kind": kind, **document})
        digest.update(line)
        stream.write(line)
        lines += 1
        if kind in counts:
            counts[kind] += 1
    stream.write(_line({"kind": "end", "lines": lines, "sha256": digest.hexdigest()}))
    return counts


def _documents(connection: Connection) -> Iterator[tuple[str, dict[str, object]]]:
    yield "memory", {"format": FORMAT, "version": __version__}
    for kind, numbers, read in (
        ("begun", history.begun_numbers(connection), history.begun),
        ("cycle", history.finished_numbers(connection), history.whole_cycle),
        ("word", history.said_numbers(connection), history.said),
    ):
        for number in numbers:
            yield kind, _document(kind, number, read(connection, number))


def _document(kind: str, number: int, record: Record | None) -> dict[str, object]:
    if record is None:
        raise MemoryCorruptError(
            f"the memory is damaged: {kind} {number} cannot be read", hint="guardian memory check says more"
        )
    return record.model_dump(mode="json")


def _line(document: dict[str, object]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n").encode()


def items(path: Path) -> Iterator[Item]:
    """What the archive at ``path`` holds, in its order; only when all was yielded is it known to be whole.

    Raises:
        MemoryCorruptError: it is no archive, or was cut off or changed; the message names the line.
        SchemaTooNewError: a newer version wrote it.
        StateDirError: it cannot be read.
    """
    digest = hashlib.sha256()
    with translated(path), path.open("rb") as stream:
        kind = ""
        for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES), b""), 1):
            document = _object(path, number, line)
            kind = str(document.pop("kind", ""))
            if number == 1:
                _recognize(path, kind, document)
            elif kind == "end":
                if document != {"lines": number - 1, "sha256": digest.hexdigest()} or stream.read(1):
                    raise _changed(path, "it is not as it was written")
            elif kind in _RECORDS:
                yield _record(path, number, kind, document)
            else:
                raise _changed(path, f"line {number} is of no known kind")
            digest.update(line)
        if kind != "end":
            raise _changed(path, "it was cut off")


def _object(path: Path, number: int, line: bytes) -> dict[str, object]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        reason = "it is no archive" if number == 1 else f"line {number} is no JSON object"
        raise _changed(path, reason)
    return document


def _recognize(path: Path, kind: str, document: dict[str, object]) -> None:
    written = document.get("format")
    if kind != "memory" or not isinstance(written, int):
        raise _changed(path, "it is no archive of a memory")
    if written > FORMAT:
        raise SchemaTooNewError(
            f"{path} was written by a newer version of Repository Guardian (format {written})",
            hint=f"upgrade Repository Guardian (this is {__version__})",
        )


def _record(path: Path, number: int, kind: str, document: dict[str, object]) -> Item:
    try:
        # Strict, and from JSON: there tuples are lists and enumerations text.
        return _RECORDS[kind].model_validate_json(json.dumps(document))
    except ValidationError as error:
        raise _changed(path, f"line {number} is not valid: {first_problem(error)}") from error


def _changed(path: Path, why: str) -> MemoryStoreError:
    return MemoryCorruptError(
        f"{path} cannot be imported: {why}", hint="export it anew, or use another copy; nothing was imported"
    )
