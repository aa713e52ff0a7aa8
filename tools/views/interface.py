"""What views are built from and what building one gives: the tree of a commit, coverage, the handle.

The views know nothing of git: whoever owns the repository adapts a commit, or an uncommitted work tree, to
``TreeSource``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.symbol_graph.model import SkippedFile

VIEWS = ("symbol_graph", "lexical", "vector")
"""The views that there are."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What to build, and from what.

    Attributes:
        views: the views that have to be whole afterwards.
        extract: limits of the extraction of facts, and of the blobs that are read at all.
        since: the commit from whose views to start; by default the one that was published last. The result
            is the same whichever it is, and without any.
    """

    views: tuple[str, ...] = VIEWS
    extract: ExtractLimits = field(default_factory=ExtractLimits)
    since: str | None = None


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
        withheld: files that look like secrets and so are in no view, by reason.
    """

    seen: int = 0
    parsed: int = 0
    partial: tuple[SkippedFile, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    not_covered: tuple[tuple[str, int], ...] = ()
    other: int = 0
    withheld: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ViewHandle:
    """A published view.

    Attributes:
        commit: the name under which it is published.
        folder: ``views/<commit>`` in the state directory.
        digest: the symbol graph's, canonical and history-free: equal for equal graphs, however they were
            built; empty when there is no symbol graph.
        reused: True when an intact current view was there already and nothing was built.
        facts_reused, facts_extracted: blobs whose facts were in the store, and blobs that were read.
        digests: of all views that are published, by name.
    """

    commit: str
    folder: Path
    digest: str
    coverage: Coverage = field(default_factory=Coverage)
    reused: bool = False
    facts_reused: int = 0
    facts_extracted: int = 0
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def payload(self) -> Path:
        """The file in ``folder`` that says which shards of which packs are the views'."""
        return self.folder / "catalog.bin"
