"""Reads an advisory database: a folder or a zip archive of records in the OSV format, YAML or JSON.

Every record is read, also those of packages that nobody asked for: only then are the counts true, and only
then is it known which files could not be read. Scalars of YAML stay text: as numbers, ``1.10`` would be 1.1.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from packaging.utils import canonicalize_name

from .osv import packages_of

MOST_BYTES = 4 * 1024**2
"""The largest record that is read."""

MOST_RECORDS = 500_000
_SUFFIXES = (".yaml", ".yml", ".json")
_MARKS = ("id", "affected", "schema_version")
"""A mapping with none of these keys is some other file, not an advisory."""


@dataclass
class Unreadable:
    """A file that may be an advisory: where it is, why it is not read, and what it is about.

    ``package`` is the folder's name; ``words`` are the bytes, to look a name up in, None when unknown.
    """

    path: str
    reason: str
    package: str = ""
    words: bytes | None = None

    def may_concern(self, name: str) -> bool:
        """False only when the file can be seen to be about another package than ``name`` (canonical)."""
        if self.words is None or self.package == name:
            return True
        words = re.sub(rb"[-_.]+", b"-", self.words.lower())
        return re.search(rb"(?<![a-z0-9-])%b(?![a-z0-9-])" % re.escape(name.encode()), words) is not None


@dataclass
class Database:
    """All records for PyPI by canonical package name, and what is to be said of the rest."""

    records: dict[str, list[Mapping[str, object]]] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    advisories: int = 0
    withdrawn: int = 0
    elsewhere: int = 0
    modified: str = ""

    def add(self, record: Mapping[str, object]) -> None:
        """Take in one record: sorted by package, or counted as withdrawn or of another ecosystem."""
        names = dict.fromkeys(packages_of(record))
        if not names:
            self.elsewhere += 1
            return
        stamp = record.get("modified")
        if isinstance(stamp, str):
            # RFC 3339 in UTC, so the first 19 characters order by time. YAML allows a space for the T.
            self.modified = max(self.modified, stamp[:19].replace(" ", "T"))
        if withdrawn(record):
            self.withdrawn += 1
            return
        self.advisories += 1
        for name in names:
            self.records.setdefault(name, []).append(record)


def withdrawn(record: Mapping[str, object]) -> bool:
    """True for a record whose publisher took it back."""
    return record.get("withdrawn") not in (None, "", "null", "~")


def read_database(root: Path) -> Database:
    """Read what lies below ``root``: the one zip archive in it, else its ``vulns`` folder, else all of it.

    Raises:
        OSError: ``root`` cannot be listed.
    """
    database = Database()
    archives = sorted(root.glob("*.zip"))
    source = _of_archive(archives[0]) if archives else _of_folder(_records_folder(root))
    for number, (path, content, reason) in enumerate(source):
        if number >= MOST_RECORDS:
            database.unreadable.append(Unreadable(path, f"is one of more than {MOST_RECORDS} files"))
            break
        _take(database, path, content, reason)
    return database


def _records_folder(root: Path) -> Path:
    return root / "vulns" if (root / "vulns").is_dir() else root


def _take(database: Database, path: str, content: bytes | None, reason: str) -> None:
    if content is None:
        database.unreadable.append(Unreadable(path, reason))
        return
    try:
        record = parse_record(path, content)
    except ValueError as error:
        folder = Path(path).parent.name
        package = str(canonicalize_name(folder)) if folder else ""
        database.unreadable.append(Unreadable(path, str(error), package, content))
        return
    if record is not None:
        database.add(record)


def parse_record(path: str, content: bytes) -> Mapping[str, object] | None:
    """One record; None where the file is something else.

    Raises:
        ValueError: it cannot be read, is of a later major version of the schema, or is cut.
    """
    record = _loaded(path, content)
    if not isinstance(record, dict):
        raise ValueError("holds no record")  # noqa: TRY004 - of a stranger's file, not of a caller
    if not any(mark in record for mark in _MARKS):
        return None
    if not isinstance(record.get("id"), str) or not isinstance(record.get("affected"), list):
        # The schema asks for neither once a record is withdrawn; in force, it would say nothing.
        if withdrawn(record):
            return None
        raise ValueError("lacks an id, or says not what is affected")
    version = record.get("schema_version", "1.0.0")
    if not isinstance(version, str) or version.partition(".")[0] != "1":
        raise ValueError(f"is of schema {str(version)[:20]!a}")
    return record


def _loaded(path: str, content: bytes) -> object:
    try:
        return json.loads(content) if path.endswith(".json") else _yaml(content)
    except (ValueError, RecursionError, MemoryError) as error:
        name = str(error) if type(error) is ValueError else type(error).__name__
        raise ValueError(f"cannot be parsed: {name}") from None


def _yaml(content: bytes) -> object:
    """Mappings, lists and texts: the base loader makes nothing else, whatever tags a document carries."""
    import yaml

    try:
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(content)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise ValueError(type(error).__name__) from None


def _of_folder(root: Path) -> Iterator[tuple[str, bytes | None, str]]:
    failed: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=failed.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder) / name
            if name.endswith(_SUFFIXES) and not path.is_symlink():
                yield (_shown(path.relative_to(root)), *_read(path))
    for error in failed:
        if error.filename == str(root):
            raise error
        yield _shown(Path(str(error.filename)).relative_to(root)), None, f"cannot be listed: {error.strerror}"


def _read(path: Path) -> tuple[bytes | None, str]:
    try:
        size = path.stat().st_size
        return (path.read_bytes(), "") if size <= MOST_BYTES else (None, f"has {size} bytes")
    except OSError as error:
        return None, f"cannot be opened: {error.strerror}"


def _of_archive(path: Path) -> Iterator[tuple[str, bytes | None, str]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.filename.endswith(_SUFFIXES):
                continue
            if member.file_size > MOST_BYTES:
                yield member.filename, None, f"has {member.file_size} bytes"
                continue
            try:
                # Not ``read``: the size that an archive states may be a lie.
                with archive.open(member) as stream:
                    content = stream.read(MOST_BYTES + 1)
            except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
                yield member.filename, None, f"cannot be unpacked: {type(error).__name__}"
                continue
            cut = len(content) > MOST_BYTES
            yield (
                member.filename,
                None if cut else content,
                f"has more than {MOST_BYTES} bytes" if cut else "",
            )


def _shown(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")
