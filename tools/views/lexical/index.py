"""Reading the lexical view: BM25 over the commit's own chunks, with its own statistics.

How many chunks hold a word, how many there are and how long they are is counted at query time over the rows
that belong to the commit, so a score does not depend on how the view was built.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.builders import OpenView
from repo_guardian.tools.views.chunks.live import ChunkPlace, Floats, LiveChunks
from repo_guardian.tools.views.lexical.layout import LENGTHS, NAMES, POSTINGS, Ranking, word_key
from repo_guardian.tools.views.lexical.words import (
    count_words,
    identifier_parts,
    identifier_words,
    identifiers,
)

_MAX_QUERY_WORDS = 64
"""Words of a query that are looked up: the rarest of a longer one."""

_RERANKED = 2
"""Candidates for which paths are looked at, as a multiple of those that are asked for."""


@dataclass(frozen=True, slots=True)
class LexicalMatches:
    """What a query matched.

    Attributes:
        places: best first, with their BM25 score.
        coverage: how much of the query's weight (the inverse document frequency of its words) one chunk
            holds at most, from 0 to 1; words that no chunk holds count fully.
        known: how much of the weight is in words that any chunk holds, from 0 to 1.
        words: the query's distinct words.
    """

    places: tuple[tuple[ChunkPlace, float], ...]
    coverage: float
    known: float
    words: int


class _Word(NamedTuple):
    """A query word among the commit's chunks: its weight, chunk numbers and frequencies."""

    text: str
    weight: float
    chunks: NDArray[np.int64]
    frequencies: Floats


class LexicalIndex:
    """The lexical view of one commit.

    Args:
        view: the view, open.
        ranking: BM25's constants.
    """

    def __init__(self, view: OpenView, ranking: Ranking | None = None) -> None:
        self._view = view
        self._ranking = ranking or Ranking()

    @cached_property
    def chunks(self) -> LiveChunks:
        """The commit's chunks."""
        return LiveChunks(self._view)

    def search(self, query: str, candidates: int) -> LexicalMatches:
        """The ``candidates`` best chunks for the words of ``query``."""
        words = [self._word(word) for word in count_words(query)]
        words = sorted(words, key=lambda word: (-word.weight, word.text))[:_MAX_QUERY_WORDS]
        scores = np.zeros(len(self.chunks.weights), np.float32)
        for word in words:
            scores[word.chunks] += word.weight * self._saturated(word)
        places = self.chunks.best(scores, candidates * _RERANKED)
        places = self._with_paths(places, {word.text: word.weight for word in words})[:candidates]
        return LexicalMatches(tuple(places), *self._evidence(query, words))

    def named(self, identifier: str) -> tuple[ChunkPlace, ...]:
        """The chunks in which a definition of that name begins, whatever its case, by path."""
        words = identifier_words(identifier)
        if not words:
            return ()
        found = []
        for pack, opened in enumerate(self._view.packs):
            rows = opened.find(NAMES, word_key(words[-1]))
            for shard, chunk in zip(rows["shard"].tolist(), rows["chunk"].tolist(), strict=True):
                found += [ChunkPlace(path, chunk) for path in self._view.paths_of(pack, shard)]
        return tuple(sorted(set(found)))

    def _word(self, text: str) -> _Word:
        numbers, frequencies = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        holding = 0
        for opened, files, first in zip(self._view.packs, self.chunks.files, self.chunks.first, strict=True):
            rows = opened.find(POSTINGS, word_key(text))
            shards = rows["shard"]
            times = files[shards]
            live = times > 0
            holding += int(times.sum())
            numbers.append((first[shards] + rows["chunk"])[live])
            frequencies.append(rows["frequency"][live].astype(np.float32))
        weight = float(np.log1p((self.chunks.total - holding + 0.5) / (holding + 0.5)))
        return _Word(text, weight, np.concatenate(numbers), np.concatenate(frequencies))

    def _saturated(self, word: _Word) -> Floats:
        return (
            word.frequencies
            * np.float32(self._ranking.k1 + 1)
            / (word.frequencies + self._norms[word.chunks])
        )

    @cached_property
    def _norms(self) -> Floats:
        """BM25's ``k1 * (1 - b + b * length / average length)`` of each chunk."""
        lengths = self.chunks.block(LENGTHS)
        total = int((lengths.astype(np.int64) * self.chunks.weights).sum())
        average = max(total / max(self.chunks.total, 1), 1.0)
        k1, b = self._ranking.k1, self._ranking.b
        return (k1 * (1 - b + b * (lengths / average))).astype(np.float32)

    def _with_paths(
        self, places: list[tuple[ChunkPlace, float]], weights: dict[str, float]
    ) -> list[tuple[ChunkPlace, float]]:
        """The places with what their paths add, best first."""
        raised = []
        for place, score in places:
            shared = sorted(_path_words(place.path) & weights.keys())
            raised.append((place, score + self._ranking.path * sum(weights[word] for word in shared)))
        raised.sort(key=lambda pair: (-pair[1], pair[0]))
        return raised

    def _evidence(self, query: str, words: list[_Word]) -> tuple[float, float, int]:
        """``coverage``, ``known`` and ``words`` of the matches."""
        plain = {word for text in identifiers(query) for word in identifier_words(text)[: _parts(text)]}
        counted = [word for word in words if word.text in plain]
        total = sum(word.weight for word in counted)
        if not total:
            return 0.0, 0.0, 0
        covered = np.zeros(len(self.chunks.weights), np.float32)
        for word in counted:
            covered[word.chunks] += word.weight
        known = sum(word.weight for word in counted if len(word.chunks))
        return float(covered.max(initial=0.0)) / total, known / total, len(counted)


def _parts(identifier: str) -> int:
    return len(identifier_parts(identifier))


@lru_cache(maxsize=1 << 14)
def _path_words(path: str) -> frozenset[str]:
    """The words of a path, its suffix left out."""
    return frozenset(count_words(path.rpartition(".")[0] or path))
