"""The chunks of one commit among the shards of its packs: numbered, counted, and found again by path.

A pack may hold shards of other commits, and two files may share a shard. Every statistic here counts a shard
once for each file of this commit that it belongs to, so that it does not matter how the packs came about.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.builders import OpenView
from repo_guardian.tools.views.chunks.files import CHUNK_BLOCK
from repo_guardian.tools.views.symbol_graph.model import Span

Floats = NDArray[np.float32]


class ChunkPlace(NamedTuple):
    """A chunk of a file; ``number`` counts the file's chunks from 0."""

    path: str
    number: int


class LiveChunks:
    """Numbers the chunks of all shards of a view, pack after pack, whether they are this commit's or not.

    Args:
        view: a view whose shards have the block ``CHUNK_BLOCK``.

    Attributes:
        files: for each pack, how many files of the commit each shard belongs to.
        first: for each pack, the number of each shard's first chunk.
        weights: for each chunk, how many files of the commit it belongs to; 0 is another commit's.
        total: the commit's chunks.
    """

    def __init__(self, view: OpenView) -> None:
        self.view = view
        self.first: list[NDArray[np.int64]] = []
        counts, chunks = [0], 0
        for pack in view.packs:
            bounds = pack.bounds(CHUNK_BLOCK).astype(np.int64)
            self.first.append(bounds[:-1] + chunks)
            chunks += int(bounds[-1])
            counts.append(counts[-1] + pack.count)
        self._starts = np.concatenate([*self.first, np.array([chunks])])
        self._paths: dict[int, list[str]] = {}
        for path, placement in view.placements.items():
            self._paths.setdefault(counts[placement.pack] + placement.shard, []).append(path)
        files = np.zeros(counts[-1], np.int64)
        for shard, paths in self._paths.items():
            files[shard] = len(paths)
        self.files = [files[counts[pack] : counts[pack + 1]] for pack in range(len(view.packs))]
        self.weights: NDArray[np.int64] = np.repeat(files, np.diff(self._starts))
        self.total = int(self.weights.sum())

    def block(self, name: str) -> NDArray[Any]:
        """A block with one row for each chunk, by chunk number: a copy unless there is one pack."""
        blocks = [pack.block(name) for pack in self.view.packs]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks or [np.zeros(0)])

    def best(self, scores: Floats, count: int) -> list[tuple[ChunkPlace, float]]:
        """The ``count`` places of the commit with the highest scores above 0, ties by path and number.

        Args:
            scores: one for each chunk number.
        """
        found = np.flatnonzero((scores > 0) & (self.weights > 0))
        if len(found) > count:
            least = np.partition(scores[found], len(found) - count)[len(found) - count]
            found = found[scores[found] >= least]
        shards = np.searchsorted(self._starts, found, side="right") - 1
        numbers = found - self._starts[shards]
        rows = zip(shards.tolist(), numbers.tolist(), scores[found].tolist(), strict=True)
        places = [(ChunkPlace(path, n), score) for shard, n, score in rows for path in self._paths[shard]]
        places.sort(key=lambda pair: (-pair[1], pair[0]))
        return places[:count]

    def count(self, path: str) -> int:
        """How many chunks a file of the view has."""
        pack, shard = self.view.placements[path]
        bounds = self.view.packs[pack].bounds(CHUNK_BLOCK)
        return int(bounds[shard + 1] - bounds[shard])

    def span(self, place: ChunkPlace) -> Span:
        """Where a chunk is."""
        return Span(*(int(number) for number in self._row(place)[:4]))

    def owner(self, place: ChunkPlace) -> tuple[int, int]:
        """The bytes of the definition that a chunk belongs to, first and past the end; 0 and 0 for none."""
        row = self._row(place)
        return int(row[4]), int(row[5])

    def _row(self, place: ChunkPlace) -> NDArray[Any]:
        pack, shard = self.view.placements[place.path]
        opened = self.view.packs[pack]
        row: NDArray[Any] = opened.block(CHUNK_BLOCK)[int(opened.bounds(CHUNK_BLOCK)[shard]) + place.number]
        return row
