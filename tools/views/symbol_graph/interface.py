"""What a linked graph answers, whether it is made in memory or read from a published view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from repo_guardian.tools.views.symbol_graph.model import (
    Edge,
    EdgeKind,
    GraphSize,
    Resolution,
    SkippedFile,
    Symbol,
)


class Graph(Protocol):
    """The symbol graph of one commit. Everything is decoded when it is asked for, and only as far as that."""

    @property
    def commit(self) -> str:
        """The name under which the view is published."""
        ...

    @property
    def skipped(self) -> tuple[SkippedFile, ...]:
        """Files that contributed nothing, or less than they hold."""
        ...

    @property
    def import_roots(self) -> tuple[str, ...]:
        """Directories, relative to the tree, from which modules are imported, most specific first."""
        ...

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """All definitions by id. Looking one up is cheap; iterating decodes every file."""
        ...

    @property
    def files(self) -> Mapping[str, str]:
        """Each linked file with the digest of its links: equal digests, equal symbols and edges."""
        ...

    @property
    def size(self) -> GraphSize:
        """How many symbols and edges there are; counted without decoding them."""
        ...

    def edges(self) -> Iterator[Edge]:
        """All edges by (path, start_byte, end_byte, target, kind): decodes every file."""
        ...

    def symbols_in(self, path: str) -> tuple[Symbol, ...]:
        """The symbols of one file by id; empty for a file that the graph does not have."""
        ...

    def edges_in(self, path: str) -> tuple[Edge, ...]:
        """The edges of one file in source order; empty for a file that the graph does not have."""
        ...

    def uses(self, symbol_id: str) -> tuple[Edge, ...]:
        """All edges that lead to ``symbol_id``, directly or as an alias on the way, in file order."""
        ...

    def named(self, name: str) -> tuple[Edge, ...]:
        """Unresolved calls and references whose last part is ``name``: uses that may mean any such symbol."""
        ...

    def fan_in(self, symbol_id: str) -> int:
        """How many distinct symbols use ``symbol_id``."""
        ...

    def used_in(self, symbol_id: str) -> int:
        """In how many files an edge leads to ``symbol_id``; counted without decoding edges."""
        ...

    def use_counts(self) -> tuple[int, ...]:
        """``used_in`` of every symbol that anything uses, ascending: how popular is popular here."""
        ...

    def module_of(self, symbol_id: str) -> Symbol | None:
        """The module symbol that contains ``symbol_id``, or None when it is not in the graph."""
        ...

    def members(self, symbol_id: str) -> tuple[Symbol, ...]:
        """The symbols that ``symbol_id`` directly contains, by id."""
        ...


def changed_files(base: Graph, current: Graph) -> tuple[str, ...]:
    """The files whose links differ between two graphs, sorted: all that a comparison has to look at."""
    before, now = base.files, current.files
    paths = before.keys() | now.keys()
    return tuple(sorted(path for path in paths if before.get(path) != now.get(path)))


def contain_edges(graph: Graph, symbol_id: str) -> tuple[Edge, ...]:
    """The ``CONTAIN`` edges from a module, class or function to what it directly defines, by id.

    They follow from the symbols, so no view stores them; each has the span of the definition it leads to.
    """
    return tuple(
        Edge(symbol_id, member.id, EdgeKind.CONTAIN, member.path, member.span, Resolution.LOCAL)
        for member in graph.members(symbol_id)
    )
