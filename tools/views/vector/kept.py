"""Vectors that cost money, kept in one SQLite file by model and text, beyond any view that uses them."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from repo_guardian.errors import StateDirError
from repo_guardian.tools.views.vector.interface import Vectors

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
_BUSY_S = 30.0
_AT_ONCE = 500
"""Keys in one query: below SQLite's limit of variables."""


class KeptVectors:
    """The file. It is made when something is first put in; several processes may use it.

    Args:
        path: the file.
        dimensions: the length of a vector.
    """

    def __init__(self, path: Path, dimensions: int) -> None:
        self._path = path
        self._dimensions = dimensions

    def get(self, identity: str, texts: Sequence[str]) -> dict[int, Vectors]:
        """The vectors that are there, by position in ``texts``.

        Raises:
            StateDirError: the file cannot be read.
        """
        if not self._path.exists():
            return {}
        keys = {_key(identity, text): number for number, text in reversed(list(enumerate(texts)))}
        found: dict[bytes, Vectors] = {}
        with self._open() as connection:
            for batch in _batches(list(keys)):
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 - marks only
                for key, vector in connection.execute(query, batch):
                    row = np.frombuffer(vector, np.float32)
                    if len(row) == self._dimensions:
                        found[key] = row
        return {
            number: found[key] for number, text in enumerate(texts) if (key := _key(identity, text)) in found
        }

    def put(self, identity: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of ``texts``, all of them or none.

        Raises:
            StateDirError: the file cannot be written.
        """
        rows = [
            (_key(identity, text), vector.astype(np.float32).tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._open() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as connection:
                connection.execute(_TABLE)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise StateDirError(
                f"the kept embeddings cannot be used: {error}",
                hint=f"remove {self._path.name} or make it writable",
            ) from error


def _batches(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), _AT_ONCE):
        yield keys[start : start + _AT_ONCE]


def _key(identity: str, text: str) -> bytes:
    content = f"{identity}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).digest()
