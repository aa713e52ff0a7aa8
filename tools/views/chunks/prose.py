"""Chunks of files that no extractor reads: sections of prose, windows of everything else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_guardian.tools.views.chunks.interface import Chunk, ChunkLimits
from repo_guardian.tools.views.chunks.windows import Lines, windows

_MARKDOWN_HEADING = re.compile(rb"#{1,6}\s+(?P<text>\S.*?)\s*#*$")
_UNDERLINE = re.compile(rb"([=\-~^\"'`#*+:.])\1{2,}$")
"""A line of punctuation below a title, as in reStructuredText and Markdown."""

_FENCE = re.compile(rb"(```|~~~)")
_HEADING_CHARACTERS = 120


def prose_chunks(lines: Lines, limits: ChunkLimits) -> Iterator[Chunk]:
    """The chunks of a text: a new one at each heading, long sections in windows."""
    bounds = list(_headings(lines))
    starts = [(1, "")] if not bounds or bounds[0][0] > 1 else []
    starts.extend(bounds)
    for number, (first, heading) in enumerate(starts):
        last = starts[number + 1][0] - 1 if number + 1 < len(starts) else lines.count
        for region in windows(lines, first, last, limits.window_lines, limits.chunk_bytes):
            yield Chunk(region, -1, heading)


def window_chunks(lines: Lines, limits: ChunkLimits) -> Iterator[Chunk]:
    """The chunks of a file of unknown structure."""
    for region in windows(lines, 1, lines.count, limits.window_lines, limits.chunk_bytes):
        yield Chunk(region, -1, "")


def _headings(lines: Lines) -> Iterator[tuple[int, str]]:
    """Line and text of each heading outside of fenced code."""
    fenced = False
    for line in range(1, lines.count + 1):
        text = lines.text(line)
        if _FENCE.match(text):
            fenced = not fenced
        if fenced or not text:
            continue
        match = _MARKDOWN_HEADING.match(text)
        if match is not None:
            yield line, _heading_text(match["text"])
        elif line < lines.count and _is_underlined(text, lines.text(line + 1)):
            yield line, _heading_text(text)


def _is_underlined(text: bytes, below: bytes) -> bool:
    return len(below) >= len(text) and not _UNDERLINE.match(text) and _UNDERLINE.match(below) is not None


def _heading_text(text: bytes) -> str:
    return text.decode("utf-8", "replace")[:_HEADING_CHARACTERS]
