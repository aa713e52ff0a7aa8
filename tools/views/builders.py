"""The plug point for views: what a builder of one view is given, and what it has to answer.

A builder decides for each file of a commit whether the shard of an earlier view still holds, or makes a new
one. Everything else (reading blobs, packs, digests, publishing, verifying) is the publisher's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.packs.interface import Pack, PackLayout, Placement, ShardDraft


class TreeFile(NamedTuple):
    """A regular file of a commit: path as text, object id, and language ("" when it is no source code)."""

    path: str
    oid: str
    language: str


class BuildTree(Protocol):
    """A commit's files for builders: no links, no submodules, nothing that looks like a secret."""

    @property
    def files(self) -> Mapping[str, TreeFile]:
        """The files by path, in sorted order."""
        ...

    def facts(self, path: str) -> FileFacts | None:
        """The facts of a source file, from the store or extracted and kept; None where there are none."""
        ...

    def outline(self, path: str) -> FileFacts | None:
        """Of the facts of a source file the definitions, and perhaps no more: these stay in memory."""
        ...

    def has_facts(self, path: str) -> bool:
        """Whether ``facts(path)`` gives some, without reading them."""
        ...

    def facts_of(self, file: TreeFile) -> FileFacts | None:
        """The facts of a file of another commit, when the store still has them."""
        ...

    def blobs(self, paths: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        """Path and content of files, in batches so that not all of a tree is in memory; a blob that cannot be
        had, is too large or turns out to look like a secret is left out and counted in the coverage. In
        source code and prose, secrets are overwritten (``secrets.mask``).
        """
        ...


class OpenView(Protocol):
    """A published view, mapped."""

    @property
    def commit(self) -> str:
        """The name under which it is published."""
        ...

    @property
    def packs(self) -> Sequence[Pack]:
        """Its packs; ``Placement.pack`` counts them."""
        ...

    @property
    def placements(self) -> Mapping[str, Placement]:
        """Path to shard."""
        ...

    @property
    def files(self) -> Mapping[str, TreeFile]:
        """The files of the commit that the view has shards of."""
        ...

    def paths_of(self, pack: int, shard: int) -> tuple[str, ...]:
        """The files of this commit that a shard belongs to; empty when it is another commit's."""
        ...


class Kept(NamedTuple):
    """An answer of a builder: this file's shard is that of the file ``path`` in the previous view."""

    path: str


class ViewBuilder(Protocol):
    """Builds one view."""

    @property
    def name(self) -> str:
        """``symbol_graph``, ``lexical`` or ``vector``."""
        ...

    @property
    def layout(self) -> PackLayout:
        """What its packs hold."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Versions of everything that shapes the view; a view with others is stale and built anew."""
        ...

    def build(self, tree: BuildTree, previous: OpenView | None) -> Iterable[tuple[str, Kept | ShardDraft]]:
        """For each file that the view covers, its shard; in any order, files without one left out.

        ``previous`` is a view of the same versions. The shards must be the same without it.
        """
        ...
