"""Trees for the benchmarks: a plain folder, or a commit of a bare repository, as the views want them.

Both give git's object ids, so that a folder and a commit with the same files share their facts. A folder is
read as it is: nothing of it is run, and links are listed, not followed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.objects import list_tree, read_blobs, tree_id
from repo_guardian.tools.views.interface import TreeEntry

LEFT_OUT = frozenset({".git", "__pycache__", ".tox", ".venv"})
"""Folders of a plain tree that no commit holds."""


def blob_id(data: bytes) -> str:
    """The SHA-1 name that git gives to a blob with this content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class DirectorySource:
    """A plain folder as a ``TreeSource``.

    Args:
        root: the folder.
        label: the name under which its views are published.
        prefix: a path, ending in ``/``, that is put before every name; so that several folders can be told
            apart when ``MergedSource`` puts them together.
    """

    def __init__(self, root: Path, label: str, prefix: str = "") -> None:
        self.commit = label
        self.tree = label
        self._files: list[TreeEntry] = []
        self._places: dict[str, Path] = {}
        for path in _walk(root):
            link = path.is_symlink()
            data = os.fsencode(path.readlink()) if link else path.read_bytes()
            oid = blob_id(data)
            executable = bool(path.lstat().st_mode & stat.S_IXUSR)
            mode = "120000" if link else "100755" if executable else "100644"
            name = os.fsencode(prefix + path.relative_to(root).as_posix())
            self._files.append(TreeEntry(name, oid, mode))
            if not link:
                self._places[oid] = path

    def keep(self, wanted: Callable[[bytes], bool], at_most: int) -> None:
        """Drop the files whose path is not wanted, and all beyond a number."""
        self._files = [entry for entry in self._files if wanted(entry.path)][:at_most]

    def files(self) -> Sequence[TreeEntry]:
        """Every file and link below the folder, sorted by path."""
        return self._files

    def read(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """The files with this content, read when asked for; None for an id that no file had."""
        for oid in oids:
            place = self._places.get(oid)
            yield oid, place.read_bytes() if place is not None else None


class MergedSource:
    """Several trees as one, each with its own prefix, and with some files' content replaced.

    Args:
        label: the name under which the views are published.
        parts: the trees; their paths must not clash.
        edits: new content by path.
    """

    def __init__(self, label: str, parts: Sequence[DirectorySource], edits: dict[bytes, bytes]) -> None:
        self.commit = label
        self.tree = label
        self._parts = parts
        self._new = {blob_id(data): data for data in edits.values()}
        entries = sorted(entry for part in parts for entry in part.files())
        self._files = [
            entry._replace(oid=blob_id(edits[entry.path])) if entry.path in edits else entry
            for entry in entries
        ]

    def files(self) -> Sequence[TreeEntry]:
        """Every file of every part, sorted by path."""
        return self._files

    def read(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Contents, the replaced ones included."""
        for oid in oids:
            data = self._new.get(oid)
            for part in self._parts:
                if data is not None:
                    break
                data = next(iter(part.read([oid])))[1]
            yield oid, data


class GitSource:
    """One commit of a bare repository (or of a ``.git`` folder) as a ``TreeSource``."""

    def __init__(self, git: Git, commit: str, label: str = "") -> None:
        self._git = git
        self.commit = label or commit
        self.tree = tree_id(git, commit)
        self._files = [TreeEntry(e.path, e.oid, e.mode) for e in list_tree(git, self.tree)]

    def files(self) -> Sequence[TreeEntry]:
        """Every entry of the commit's tree."""
        return self._files

    def read(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """The blobs in the order asked for; None for one that is too large."""
        for blob in read_blobs(self._git, oids):
            yield blob.oid, blob.data


def repository(folder: Path) -> Git:
    """A bare repository, or the ``.git`` of a work tree."""
    inner = folder / ".git"
    return Git((inner if inner.is_dir() else folder).resolve())


def first_parents(git: Git, tip: str, count: int) -> list[str]:
    """The ``count`` commits that end in ``tip`` along first parents, oldest first."""
    found = git.run("rev-list", "--first-parent", f"--max-count={count}", "--end-of-options", tip)
    return found.decode().split()[::-1]


def _walk(root: Path) -> Iterator[Path]:
    """All files and links below ``root``, in sorted order."""
    for entry in sorted(root.iterdir()):
        if entry.is_symlink() or entry.is_file():
            yield entry
        elif entry.is_dir() and entry.name not in LEFT_OUT:
            yield from _walk(entry)
