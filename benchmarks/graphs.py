"""Graphs for the benchmarks: how one is built and read, and which definition calls which in it.

A ground truth, a call tracer and a graph name the ends of a call alike only after a few conventions: calling
a class is calling the ``__init__`` that it has or inherits, reading a property is calling its function, and
a decorator is called by what encloses the decorated definition.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Self

from repo_guardian.tools.retrieval.interface import SearchResult
from repo_guardian.tools.views import publish
from repo_guardian.tools.views.interface import VIEWS, BuildOptions, TreeSource, ViewHandle
from repo_guardian.tools.views.manifest import Manifest
from repo_guardian.tools.views.published import read_manifest
from repo_guardian.tools.views.registry import builder_of
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Resolution, SymbolKind

Pair = tuple[str, str]
"""Caller and callee."""

GUESSES = frozenset({Resolution.UNIQUE_NAME, Resolution.NAME})
"""Resolutions that the graph itself marks as guesses."""

_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})


def build(source: TreeSource, state_dir: Path) -> Graph:
    """Publish the symbol graph of ``source`` and open it."""
    publish.refresh(source, state_dir)
    return publish.load(state_dir, source.commit)


def publish_views(
    source: TreeSource, state_dir: Path, views: Sequence[str] = (), *, since: str | None = None
) -> ViewHandle:
    """Publish views of ``source``, all by default, on top of those of ``since`` where they are there."""
    return publish.refresh(source, state_dir, BuildOptions(tuple(views) or VIEWS, since=since))


def open_graph(state_dir: Path, commit: str) -> Graph:
    """The published graph of a commit."""
    return publish.load(state_dir, commit)


def open_search(state_dir: Path, commit: str) -> Callable[[str], SearchResult]:
    """Hybrid search over the published views of a commit."""
    from repo_guardian.tools.retrieval.search import search
    from repo_guardian.tools.retrieval.views import open_commit

    return partial(search, open_commit(state_dir, commit))


def manifest_of(state_dir: Path, commit: str) -> Manifest:
    """What building the views of a commit took from the commit before, and what it made."""
    return read_manifest(state_dir, commit)


class Clock:
    """CPU seconds that each view's own builder spends while the context lasts.

    What builders share is counted where it happens first: the graph's builder extracts the facts.
    """

    def __init__(self, views: Sequence[str] = VIEWS) -> None:
        self.spent_s = dict.fromkeys(views, 0.0)
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        for name in self.spent_s:
            builder: Any = builder_of(name)
            original = builder.build
            builder.build = partial(self._build, name, original)
            self._undo.callback(delattr, builder, "build")
        return self

    def __exit__(self, *_error: object) -> None:
        self._undo.close()

    def _build(self, name: str, original: Callable[..., Iterable[Any]], *given: Any) -> Iterator[Any]:
        began = time.process_time()
        answers = iter(original(*given))
        while True:
            try:
                answer = next(answers)
            except StopIteration:
                return
            finally:
                self.spent_s[name] += time.process_time() - began
            yield answer
            began = time.process_time()


class Calls:
    """Who calls whom in one graph.

    Args:
        graph: the graph; every file of it is read once.
        guesses: whether calls that were resolved by their name alone count.
        properties: whether reading a property counts as a call of its function, which it is.
    """

    def __init__(self, graph: Graph, *, guesses: bool = True, properties: bool = True) -> None:
        self._graph = graph
        self._properties = properties
        self._guesses = guesses
        self._edges = tuple(graph.edges())
        self._bases: dict[str, list[str]] = {}
        self._overridden: dict[str, list[str]] = {}
        for edge in self._edges:
            if edge.kind is EdgeKind.OVERRIDE:
                self._overridden.setdefault(edge.source, []).append(edge.target)
            if edge.kind is EdgeKind.INHERIT and edge.resolution is not Resolution.UNRESOLVED:
                self._bases.setdefault(edge.source, []).append(edge.target)

    def pairs(self) -> set[Pair]:
        """Calls between definitions of the tree; module-level code calls as its module."""
        return {pair for pair, _ in self.resolved()}

    def resolved(self) -> Iterator[tuple[Pair, Edge]]:
        """Each call between definitions of the tree, with the edge that says so."""
        for edge in self._edges:
            known = edge.resolution is not Resolution.UNRESOLVED
            if known and (self._guesses or edge.resolution not in GUESSES) and self._is_call(edge):
                for callee in self._callees(edge):
                    yield (edge.source, callee), edge

    def outside(self) -> set[Pair]:
        """Calls of what is not in the tree: builtins as ``<builtin>.len``, imports by their dotted name."""
        found = set()
        for edge in self._edges:
            name = edge.target
            if edge.kind is EdgeKind.CALL and name not in self._graph.symbols and not name.startswith("?"):
                builtin = name.removeprefix("builtins.")
                found.add((edge.source, name if builtin == name else f"<builtin>.{builtin}"))
        return found

    def overridden(self, method: str) -> set[str]:
        """The methods that a method overrides, directly or not."""
        found: set[str] = set()
        waiting = [method]
        while waiting:
            new = set(self._overridden.get(waiting.pop(), ())) - found
            found |= new
            waiting.extend(new)
        return found

    def constructor(self, class_id: str, seen: frozenset[str] = frozenset()) -> str | None:
        """The ``__init__`` that instances of a class are made by; None when it is not in the tree."""
        own = f"{class_id}.__init__"
        if own in self._graph.symbols:
            return own
        for base in self._bases.get(class_id, ()):
            found = None if base in seen else self.constructor(base, seen | {class_id})
            if found is not None:
                return found
        return None

    def _is_call(self, edge: Edge) -> bool:
        if edge.kind in (EdgeKind.CALL, EdgeKind.DECORATE):
            return True
        symbol = self._graph.symbols.get(edge.target)
        is_property = symbol is not None and symbol.kind is SymbolKind.PROPERTY
        return self._properties and edge.kind is EdgeKind.REFERENCE and is_property

    def _callees(self, edge: Edge) -> Iterator[str]:
        symbol = self._graph.symbols.get(edge.target)
        if symbol is not None and symbol.kind in _FUNCTIONS:
            yield symbol.id
        elif symbol is not None and symbol.kind is SymbolKind.CLASS:
            made_by = self.constructor(symbol.id)
            if made_by is not None:
                yield made_by
