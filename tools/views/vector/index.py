"""Reading the vector view: the cosine of a query with every chunk of the commit, by brute force.

An index of nearest neighbours would be built again with each commit; multiplying 20,000 mapped rows takes a
few milliseconds.

Sums of floats depend on their order, and so on how a view was built. Here all sums are of whole numbers: the
query is scaled and rounded so that no sum of a row leaves the range in which float32 holds every integer,
and cosines are averaged as multiples of a small step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from repo_guardian.tools.views.builders import OpenView
from repo_guardian.tools.views.chunks.live import ChunkPlace, Floats, LiveChunks
from repo_guardian.tools.views.vector.interface import Embedder, Vectors
from repo_guardian.tools.views.vector.layout import SCALES, VECTORS

_STEP = 2.0**-20
"""Cosines are multiples of this where they are averaged."""

_EXACT = 2**24
"""Up to here float32 holds every integer."""

_LARGEST_CODE = 127

_ROWS_AT_ONCE = 512
"""Rows that are turned into floats at once: they stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class VectorMatches:
    """What a query is near to.

    Attributes:
        places: best first, with their cosine.
        mean, deviation: of the query's cosines with all chunks of the commit.
    """

    places: tuple[tuple[ChunkPlace, float], ...]
    mean: float
    deviation: float


class VectorIndex:
    """The vector view of one commit.

    Args:
        view: the view, open.
        model: that the view was built with.
    """

    def __init__(self, view: OpenView, model: Embedder) -> None:
        self._view = view
        self._model = model

    @cached_property
    def chunks(self) -> LiveChunks:
        """The commit's chunks."""
        return LiveChunks(self._view)

    def search(self, query: str, candidates: int) -> VectorMatches:
        """The ``candidates`` nearest chunks.

        Raises:
            EmbeddingError: the model cannot be had.
        """
        vector = self._model.embed_query(query)
        weights = self.chunks.weights
        if not self.chunks.total or not vector.any():
            return VectorMatches((), 0.0, 0.0)
        cosines = self._cosines(vector)
        steps = np.rint(cosines / _STEP).astype(np.int64)
        mean = float((steps * weights).sum()) / self.chunks.total
        squares = float((steps * steps * weights).sum()) / self.chunks.total
        deviation = sqrt(max(squares - mean * mean, 0.0))
        return VectorMatches(
            tuple(self.chunks.best(cosines, candidates)), float(mean * _STEP), float(deviation * _STEP)
        )

    def _cosines(self, vector: Vectors) -> Floats:
        # By Cauchy and Schwarz no partial sum is larger than the product of the two lengths.
        root = sqrt(len(vector))
        factor = _EXACT / (_LARGEST_CODE * root) - root
        query = np.rint(vector * factor).astype(np.float32)
        cosines = np.empty(len(self.chunks.weights), np.float32)
        start = 0
        for pack in self._view.packs:
            codes, scales = pack.block(VECTORS), pack.block(SCALES)
            for first in range(0, len(codes), _ROWS_AT_ONCE):
                # Not a matrix product, for which BLAS starts threads: 0.5 ms of CPU time against 9.
                part = np.vecdot(codes[first : first + _ROWS_AT_ONCE].astype(np.float32), query)
                part *= scales[first : first + len(part)] / np.float32(factor)
                cosines[start + first : start + first + len(part)] = part
            start += len(codes)
        return cosines
