"""One tree of a cycle, read from the mirror's objects: paths, contents, digests; never from a checkout."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.objects import TreeEntry, list_tree, read_blobs
from repo_guardian.tools.git.versions import version_by_tags
from repo_guardian.tools.views.gather import path_text
from repo_guardian.tools.views.interface import TreeEntry as ViewEntry

MAX_TEXT_BYTES = 8 * 1024**2
MAX_LINK_BYTES = 4095
LOADED_FILES = 256
"""Files of one tree whose content is kept, at most."""


class Tree:
    """A commit's tree; ``commit`` is None for the empty tree that a root commit is compared with.

    Args:
        git: the mirror.
        commit: full id, or None.
        treeish: object name of the tree.
        seen: trees inside it that are known already, by object name; those that are read are added.
        version: what to take for its version, where no tag can lead to the commit.
    """

    def __init__(
        self,
        git: Git,
        commit: str | None,
        treeish: str,
        seen: dict[str, bytes] | None = None,
        *,
        version: str | None = None,
    ) -> None:
        self.commit = commit
        self.treeish = treeish
        self.git = git
        self._version = version
        self.entries: dict[str, TreeEntry] = {
            path_text(entry.path): entry for entry in list_tree(git, treeish, seen=seen)
        }
        self._content = lru_cache(maxsize=LOADED_FILES)(self._read)
        self._loaded: dict[str, bytes | None] = {}

    @property
    def label(self) -> str:
        """The commit, or the tree's own name when there is none: what its views are filed under."""
        return self.commit or self.treeish

    def read(self, path: str) -> bytes | None:
        """Content of a regular file; None where there is none, or one above ``MAX_TEXT_BYTES``."""
        return self._loaded[path] if path in self._loaded else self._content(path)

    def load(self, paths: Iterable[str]) -> None:
        """Read several files at once, at most ``LOADED_FILES``, so that ``read`` does not ask for each."""
        found = [
            (path, self.entries[path].oid) for path in paths if path in self and self.entries[path].is_file
        ]
        wanted = found[:LOADED_FILES]
        blobs = read_blobs(self.git, [oid for _, oid in wanted], max_blob_bytes=MAX_TEXT_BYTES)
        self._loaded |= {path: blob.data for (path, _), blob in zip(wanted, blobs, strict=True)}

    def digest(self, path: str) -> str | None:
        """Hex SHA-256 of a regular file's content, None where ``read`` gives None."""
        content = self.read(path)
        return None if content is None else hashlib.sha256(content).hexdigest()

    def links(self) -> dict[bytes, bytes]:
        """Path and target of every symbolic link; a target longer than any system takes is left empty."""
        links = [entry for entry in self.entries.values() if entry.mode == "120000"]
        if not links:
            return {}
        blobs = read_blobs(self.git, [entry.oid for entry in links], max_blob_bytes=MAX_LINK_BYTES)
        return {entry.path: blob.data or b"" for entry, blob in zip(links, blobs, strict=True)}

    def differs_from(self, other: Tree) -> tuple[str, ...]:
        """The paths at which two trees differ, in content or in mode, sorted."""
        mine, theirs = (
            {path: (entry.mode, entry.oid) for path, entry in tree.entries.items()} for tree in (self, other)
        )
        return tuple(sorted({path for path, _ in mine.items() ^ theirs.items()}))

    @property
    def version(self) -> str:
        """What the history calls this commit, by its tags; empty when it says nothing."""
        if self._version is not None:
            return self._version
        return version_by_tags(self.git, self.commit) if self.commit is not None else ""

    def oid(self, path: str) -> str | None:
        """Object name of what is at ``path``; None where there is nothing."""
        entry = self.entries.get(path)
        return entry.oid if entry is not None else None

    def __contains__(self, path: str) -> bool:
        return path in self.entries

    def _read(self, path: str) -> bytes | None:
        entry = self.entries.get(path)
        if entry is None or not entry.is_file:
            return None
        (blob,) = read_blobs(self.git, [entry.oid], max_blob_bytes=MAX_TEXT_BYTES)
        return blob.data


class MirrorSource:
    """A tree as the views want it: its entries, and their blobs in bulk."""

    def __init__(self, git: Git, tree: Tree) -> None:
        self._git = git
        self._tree = tree
        self.commit = tree.label
        self.tree = tree.treeish

    def files(self) -> Sequence[ViewEntry]:
        """Every entry of the tree: files, links and submodules."""
        return [ViewEntry(entry.path, entry.oid, entry.mode) for entry in self._tree.entries.values()]

    def read(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """The blobs in the order asked for; None for one that is too large to be read."""
        for blob in read_blobs(self._git, oids, max_blob_bytes=MAX_TEXT_BYTES):
            yield blob.oid, blob.data
