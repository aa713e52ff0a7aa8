"""What people would use instead, over the same chunks: bm25s with split identifiers, and SQLite's FTS5."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Protocol

_IDENTIFIER = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Baseline(Protocol):
    """An index over texts."""

    def search(self, query: str, count: int) -> list[int]:
        """The numbers of the best texts, best first."""
        ...


class Bm25s:
    """bm25s (https://github.com/xhluca/bm25s) with its own stop words, over words with identifiers split."""

    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s

        self._library = bm25s
        self._index = bm25s.BM25()
        tokens = bm25s.tokenize(
            [split_identifiers(text) for text in texts], stopwords="en", show_progress=False
        )
        self._index.index(tokens, show_progress=False)

    def search(self, query: str, count: int) -> list[int]:
        """The numbers of the best texts, best first."""
        tokens = self._library.tokenize(split_identifiers(query), stopwords="en", show_progress=False)
        found, scores = self._index.retrieve(tokens, k=count, show_progress=False)
        return [int(number) for number, score in zip(found[0], scores[0], strict=True) if score > 0]


class Fts5:
    """SQLite's FTS5 in memory with the Porter stemmer, over words with identifiers split."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE texts USING fts5(body, tokenize='porter unicode61')")
        rows = ((number, split_identifiers(text)) for number, text in enumerate(texts))
        self._connection.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", rows)

    def search(self, query: str, count: int) -> list[int]:
        """The numbers of the best texts, best first."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_IDENTIFIER.findall(query)))
        if not words:
            return []
        select = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        return [row[0] for row in self._connection.execute(select, (words, count))]


def split_identifiers(text: str) -> str:
    """A text's identifiers, each followed by its parts where it has several."""
    return " ".join(_words(text))


def _words(text: str) -> Iterator[str]:
    for identifier in _IDENTIFIER.findall(text):
        parts = _PART.findall(identifier)
        yield identifier
        if len(parts) > 1:
            yield from parts
