"""The files of a commit that the lexical and the vector view cover, chunked; unchanged ones are not read.

Chunks are a function of a blob, its facts and its kind, so a file that was renamed, or that another file is a
copy of, keeps the shard of the earlier view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.builders import BuildTree, Kept, OpenView, TreeFile
from repo_guardian.tools.views.chunks.interface import CHUNKS_VERSION, Chunk
from repo_guardian.tools.views.chunks.split import chunks_of, text_kind
from repo_guardian.tools.views.facts.interface import Definition, FileFacts
from repo_guardian.tools.views.facts.registry import LANGUAGES, identity_of

CHUNK_BLOCK = "chunks"
CHUNK_COLUMNS = 6
"""First and last line, first byte and byte past the end; then the owner's bytes, 0 and 0 for a module."""

_MAX_OFFSET = 2**32 - 1


class ChunkedFile(NamedTuple):
    """A file with its chunks; ``blob`` is masked (``BuildTree.blobs``)."""

    path: str
    blob: bytes
    chunks: tuple[Chunk, ...]
    definitions: Sequence[Definition]

    def text(self, chunk: Chunk) -> str:
        """A chunk's text; bytes that are not UTF-8 are replaced."""
        return self.blob[chunk.region[2] : chunk.region[3]].decode("utf-8", "replace")

    def rows(self) -> NDArray[Any]:
        """The chunks as rows of ``CHUNK_COLUMNS`` numbers, in order."""
        rows = np.zeros((len(self.chunks), CHUNK_COLUMNS), np.uint32)
        for row, chunk in zip(rows, self.chunks, strict=True):
            owner = self.definitions[chunk.owner].region[2:] if chunk.owner >= 0 else (0, 0)
            row[:] = [min(number, _MAX_OFFSET) for number in (*chunk.region, *owner)]
        return rows


def chunk_versions() -> dict[str, str]:
    """The versions of everything that shapes chunks."""
    extractors = ",".join(filter(None, map(identity_of, sorted(set(LANGUAGES.values())))))
    return {"extractor": extractors, "chunks": CHUNKS_VERSION}


def chunked_files(
    tree: BuildTree, previous: OpenView | None
) -> Iterator[tuple[str, Kept] | tuple[str, ChunkedFile]]:
    """Each file that may have chunks, or ``Kept`` when the earlier view has its shard.

    A file that turns out to have none, an empty or a binary one, is among them so that it is not read again.
    """
    earlier = {} if previous is None else {_content(path, f): path for path, f in previous.files.items()}
    new: list[str] = []
    for path, file in tree.files.items():
        kept = earlier.get(_content(path, file))
        if kept is not None:
            yield path, Kept(kept)
        elif tree.has_facts(path) or text_kind(path) != "data":
            new.append(path)
    for path, blob in tree.blobs(new):
        yield path, _chunked(path, blob, tree.outline(path))


def _content(path: str, file: TreeFile) -> tuple[str, str, str]:
    """What a file's chunks depend on."""
    return file.oid, file.language, text_kind(path)


def _chunked(path: str, blob: bytes, facts: FileFacts | None) -> ChunkedFile:
    chunks = chunks_of(blob, facts, text_kind(path))
    definitions = () if facts is None else facts.definitions
    return ChunkedFile(path, blob if chunks else b"", chunks, definitions)
