"""Merging packs: which ones, and how their live shards become one pack.

The policy is size-tiered compaction, as LSM stores do it (Cassandra's SizeTieredCompactionStrategy; ``git
repack --geometric`` is its relative): packs fall into classes by the logarithm of their live bytes, and
``FAN`` packs of one class become one of the next. So a view of ``n`` bytes has at most ``FAN * log_FAN(n)``
packs, and a shard is written at most ``log_FAN(n)`` times over in its life. A large pack of which little is
live counts as the small one that it has become.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.packs.container import Arrays, write_arrays
from repo_guardian.tools.views.packs.interface import PackLayout
from repo_guardian.tools.views.packs.reader import MappedPack
from repo_guardian.tools.views.packs.writer import layout_document, put_table, table_type

FAN = 8
"""How many packs of one class become one: 4 would write a third more, 16 would keep twice the packs open."""
SMALL_BYTES = 64 * 1024
"""Packs up to this size are in the lowest class."""

Live = NDArray[np.bool_]


def plan_merge(live_bytes: Sequence[int]) -> tuple[int, ...]:
    """Which of a view's packs to merge, by index; empty when none.

    Args:
        live_bytes: for each pack, roughly the bytes of its shards that the view still uses.
    """
    merged: list[int] = []
    carried = 0
    by_class: dict[int, list[int]] = {}
    for index, size in enumerate(live_bytes):
        by_class.setdefault(_class(size), []).append(index)
    for level in range(max(by_class, default=-1) + 1):
        members = by_class.get(level, [])
        # What the classes below were merged into counts in the class that it reaches.
        arrives = bool(merged) and _class(carried) == level
        if len(members) + arrives >= FAN:
            merged += members
            carried = sum(live_bytes[index] for index in merged)
    return tuple(sorted(merged))


def merge_packs(
    folder: Path, sources: Sequence[tuple[MappedPack, Live]], layout: PackLayout
) -> tuple[str, int, list[NDArray[np.int64]]]:
    """Write the live shards of ``sources`` as one pack into ``folder``.

    Args:
        sources: packs of ``layout``, each with which of its shards are kept.

    Returns:
        The new pack's name, its size in bytes, and for each source the new number of every shard, -1 for one
        that was left behind.

    Raises:
        DiskFullError, StateDirError: nothing is left behind.
    """
    numbers = _renumber([live for _, live in sources])
    arrays: Arrays = {
        "digests": np.concatenate([pack.arrays()["digests"][live] for pack, live in sources]),
    }
    for name in ("data", *[f"part.{part}" for part in layout.parts], *[f"block.{b}" for b in layout.blocks]):
        _gather(arrays, name, sources)
    for name in layout.tables:
        kind = table_type(layout, name)
        put_table(arrays, name, np.concatenate([np.empty(0, kind), *_tables(name, sources, numbers)]))
    written, size = write_arrays(folder, arrays, layout_document(layout))
    return written, size, numbers


def _class(size: int) -> int:
    level, bound = 0, SMALL_BYTES
    while size > bound:
        level, bound = level + 1, bound * FAN
    return level


def _renumber(masks: Sequence[Live]) -> list[NDArray[np.int64]]:
    numbers, start = [], 0
    for live in masks:
        new = np.where(live, np.cumsum(live) - 1 + start, -1)
        numbers.append(new.astype(np.int64))
        start += int(live.sum())
    return numbers


def _gather(arrays: Arrays, name: str, sources: Sequence[tuple[MappedPack, Live]]) -> None:
    pieces, lengths = [], []
    for pack, live in sources:
        length = _lengths(pack.arrays()[f"{name}.bounds"])
        content = pack.arrays()[name]
        pieces.append(content if live.all() else content[np.repeat(live, length)])
        lengths.append(length[live])
    arrays[name] = np.concatenate(pieces)
    ends = np.cumsum(np.concatenate([[0], *lengths]))
    arrays[f"{name}.bounds"] = ends.astype(np.uint64)


def _lengths(bounds: NDArray[Any]) -> NDArray[np.int64]:
    ends = bounds.astype(np.int64)
    return ends[1:] - ends[:-1]


def _tables(
    name: str, sources: Sequence[tuple[MappedPack, Live]], numbers: Sequence[NDArray[np.int64]]
) -> list[NDArray[Any]]:
    kept = []
    for (pack, live), new in zip(sources, numbers, strict=True):
        rows = pack.table(name)
        rows = rows[live[rows["shard"]]]  # a copy, so that it may be renumbered
        rows["shard"] = new[rows["shard"]]
        kept.append(rows)
    return kept
