"""Builds the vector view: only passages that no earlier shard has a vector of are embedded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.builders import BuildTree, Kept, OpenView
from repo_guardian.tools.views.chunks.files import CHUNK_BLOCK, ChunkedFile, chunk_versions, chunked_files
from repo_guardian.tools.views.packs.interface import Pack, PackLayout, ShardDraft
from repo_guardian.tools.views.vector.interface import Embedder, Passage
from repo_guardian.tools.views.vector.layout import (
    FORMAT,
    HASHES,
    SCALES,
    VECTORS,
    VIEW,
    layout,
    passage_key,
    quantize,
)
from repo_guardian.tools.views.vector.registry import embedder, options_from

_AT_ONCE = 2_000
"""Passages that are collected before the model is asked, so that an endpoint gets full batches."""


class VectorBuilder:
    """``ViewBuilder`` of the vector view.

    Args:
        model: by default the one that the environment asks for.

    Raises:
        UsageError: the environment names a model that cannot be.
    """

    name = VIEW

    def __init__(self, model: Embedder | None = None) -> None:
        self.model = model or embedder(options_from())

    @property
    def layout(self) -> PackLayout:
        """What its packs hold."""
        return layout(self.model.dimensions)

    def versions(self) -> Mapping[str, str]:
        """Versions of everything that shapes the view."""
        return {**chunk_versions(), "model": self.model.identity, "format": FORMAT}

    def build(self, tree: BuildTree, previous: OpenView | None) -> Iterable[tuple[str, Kept | ShardDraft]]:
        """A shard for each file that has chunks.

        Raises:
            EmbeddingError: the model cannot be had.
        """
        earlier = _Earlier(() if previous is None else previous.packs)
        waiting: list[ChunkedFile] = []
        for path, answer in chunked_files(tree, previous):
            if isinstance(answer, Kept):
                yield path, answer
                continue
            waiting.append(answer)
            if sum(len(file.chunks) for file in waiting) >= _AT_ONCE:
                yield from self._drafts(waiting, earlier)
                waiting.clear()
        yield from self._drafts(waiting, earlier)

    def _drafts(self, files: list[ChunkedFile], earlier: _Earlier) -> Iterator[tuple[str, ShardDraft]]:
        passages = [Passage(chunk.heading, f.text(chunk)) for f in files for chunk in f.chunks]
        keys = np.array([passage_key(passage) for passage in passages], np.uint64)
        codes = np.zeros((len(passages), self.model.dimensions), np.int8)
        scales = np.zeros(len(passages), np.float32)
        known = earlier.fill(keys, codes, scales)
        places = np.flatnonzero(~known)
        first = {int(keys[place]): int(place) for place in reversed(places)}
        if first:
            made = quantize(self.model.embed([passages[place] for place in first.values()]))
            numbers = {key: number for number, key in enumerate(first)}
            rows = [numbers[key] for key in keys[places].tolist()]
            codes[places], scales[places] = made.codes[rows], made.scales[rows]
        start = 0
        for file in files:
            end = start + len(file.chunks)
            hashes = np.empty(end - start, np.dtype(list(self.layout.tables[HASHES])))
            hashes["key"] = keys[start:end]
            hashes["chunk"] = np.arange(end - start)
            blocks = {CHUNK_BLOCK: file.rows(), VECTORS: codes[start:end], SCALES: scales[start:end]}
            yield file.path, ShardDraft(b"", {HASHES: hashes}, blocks)
            start = end


class _PackRows(NamedTuple):
    """The hashes of a pack, sorted, with the rows of its blocks that they belong to."""

    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


class _Earlier:
    """The vectors of earlier packs, other commits' too, by hash."""

    def __init__(self, packs: Iterable[Pack]) -> None:
        self._opened = tuple(packs)

    def fill(
        self, keys: NDArray[np.uint64], codes: NDArray[np.int8], scales: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Put what is there into ``codes`` and ``scales``; returns which of ``keys`` were."""
        known = np.zeros(len(keys), bool)
        for pack in self._packs:
            if not len(pack.keys) or not len(keys):
                continue
            places = np.minimum(np.searchsorted(pack.keys, keys), len(pack.keys) - 1)
            found = (pack.keys[places] == keys) & ~known
            codes[found] = pack.codes[pack.rows[places[found]]]
            scales[found] = pack.scales[pack.rows[places[found]]]
            known |= found
        return known

    @cached_property
    def _packs(self) -> list[_PackRows]:
        made = []
        for pack in self._opened:
            table = pack.table(HASHES)
            rows = pack.bounds(VECTORS).astype(np.int64)[table["shard"]] + table["chunk"]
            made.append(_PackRows(table["key"].copy(), rows, pack.block(VECTORS), pack.block(SCALES)))
        return made
