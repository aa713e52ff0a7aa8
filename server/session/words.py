"""A human's words on hypotheses, as they stand to the tree that is looked at.

A word is said of a hypothesis while the files of its locus hold certain blobs, and holds as long as they do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from repo_guardian.server.contract.hypotheses import HumanWord, Word

if TYPE_CHECKING:
    from repo_guardian.memory_store.interface import MemoryStore
    from repo_guardian.memory_store.records import HumanWordRecord

_KEYS_AT_ONCE = 500

Oid = Callable[[str], str | None]
"""Gives the object name of what is at a path of a tree; None where there is nothing."""


class Words:
    """What was said, read from a memory that may not be there yet.

    Args:
        memory: the memory's folder, or the opened memory.
        oid: of the tree that is looked at.
    """

    def __init__(self, memory: Path | MemoryStore, oid: Oid) -> None:
        self._memory = memory
        self._oid = oid

    def of(self, keys: Sequence[str], *, before_cycle: int | None = None) -> dict[str, HumanWord]:
        """The latest word on each hypothesis that has one.

        Args:
            before_cycle: leave out what was said after that cycle began.

        Raises:
            MemoryStoreError, StateDirError: there is a memory, and it cannot be read.
        """
        store = self._opened() if isinstance(self._memory, Path) else self._memory
        if store is None or not keys:
            return {}
        found: dict[str, HumanWord] = {}
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            said = store.words(keys[start : start + _KEYS_AT_ONCE], before_cycle=before_cycle)
            found |= {key: human_word(record, self._oid) for key, record in said.items()}
        return found

    def _opened(self) -> MemoryStore | None:
        """The memory; None where it holds no word, which is found out without loading what reads one."""
        from repo_guardian.memory_store import open_store
        from repo_guardian.memory_store.glance import may_hold_words

        directory = self._memory
        if not isinstance(directory, Path) or not may_hold_words(directory):
            return None
        return open_store(directory)


def stored_path(path: str) -> str:
    """A path as a word's blobs are filed under: quoted as in a URL, so that any bytes survive."""
    return quote(path, safe="/ !#$&'()*+,:;=?@[]~", errors="surrogateescape")


def human_word(record: HumanWordRecord, oid: Oid) -> HumanWord:
    """A record of the memory as it is told."""
    return HumanWord(
        word=Word(record.word.value),
        reason=record.reason,
        said_at=record.said_at,
        current=all(
            oid(unquote(path, errors="surrogateescape")) == (blob or None)
            for path, blob in record.blobs.items()
        ),
    )
