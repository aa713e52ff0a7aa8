"""A published view, opened: its packs mapped, and the way from file to shard and back."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.builders import TreeFile
from repo_guardian.tools.views.catalog import EMPTY, Catalog
from repo_guardian.tools.views.files import state_errors
from repo_guardian.tools.views.packs.container import REBUILD, damaged
from repo_guardian.tools.views.packs.interface import Placement
from repo_guardian.tools.views.packs.reader import MappedPack, open_pack, pack_path

_PACKS_KEPT = 96
"""Mapped packs that a process keeps: those of a few commits, most of them shared."""


class OpenedView:
    """``OpenView`` over the files of a state directory.

    Args:
        commit: the name under which it is published.
        name: the view's.
        catalog: the commit's.
        packs: as the manifest lists them.
        without: files to be treated as if the view did not have them.

    Raises:
        ViewDamagedError: a placement points outside of the packs.
    """

    def __init__(
        self,
        commit: str,
        name: str,
        catalog: Catalog,
        packs: Sequence[MappedPack],
        without: Collection[str] = (),
    ) -> None:
        self.commit = commit
        self.name = name
        self.packs = packs
        self._catalog = catalog
        columns = catalog.views[name]
        self._covered = columns.packs < EMPTY
        self._empty = columns.packs == EMPTY
        if without:
            wanted = np.array([path not in without for path in catalog.files], bool)
            self._covered, self._empty = self._covered & wanted, self._empty & wanted
        self._packs = columns.packs[self._covered].astype(np.uint64)
        self._shards = columns.shards[self._covered].astype(np.uint64)
        counts = np.array([pack.count for pack in packs], np.uint64)
        if len(self._packs) and (
            int(self._packs.max()) >= len(packs) or bool((self._shards >= counts[self._packs]).any())
        ):
            raise ViewDamagedError(f"the view {name} of {commit[:12]} points past its packs", hint=REBUILD)

    @cached_property
    def placements(self) -> Mapping[str, Placement]:
        """Path to shard."""
        pairs = zip(self._packs.tolist(), self._shards.tolist(), strict=True)
        return dict(zip(self.paths, map(Placement._make, pairs), strict=True))

    @cached_property
    def files(self) -> Mapping[str, TreeFile]:
        """The files of the commit that the view has shards of."""
        return dict(compress(self._catalog.files.items(), self._covered.tolist()))

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files of the commit that the view has shards of, sorted."""
        return tuple(compress(self._catalog.files, self._covered.tolist()))

    @cached_property
    def empty(self) -> Mapping[str, TreeFile]:
        """The files of the commit that were read for the view and gave nothing to keep."""
        return dict(compress(self._catalog.files.items(), self._empty.tolist()))

    def paths_of(self, pack: int, shard: int) -> tuple[str, ...]:
        """The files of this commit that a shard belongs to; empty when it is another commit's."""
        keys, order = self._owners
        key = np.uint64(pack << 32 | shard)
        first = int(np.searchsorted(keys, key))
        end = first
        while end < len(keys) and keys[end] == key:
            end += 1
        return tuple([self.paths[number] for number in order[first:end].tolist()])

    def covers(self, files: Mapping[str, TreeFile]) -> bool:
        """Whether the view was built from exactly these files of a commit."""
        return self._catalog.files == files

    def live(self, pack: int) -> NDArray[np.bool_]:
        """Which shards of a pack are this commit's."""
        found = np.zeros(self.packs[pack].count, bool)
        found[self._shards[self._packs == pack]] = True
        return found

    def digest(self) -> str:
        """The view's digest: SHA-256 over each path, in sorted order, with its shard's digest."""
        digest = hashlib.sha256()
        for path, (pack, shard) in self.placements.items():
            digest.update(path.encode("utf-8", "surrogatepass") + b"\0" + self.packs[pack].digest(shard))
        return digest.hexdigest()

    @cached_property
    def _owners(self) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
        keys = self._packs << np.uint64(32) | self._shards
        order = np.argsort(keys, kind="stable")
        return keys[order], order


class _PackCache:
    """Packs that were verified, by the identity of their file: a long-running process verifies each once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._packs: OrderedDict[tuple[str, int, int, int], MappedPack] = OrderedDict()

    def open(self, path: Path) -> MappedPack:
        with state_errors(path):
            try:
                status = path.stat()
            except FileNotFoundError as error:
                raise damaged(path) from error
        key = (str(path), status.st_ino, status.st_size, status.st_mtime_ns)
        with self._lock:
            known = self._packs.get(key)
            if known is not None:
                self._packs.move_to_end(key)
                return known
        made = open_pack(path)
        with self._lock:
            made = self._packs.setdefault(key, made)
            while len(self._packs) > self._size:
                self._packs.popitem(last=False)
        return made


_CACHE = _PackCache(_PACKS_KEPT)


def open_packs(folder: Path, names: Sequence[str]) -> list[MappedPack]:
    """The packs of ``folder`` by name, verified unless this process has done so.

    Raises:
        ViewDamagedError: one is gone or not what was written.
        StateDirError: the file system does not let us read it.
    """
    return [_CACHE.open(pack_path(folder, name)) for name in names]
