"""Reading packs: a mapped file whose tables are searched and whose shards are read in place."""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.packs.container import SUFFIX, Arrays, damaged, map_arrays
from repo_guardian.tools.views.packs.interface import DIGEST_BYTES, PackLayout, Rows, ShardDraft
from repo_guardian.tools.views.packs.shards import canonical, shard_digest
from repo_guardian.tools.views.packs.writer import table_type


class MappedPack:
    """A ``Pack`` over the arrays of a file.

    Args:
        path: the file, for errors and the name.
        arrays: as ``container.map_arrays`` gives them.
        layout: what the arrays hold.
    """

    def __init__(self, path: Path, arrays: Arrays, layout: PackLayout) -> None:
        self._path = path
        self._arrays = arrays
        self.layout = layout
        self.count = len(arrays["digests"])
        self._digests = arrays["digests"].reshape(-1).data
        self._data, self._data_bounds = _pieces(arrays, "data")
        self._parts = {name: _pieces(arrays, f"part.{name}") for name in layout.parts}
        self._tables = {name: _rows(arrays, layout, name) for name in layout.tables}

    @property
    def name(self) -> str:
        """The pack's name: the SHA-256 of its file, as hexadecimal text."""
        return self._path.name.removesuffix(SUFFIX)

    @cached_property
    def size(self) -> int:
        """The size of its file in bytes; of its arrays while it has none."""
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return sum(array.nbytes for array in self._arrays.values())

    def arrays(self) -> Arrays:
        """The arrays of the file as they are stored, for merging and writing it."""
        return self._arrays

    def data(self, shard: int) -> memoryview:
        """The data of a shard, in place."""
        return self._data[int(self._data_bounds[shard]) : int(self._data_bounds[shard + 1])]

    def digest(self, shard: int) -> bytes:
        """The digest (``DIGEST_BYTES``) of a shard, as it was written."""
        return bytes(self._digests[shard * DIGEST_BYTES : (shard + 1) * DIGEST_BYTES])

    def part(self, name: str, shard: int) -> bytes:
        """A part of a shard, decompressed anew at each call.

        Raises:
            ViewDamagedError: it cannot be decompressed.
        """
        content, bounds = self._parts[name]
        try:
            return zlib.decompress(content[int(bounds[shard]) : int(bounds[shard + 1])])
        except zlib.error as error:
            raise damaged(self._path) from error

    def table(self, name: str) -> Rows:
        """All rows of a table, sorted by ``key``, with their ``shard``."""
        return self._tables[name]

    def find(self, name: str, key: int) -> Rows:
        """The rows of a table that have ``key``, in the order of their shards."""
        # numpy's own search would first copy the whole column, which lies in strides.
        rows = self._tables[name]
        keys = rows["key"]
        first = bisect_left(keys, key)
        if first == len(keys) or keys[first] != key:
            return rows[:0]
        return rows[first : bisect_right(keys, key, lo=first)]

    def block(self, name: str) -> NDArray[Any]:
        """A block of all shards, one after the other."""
        return self._arrays[f"block.{name}"]

    def bounds(self, name: str) -> NDArray[np.uint64]:
        """Where each shard's part of a block begins; ``count + 1`` numbers."""
        return self._arrays[f"block.{name}.bounds"]

    def problems(self) -> list[str]:
        """What is wrong inside a file that matches its name: shards whose digest differs, unsorted tables.

        Reads everything; for ``guardian views verify``.
        """
        found = []
        for name, rows in self._tables.items():
            if not bool((rows["key"][:-1] <= rows["key"][1:]).all()):
                found.append(f"table {name} is not sorted")
            if len(rows) and int(rows["shard"].max()) >= self.count:
                found.append(f"table {name} names a shard that is not there")
        if found:
            return found
        drafts = (canonical(draft, self.layout) for draft in self._drafts())
        return [
            f"shard {shard} does not match its digest"
            for shard, draft in enumerate(drafts)
            if shard_digest(draft) != self.digest(shard)
        ]

    def _drafts(self) -> Iterator[ShardDraft]:
        """Every shard as it was written."""
        grouped = {name: _by_shard(rows, self.count) for name, rows in self._tables.items()}
        own = {name: [field for field, _ in fields] for name, fields in self.layout.tables.items()}
        for shard in range(self.count):
            blocks = {}
            for name in self.layout.blocks:
                bounds = self.bounds(name)
                blocks[name] = self.block(name)[int(bounds[shard]) : int(bounds[shard + 1])]
            yield ShardDraft(
                bytes(self.data(shard)),
                {
                    name: rows[ends[shard] : ends[shard + 1]][own[name]]
                    for name, (rows, ends) in grouped.items()
                },
                blocks,
                {name: self.part(name, shard) for name in self.layout.parts},
            )


def open_pack(path: Path, *, verify: bool = True) -> MappedPack:
    """Map the pack in the file ``path``.

    Args:
        verify: compare the whole file with the digest that names it (0.5 ms a megabyte).

    Raises:
        ViewDamagedError: there is no such file, or its content is not what was written.
        StateDirError: the file system does not let us read it.
    """
    arrays, about = map_arrays(path, verify=verify)
    try:
        return MappedPack(path, arrays, _layout(about))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise damaged(path) from error


def pack_path(folder: Path, name: str) -> Path:
    """The file of the pack ``name`` in ``folder``."""
    return folder / f"{name}{SUFFIX}"


def _layout(about: dict[str, Any]) -> PackLayout:
    return PackLayout(
        {name: tuple((field, kind) for field, kind in fields) for name, fields in about["tables"].items()},
        {name: (kind, width) for name, (kind, width) in about["blocks"].items()},
        tuple(about["parts"]),
    )


def _pieces(arrays: Arrays, name: str) -> tuple[memoryview, NDArray[np.uint64]]:
    bounds = arrays[f"{name}.bounds"]
    if len(bounds) != len(arrays["digests"]) + 1:
        raise ValueError("bounds of another number of shards")
    return arrays[name].data, bounds


def _rows(arrays: Arrays, layout: PackLayout, name: str) -> Rows:
    return arrays[f"table.{name}"].reshape(-1).view(table_type(layout, name))


def _by_shard(rows: Rows, count: int) -> tuple[Rows, NDArray[np.int64]]:
    """Rows in the order of their shards, and where each shard's begin."""
    ordered = rows[np.argsort(rows["shard"], kind="stable")]
    return ordered, np.searchsorted(ordered["shard"], np.arange(count + 1)).astype(np.int64)
