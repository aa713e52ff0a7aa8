"""Builds the lexical view: the words of each chunk as rows of a table that all files share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.builders import BuildTree, Kept, OpenView
from repo_guardian.tools.views.chunks.files import CHUNK_BLOCK, ChunkedFile, chunk_versions, chunked_files
from repo_guardian.tools.views.lexical.layout import (
    FORMAT,
    HEADING_WEIGHT,
    LAYOUT,
    LENGTHS,
    NAMES,
    POSTINGS,
    VIEW,
    word_key,
)
from repo_guardian.tools.views.lexical.words import WORDS_VERSION, identifier_words, identifiers
from repo_guardian.tools.views.packs.interface import PackLayout, ShardDraft

_MAX_FREQUENCY = 255


class LexicalBuilder:
    """``ViewBuilder`` of the lexical view."""

    name = VIEW

    @property
    def layout(self) -> PackLayout:
        """What its packs hold."""
        return LAYOUT

    def versions(self) -> Mapping[str, str]:
        """Versions of everything that shapes the view."""
        return {**chunk_versions(), "words": WORDS_VERSION, "format": FORMAT}

    def build(self, tree: BuildTree, previous: OpenView | None) -> Iterable[tuple[str, Kept | ShardDraft]]:
        """A shard for each file that has chunks."""
        for path, answer in chunked_files(tree, previous):
            yield path, answer if isinstance(answer, Kept) else _draft(answer)


def _draft(file: ChunkedFile) -> ShardDraft:
    counts = [_counted(file, number) for number in range(len(file.chunks))]
    sizes = [len(count) for count in counts]
    postings = np.empty(sum(sizes), np.dtype(list(LAYOUT.tables[POSTINGS])))
    postings["key"] = [key for count in counts for key in count]
    postings["chunk"] = np.repeat(np.arange(len(counts), dtype=np.uint16), sizes)
    postings["frequency"] = [min(times, _MAX_FREQUENCY) for count in counts for times in count.values()]
    lengths = np.array([sum(count.values()) for count in counts], np.uint32)
    return ShardDraft(
        b"", {POSTINGS: postings, NAMES: _names(file)}, {CHUNK_BLOCK: file.rows(), LENGTHS: lengths}
    )


def _counted(file: ChunkedFile, number: int) -> dict[int, int]:
    """The keys of a chunk's words with how often they occur."""
    chunk = file.chunks[number]
    counts: dict[int, int] = {}
    for text, weight in ((file.text(chunk), 1), (chunk.heading, HEADING_WEIGHT)):
        for identifier, times in identifiers(text).items():
            for key in _keys(identifier):
                counts[key] = counts.get(key, 0) + times * weight
    return counts


@lru_cache(maxsize=1 << 16)
def _keys(identifier: str) -> tuple[int, ...]:
    return tuple([word_key(word) for word in identifier_words(identifier)])


def _names(file: ChunkedFile) -> NDArray[Any]:
    """The names of the file's definitions, each with the chunk in which it begins."""
    rows = sorted(set(_placed_names(file)))
    return np.array(rows, np.dtype(list(LAYOUT.tables[NAMES])))


def _placed_names(file: ChunkedFile) -> Iterator[tuple[int, int]]:
    ends = [chunk.region[3] for chunk in file.chunks]
    for definition in file.definitions:
        chunk = bisect_right(ends, definition.region[2])
        words = identifier_words(definition.name)
        if words and chunk < len(ends):
            yield word_key(words[-1]), chunk
