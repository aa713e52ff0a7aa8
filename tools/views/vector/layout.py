"""What a shard of the vector view holds: each chunk's vector in bytes, and the hash of what was embedded."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.chunks.files import CHUNK_BLOCK, CHUNK_COLUMNS
from repo_guardian.tools.views.packs.interface import PackLayout
from repo_guardian.tools.views.vector.interface import Passage, Vectors

VIEW = "vector"
FORMAT = "1"

HASHES = "hashes"
VECTORS = "vectors"
SCALES = "scales"

_LARGEST = 127


class Quantized(NamedTuple):
    """Vectors as signed bytes: a row is ``codes * scale``.

    Against float32 this kept every measured rank but a few in ten thousand (docs/decisions/0013).
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


def layout(dimensions: int) -> PackLayout:
    """The layout of packs with vectors of that length."""
    return PackLayout(
        tables={HASHES: (("key", "<u8"), ("chunk", "<u2"))},
        blocks={CHUNK_BLOCK: ("<u4", CHUNK_COLUMNS), VECTORS: ("i1", dimensions), SCALES: ("<f4", 0)},
    )


def quantize(vectors: Vectors) -> Quantized:
    """Each row by the scale that its largest number needs."""
    scales = (np.abs(vectors).max(axis=1, initial=0.0) / _LARGEST).astype(np.float32)
    codes = np.rint(vectors / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    return Quantized(codes, scales)


def passage_key(passage: Passage) -> int:
    """The hash under which a passage's vector is found again."""
    content = f"{passage.heading}\0{passage.text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
