"""What leads to a changed definition: the uses of the graph followed backwards, and what it cannot see.

Importing a name runs nothing of it, so imports are followed only from a module that is itself changed. Code
outside of functions counts for the definition that holds it (a decorator for what it decorates, a value for
its constant); a bare statement for its module, and that for everything that imports it. Beside the edges:

- a call or a read of a member's name on a value of unknown type may mean it, and so may one of a function's
  in a file that imports modules by computed names;
- a line that names a top-level definition, whatever else it calls, uses it;
- a method that the language or a foreign base calls by itself changes its class, an overriding one may run
  where the overridden one is called, and tests of a base class run again in its subclasses;
- a fixture reaches what asks for it by name;
- a function that nothing visible uses, and that is decorated, was registered by its module.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

from repo_guardian.tools.deltas.fixtures import (
    FixtureUsers,
    fixture_name,
    is_autouse,
    is_conftest,
    is_test_file,
)
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind

MAX_SYMBOLS = 20_000
"""Symbols that are followed at most."""
_IMPORTERS = ("importlib.import_module", "builtins.__import__", "pytest.importorskip", "runpy.run_module",
              "runpy.run_path")  # fmt: skip
_ASSIGNED = re.compile(r"(\w+)(?:\.\w+)+\s*=(?!=)")
"""``X.name = value`` at the top of a module changes ``X``."""
_MEMBERS = (SymbolKind.METHOD, SymbolKind.PROPERTY)
_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


@dataclass
class Reached:
    """What may run changed code.

    Attributes:
        symbols: reached definitions by id.
        whole: test files of which no choice can be made.
        below: folders, ending in ``/`` or empty, all of whose tests are reached.
        complete: False when there was more than ``MAX_SYMBOLS``.
    """

    symbols: dict[str, Symbol] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    below: set[str] = field(default_factory=set)
    complete: bool = True


class Walk:
    """One walk backwards over ``graph``."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        # A walk comes by the same files again and again, and a graph decodes them each time.
        self._symbol = cache(graph.symbols.get)
        self._symbols_in = cache(graph.symbols_in)
        self._edges_in = cache(graph.edges_in)
        self._users = FixtureUsers(graph)
        self._reached = Reached()

    def run(self, starts: Iterable[str]) -> Reached:
        """Everything that leads to ``starts``, themselves included."""
        queue = deque(starts)
        seen: set[str] = set()
        while queue:
            name = queue.popleft()
            if name in seen:
                continue
            seen.add(name)
            if len(seen) > MAX_SYMBOLS:
                self._reached.complete = False
                break
            queue.extend(self._next(name))
        return self._reached

    def _next(self, name: str) -> Iterator[str]:
        symbol = self._symbol(name)
        uses = self._graph.uses(name)
        if symbol is None:
            yield from (self._holder(edge) for edge in uses)
            return
        self._reached.symbols[name] = symbol
        if symbol.kind is SymbolKind.MODULE:
            yield from self._module(symbol, uses)
            return
        by_name = self._by_name(symbol)
        running = [edge for edge in uses if edge.kind is not EdgeKind.IMPORT]
        running += self._mentions(symbol, uses)
        for edge in (*running, *by_name):
            yield self._holder(edge)
        self._imported_only(uses, running)
        yield from self._beside(symbol, used=bool(running or by_name))
        yield from self._fixture(symbol)

    def _module(self, module: Symbol, uses: Iterable[Edge]) -> Iterator[str]:
        """A module whose own code may do anything."""
        if is_conftest(module.path):
            self._reached.below.add(module.path.removesuffix("conftest.py"))
        elif is_test_file(module.path):
            self._reached.whole.add(module.path)
        yield from (symbol.id for symbol in self._symbols_in(module.path))
        yield from (edge.source for edge in uses)

    def _holder(self, edge: Edge) -> str:
        """The definition that runs a use: the source, or what holds it in the text of a module or class."""
        source = self._symbol(edge.source)
        if source is None or source.kind not in (SymbolKind.MODULE, SymbolKind.CLASS):
            return edge.source
        span = edge.span
        holding = [
            symbol
            for symbol in self._symbols_in(edge.path)
            if symbol.span.start_byte <= span.start_byte and span.end_byte <= symbol.span.end_byte
        ]
        held = min(holding, key=lambda s: (s.span.end_byte - s.span.start_byte, s.id), default=source)
        if held.kind is SymbolKind.MODULE and (assigned := _ASSIGNED.match(edge.text)):
            target = f"{held.id}.{assigned[1]}"
            return target if target in self._graph.symbols else held.id
        return held.id

    def _by_name(self, symbol: Symbol) -> list[Edge]:
        """Uses on values of unknown type that may mean ``symbol``."""
        owner = self._symbol(symbol.id.rpartition(".")[0])
        if symbol.kind is SymbolKind.ALIAS or owner is None or _is_dunder(symbol.name):
            return []
        found = self._graph.named(symbol.name)
        if symbol.kind in _MEMBERS:
            return list(found)
        if owner.kind is not SymbolKind.MODULE:
            return []
        return [edge for edge in found if edge.target.startswith("?.") and edge.path in self._importing]

    def _mentions(self, symbol: Symbol, uses: Iterable[Edge]) -> Iterator[Edge]:
        """Uses of something else on lines that name a top-level symbol: ``TABLE.copy()`` reads ``TABLE``."""
        owner = self._symbol(symbol.id.rpartition(".")[0])
        if owner is None or owner.kind is not SymbolKind.MODULE:
            return
        names = {(symbol.path, symbol.name)}
        for edge in uses:
            if edge.kind is EdgeKind.IMPORT:
                names |= {(edge.path, s.name) for s in self._symbols_in(edge.path) if _binds(s, edge)}
        for path, name in sorted(names):
            word = re.compile(rf"(?<![\w.]){re.escape(name)}\b")
            for edge in self._edges_in(path):
                if edge.kind is not EdgeKind.IMPORT and edge.source != symbol.id and word.search(edge.text):
                    yield edge

    @cached_property
    def _importing(self) -> frozenset[str]:
        """Files that import modules by names that are values: there an unknown value may be a module."""
        edges = (edge for name in _IMPORTERS for edge in self._graph.uses(name))
        return frozenset(edge.path for edge in edges)

    def _imported_only(self, uses: Iterable[Edge], running: Iterable[Edge]) -> None:
        """Test files that import a name and show no use of it may use it in a way that is not seen."""
        used = {edge.path for edge in running}
        self._reached.whole |= {edge.path for edge in uses if is_test_file(edge.path)} - used

    def _beside(self, symbol: Symbol, *, used: bool) -> Iterator[str]:
        owner = self._symbol(symbol.id.rpartition(".")[0])
        if owner is not None and owner.kind in _FUNCTIONS:
            yield owner.id
        elif symbol.kind in _MEMBERS and owner is not None:
            is_test = is_test_file(symbol.path) and symbol.name.startswith("test")
            if _is_dunder(symbol.name) or not (used or is_test):
                yield owner.id
            yield from self._overridden(symbol)
        elif owner is not None and not used and _is_registered(symbol):
            yield owner.id

    def _overridden(self, symbol: Symbol) -> Iterator[str]:
        for edge in self._edges_in(symbol.path):
            if edge.kind is EdgeKind.OVERRIDE and edge.source == symbol.id:
                yield edge.target

    def _fixture(self, symbol: Symbol) -> Iterator[str]:
        folder = symbol.path.removesuffix("conftest.py") if is_conftest(symbol.path) else None
        if fixture_name(symbol):
            if not is_autouse(symbol):
                yield from self._users.of(symbol)
            elif folder is None and is_test_file(symbol.path):
                self._reached.whole.add(symbol.path)
            else:
                self._reached.below.add(folder or "")
        elif folder is not None and symbol.name.startswith("pytest_"):
            self._reached.below.add(folder)


def _binds(symbol: Symbol, edge: Edge) -> bool:
    """Whether an import binds the name that ``edge`` imports."""
    span = symbol.span
    inside = span.start_byte <= edge.span.start_byte and edge.span.end_byte <= span.end_byte
    return symbol.kind is SymbolKind.ALIAS and inside and symbol.target in (None, edge.target, *edge.via)


def _is_registered(symbol: Symbol) -> bool:
    """Whether a function that nothing visible uses may have been given to something by a decorator."""
    decorated = symbol.kind is SymbolKind.FUNCTION and bool(symbol.decorators)
    return decorated and not is_test_file(symbol.path) and not fixture_name(symbol)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
