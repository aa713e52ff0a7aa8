"""What a shard of the lexical view holds, and the numbers of its ranking function."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from repo_guardian.tools.views.chunks.files import CHUNK_BLOCK, CHUNK_COLUMNS
from repo_guardian.tools.views.packs.interface import PackLayout

VIEW = "lexical"
FORMAT = "1"

POSTINGS = "postings"
NAMES = "names"
LENGTHS = "lengths"

LAYOUT = PackLayout(
    tables={
        POSTINGS: (("key", "<u4"), ("chunk", "<u2"), ("frequency", "u1")),
        NAMES: (("key", "<u4"), ("chunk", "<u2")),
    },
    blocks={CHUNK_BLOCK: ("<u4", CHUNK_COLUMNS), LENGTHS: ("<u4", 0)},
)
"""``postings``: how often a word occurs in a chunk, at most 255. ``names``: the chunk in which a definition
of that name begins. ``lengths``: the words of each chunk."""

HEADING_WEIGHT = 5
"""How often each word of a chunk's heading counts (BM25F's field weight, Robertson et al., CIKM 2004)."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """BM25's constants (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), measured on
    docstring-to-function retrieval (docs/decisions/0012).

    Attributes:
        k1: how slowly repeated words saturate.
        b: how far a chunk's length counts.
        path: what a query word in a file's path adds to the file's chunks, in units of its weight.
    """

    k1: float = 3.0
    b: float = 0.9
    path: float = 0.5


def word_key(word: str) -> int:
    """A word's key: its CRC-32. Two words of one key are one word, in every build alike."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))
