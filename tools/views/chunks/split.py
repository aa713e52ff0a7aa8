"""Which files are chunked, and how: a pure function of the bytes, the facts and the kind of file."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Literal

from repo_guardian.tools.views.chunks.code import code_chunks
from repo_guardian.tools.views.chunks.interface import Chunk, ChunkLimits
from repo_guardian.tools.views.chunks.prose import prose_chunks, window_chunks
from repo_guardian.tools.views.chunks.windows import Lines
from repo_guardian.tools.views.facts.interface import FileFacts

TextKind = Literal["prose", "other", "data"]

_PROSE = frozenset({"md", "markdown", "rst", "txt", "adoc", "asciidoc", "org"})
_PROSE_NAMES = frozenset({"readme", "changelog", "changes", "contributing", "history", "news", "authors"})
_DATA_SUFFIXES = """
csv tsv svg map lock po pot mo sum snap ipynb pem crt key pub geojson jsonl log diff patch
png jpg jpeg gif webp ico bmp pdf ps eps zip gz bz2 xz zst tar whl jar egg class so dll dylib a o pyc
woff woff2 ttf otf eot mp3 mp4 wav ogg bin dat db sqlite parquet npy npz pkl
"""
_DATA = frozenset(_DATA_SUFFIXES.split())
"""Suffixes of files that hold data, or what a tool wrote: no one looks for a line of theirs in words."""

_DATA_NAMES = frozenset({"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "license", "copying"})
_SNIFFED_BYTES = 8_000


@lru_cache(maxsize=1 << 15)
def text_kind(path: str) -> TextKind:
    """What a file without facts is, by its name alone; ``data`` is not chunked."""
    base = path.rpartition("/")[2].lower()
    stem, dot, suffix = base.rpartition(".")
    if base in _DATA_NAMES or (dot and suffix in _DATA) or stem.endswith(".min"):
        return "data"
    if (dot and suffix in _PROSE) or base.partition(".")[0] in _PROSE_NAMES:
        return "prose"
    return "other"


def chunks_of(
    blob: bytes, facts: FileFacts | None, kind: TextKind, limits: ChunkLimits | None = None
) -> tuple[Chunk, ...]:
    """The chunks of a file in source order; they do not overlap, and leave out blank lines alone.

    Args:
        blob: the whole file.
        facts: its facts; None for a file that is not read as source code.
        kind: used without facts only.

    Empty for data, for binary files, and for text without facts that is longer than the limit.
    """
    limits = limits or ChunkLimits()
    if facts is None and (kind == "data" or len(blob) > limits.text_bytes):
        return ()
    if b"\0" in blob[:_SNIFFED_BYTES]:
        return ()
    lines = Lines(blob)
    if facts is not None and facts.definitions:
        chunks = tuple(islice(code_chunks(lines, facts, limits), limits.file_chunks + 1))
        if len(chunks) <= limits.file_chunks:
            return chunks
    if facts is None and kind == "prose":
        return tuple(islice(prose_chunks(lines, limits), limits.file_chunks))
    return tuple(islice(window_chunks(lines, limits), limits.file_chunks))
