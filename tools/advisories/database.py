"""Opens the advisory database that the user names: a clone, a folder, or a zip archive; all are only read.

Of a clone the *commit* that it has checked out is scanned, through a mirror of ours: the clone's own
configuration runs nothing, and what is reported as the commit is exactly what was read. A folder and an
archive are copied, so that the sandbox's unprivileged user can read them and nothing changes meanwhile.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from repo_guardian.errors import StateDirError, UsageError
from repo_guardian.tools.git.materialize import materialize, remove_checkout
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.reader import ObjectReader
from repo_guardian.tools.git.source import locate

HINT = "give a clone of the PyPA advisory database, a folder of OSV records, or OSV's all.zip of PyPI"
_SUFFIXES = (".yaml", ".yml", ".json")
_MOST_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """A database that lies ready for a sandbox.

    Attributes:
        folder: records, or one zip archive; readable for everyone.
        location: the path as given.
        kind: clone, folder or archive.
        commit, date: of a clone: what was scanned, and when it was committed.
    """

    folder: Path
    location: str
    kind: str
    commit: str = ""
    date: datetime | None = None


@contextmanager
def open_database(path: Path, home: Path) -> Iterator[OpenDatabase]:
    """Make the database at ``path`` ready for the time of the block; blocks on the disk.

    Args:
        path: what the user named.
        home: the state directory; the mirror of a clone is kept there.

    Raises:
        UsageError: there is nothing, or nothing that can be a database.
        EnvironmentFault: git or the disk refused.
    """
    _check(path)
    with _scratch() as scratch:
        folder = scratch / "database"
        if path.is_file():
            folder.mkdir(mode=0o755)
            _copy(path, folder / "database.zip")
            yield OpenDatabase(folder, str(path), "archive")
        elif _is_clone(path):
            yield _of_clone(path, home, folder)
        else:
            _copy_records(path, folder)
            yield OpenDatabase(folder, str(path), "folder")


def _check(path: Path) -> None:
    try:
        if path.is_dir():
            return
        if path.is_file() and zipfile.is_zipfile(path):
            return
        kind = "is no zip archive" if path.is_file() else "does not exist"
    except OSError as error:
        kind = f"cannot be opened: {error.strerror}"
    raise UsageError(f"the advisory database {path} {kind}", hint=HINT)


def _is_clone(path: Path) -> bool:
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


@contextmanager
def _scratch() -> Iterator[Path]:
    try:
        path = Path(tempfile.mkdtemp(prefix="guardian-advisories-"))
    except OSError as error:
        raise StateDirError(f"no temporary folder: {error.strerror}", hint="see TMPDIR") from error
    try:
        yield path
    finally:
        remove_checkout(path)


def _of_clone(path: Path, home: Path, folder: Path) -> OpenDatabase:
    source = locate(str(path))
    mirror = Mirror.sync(source, home / source.repository_id / "mirror.git")
    commit = mirror.resolve("HEAD")
    when = datetime.fromtimestamp(mirror.commit_info(commit).committer_time, UTC)
    materialize(mirror.git, _records_tree(mirror, commit), folder)
    return OpenDatabase(folder, str(path), "clone", commit, when)


def _records_tree(mirror: Mirror, commit: str) -> str:
    """Where the PyPA database keeps its records, since workflows and triage beside it are YAML as well."""
    with ObjectReader(mirror.git) as reader:
        header = reader.header(f"{commit}:vulns")
    return header.oid if header is not None and header.type == "tree" else commit


def _copy_records(path: Path, folder: Path) -> None:
    """Copy what may be a record, links left out; what cannot be read ends it, since it would be missing."""
    total = count = 0

    def refuse(error: OSError) -> None:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}", hint="check its permissions")

    folder.mkdir(mode=0o755)
    for place, folders, names in os.walk(path, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        target = folder / Path(place).relative_to(path)
        for name in names:
            source = Path(place) / name
            if not name.endswith(_SUFFIXES) or source.is_symlink() or not source.is_file():
                continue
            target.mkdir(parents=True, exist_ok=True, mode=0o755)
            total += _copy(source, target / name)
            count += 1
            if total > _MOST_BYTES:
                raise UsageError(f"{path} holds more than {_MOST_BYTES} bytes of records", hint=HINT)
    if not count:
        raise UsageError(f"{path} holds no record: no file that ends in .yaml or .json", hint=HINT)


def _copy(source: Path, target: Path) -> int:
    """Copy the content alone, for everyone to read; returns its size."""
    try:
        shutil.copyfile(source, target)
        target.chmod(0o644)
        return target.stat().st_size
    except PermissionError as error:
        raise UsageError(
            f"{source} cannot be read: {error.strerror}", hint="check its permissions"
        ) from error
    except OSError as error:
        raise StateDirError(f"{source} cannot be copied: {error.strerror}", hint="see TMPDIR") from error
