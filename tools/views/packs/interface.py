"""What a pack holds and how it is asked: the storage under all three views.

A *shard* is what one view keeps of one file of one commit (its links, its postings, its vectors): a
canonical piece of data whose digest is part of the view's digest, plus rows for lookup tables and blocks of
numbers. A *pack* is one immutable file of shards, named after its content, kept in ``packs/`` of the state
directory and mapped into memory. A published view lists its packs and says for each file of its commit which
shard of which pack is its own, so that a commit writes only the shards that are new. Packs are merged as they
grow, geometrically (as ``git repack --geometric`` does), so that a view has few of them and no byte is
rewritten often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[Any]
"""A structured array whose first field is ``key`` (unsigned); within a pack, the field ``shard`` is added."""

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class PackLayout:
    """What the packs of one view hold.

    Attributes:
        tables: the fields of each lookup table; the first is ``key``.
        blocks: element type and row width of each block (0 for a one-dimensional one).
        parts: names of the pieces of bytes that are compressed, each by itself, and decompressed when asked
            for; ``data`` and blocks are mapped as they are.
    """

    tables: Mapping[str, tuple[tuple[str, str], ...]]
    blocks: Mapping[str, tuple[str, int]]
    parts: tuple[str, ...] = ()


class ShardDraft(NamedTuple):
    """A shard before it is written.

    Attributes:
        data: canonical: equal results, equal bytes.
        tables: rows of the layout's tables, without ``shard``, in any order.
        blocks: arrays of the layout's blocks; their lengths may differ from shard to shard.
        parts: the layout's parts, not compressed and canonical like ``data``; one that is left out is empty.
    """

    data: bytes
    tables: Mapping[str, Rows]
    blocks: Mapping[str, NDArray[Any]]
    parts: Mapping[str, bytes] = MappingProxyType({})


class Pack(Protocol):
    """One pack, mapped. All arrays are read-only views of the file."""

    @property
    def name(self) -> str:
        """The pack's name: a digest of its content, as hexadecimal text."""
        ...

    @property
    def count(self) -> int:
        """How many shards it holds."""
        ...

    def __hash__(self) -> int:
        """Packs are told apart by identity."""
        ...

    def data(self, shard: int) -> memoryview:
        """The data of a shard."""
        ...

    def digest(self, shard: int) -> bytes:
        """The digest (``DIGEST_BYTES``) of a shard: of its data, tables, blocks and parts."""
        ...

    def part(self, name: str, shard: int) -> bytes:
        """A part of a shard, decompressed anew at each call."""
        ...

    def table(self, name: str) -> Rows:
        """All rows of a table, sorted by ``key``, with their ``shard``."""
        ...

    def find(self, name: str, key: int) -> Rows:
        """The rows of a table that have ``key``, by binary search."""
        ...

    def block(self, name: str) -> NDArray[Any]:
        """A block of all shards, one after the other."""
        ...

    def bounds(self, name: str) -> NDArray[np.uint64]:
        """Where each shard's part of a block begins; ``count + 1`` numbers."""
        ...


class Placement(NamedTuple):
    """Where a file's shard is: the number of the pack in its view, and of the shard in the pack."""

    pack: int
    shard: int
