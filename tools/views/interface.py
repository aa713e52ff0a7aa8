"""What views are built from and what building one gives: the tree of a commit, coverage, the handle.

The views know nothing of git: whoever owns the repository adapts a commit, or an uncommitted work tree, to
``TreeSource``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from repo_guardian.tools.views.symbol_graph.model import SkippedFile

SYMBOL_GRAPH_FILE = "symbol_graph.json.z"
"""The file of a view's folder that holds the symbol graph."""


class TreeEntry(NamedTuple):
    """One entry of a tree: its path as stored, its object id, and its git mode (``100644``, …)."""

    path: bytes
    oid: str
    mode: str


class TreeSource(Protocol):
    """A commit's files by content.

    ``commit`` names the view: a full object id, or another label of letters, digits, ``_`` and ``-``.
    ``tree`` is the id of the tree, only recorded.
    """

    @property
    def commit(self) -> str:
        """The name under which the view is published."""
        ...

    @property
    def tree(self) -> str:
        """The tree's object id."""
        ...

    def files(self) -> Sequence[tuple[bytes, str, str]]:
        """All entries, recursively, as ``TreeEntry`` or plain tuples."""
        ...

    def read(self, oids: Sequence[str]) -> Iterable[tuple[str, bytes | None]]:
        """The blobs with these ids, in any order; None for one that cannot be had."""
        ...


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a tree a view has seen.

    Attributes:
        seen: entries in the tree.
        parsed: files whose facts are whole.
        partial: files whose facts hold less than the file, with the reason.
        skipped: files of a covered language that contributed nothing, with the reason.
        not_covered: files of languages that no extractor reads, by language.
        other: files that are no source code, as far as the name tells.
    """

    seen: int = 0
    parsed: int = 0
    partial: tuple[SkippedFile, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    not_covered: tuple[tuple[str, int], ...] = ()
    other: int = 0


@dataclass(frozen=True, slots=True)
class ViewHandle:
    """A published view.

    Attributes:
        commit: the name under which it is published.
        folder: ``views/<commit>`` in the state directory.
        digest: canonical and history-free: equal for equal graphs, however they were built.
        reused: True when an intact current view was there already and nothing was built.
        facts_reused, facts_extracted: blobs whose facts were in the store, and blobs that were read.
    """

    commit: str
    folder: Path
    digest: str
    coverage: Coverage = field(default_factory=Coverage)
    reused: bool = False
    facts_reused: int = 0
    facts_extracted: int = 0

    @property
    def payload(self) -> Path:
        """The symbol graph's file in ``folder``."""
        return self.folder / SYMBOL_GRAPH_FILE
