"""What a chunk is, and the bounds of chunking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import Region

CHUNKS_VERSION = "1"
"""Changes when the same file gives other chunks."""


class Chunk(NamedTuple):
    """A piece of one blob: a function, a class without its methods, what is left of a module, or a window.

    Attributes:
        region: lines and bytes of the blob; whole lines, unless one line alone is longer than a chunk may be.
        owner: the definition that it belongs to, by its index in the file's facts; -1 for the module itself
            and outside of source code.
        heading: the dotted name of ``owner`` within the file, or the heading of a section of prose.
    """

    region: Region
    owner: int
    heading: str


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Bounds: bytes and lines of one chunk, chunks of one file, bytes of a file that is not source code."""

    chunk_bytes: int = 6_000
    chunk_lines: int = 120
    window_lines: int = 60
    file_chunks: int = 20_000
    text_bytes: int = 512 * 1024
