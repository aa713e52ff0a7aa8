"""A graph that is asked one thing many times: what was read once is kept, and some files are read ahead.

A published graph finds a symbol by searching every pack of its view and decodes it anew each time. A
comparison asks for the symbols of the changed files again and again, so these are read file by file first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Edge, GraphSize, SkippedFile, Symbol, SymbolKind


class RememberedGraph:
    """``interface.Graph`` over another one; lives as long as one comparison.

    Args:
        graph: what is asked.
        paths: the files to read ahead.
    """

    def __init__(self, graph: Graph, paths: Iterable[str]) -> None:
        self._graph = graph
        self.commit = graph.commit
        self.skipped: tuple[SkippedFile, ...] = graph.skipped
        self.files: Mapping[str, str] = graph.files
        self._symbols_in = {path: graph.symbols_in(path) for path in paths}
        self._edges_in: dict[str, tuple[Edge, ...]] = {}
        self._uses: dict[str, tuple[Edge, ...]] = {}
        ahead = (symbol for symbols in self._symbols_in.values() for symbol in symbols)
        self.symbols: Mapping[str, Symbol] = _Symbols(graph.symbols, ahead)

    @property
    def import_roots(self) -> tuple[str, ...]:
        """See ``Graph``."""
        return self._graph.import_roots

    @property
    def size(self) -> GraphSize:
        """See ``Graph``."""
        return self._graph.size

    def edges(self) -> Iterator[Edge]:
        """See ``Graph``."""
        return self._graph.edges()

    def symbols_in(self, path: str) -> tuple[Symbol, ...]:
        """See ``Graph``."""
        if path not in self._symbols_in:
            self._symbols_in[path] = self._graph.symbols_in(path)
        return self._symbols_in[path]

    def edges_in(self, path: str) -> tuple[Edge, ...]:
        """See ``Graph``."""
        if path not in self._edges_in:
            self._edges_in[path] = self._graph.edges_in(path)
        return self._edges_in[path]

    def uses(self, symbol_id: str) -> tuple[Edge, ...]:
        """See ``Graph``."""
        if symbol_id not in self._uses:
            self._uses[symbol_id] = self._graph.uses(symbol_id)
        return self._uses[symbol_id]

    def named(self, name: str) -> tuple[Edge, ...]:
        """See ``Graph``."""
        return self._graph.named(name)

    def fan_in(self, symbol_id: str) -> int:
        """See ``Graph``."""
        return len({edge.source for edge in self.uses(symbol_id)})

    def used_in(self, symbol_id: str) -> int:
        """See ``Graph``."""
        return self._graph.used_in(symbol_id)

    def use_counts(self) -> tuple[int, ...]:
        """See ``Graph``."""
        return self._graph.use_counts()

    def module_of(self, symbol_id: str) -> Symbol | None:
        """See ``Graph``."""
        parts = symbol_id.split(".")
        found = (self.symbols.get(".".join(parts[:end])) for end in range(len(parts), 0, -1))
        return next((s for s in found if s is not None and s.kind is SymbolKind.MODULE), None)

    def members(self, symbol_id: str) -> tuple[Symbol, ...]:
        """See ``Graph``."""
        return self._graph.members(symbol_id)


class _Symbols(Mapping[str, Symbol]):
    """The symbols of a graph; those that were asked for, and those that are not there, are remembered."""

    def __init__(self, symbols: Mapping[str, Symbol], ahead: Iterable[Symbol]) -> None:
        self._symbols = symbols
        self._known: dict[str, Symbol | None] = {symbol.id: symbol for symbol in ahead}

    def get(self, key: str, default: Symbol | None = None) -> Symbol | None:  # type: ignore[override]
        """The symbol with the id ``key``."""
        if key not in self._known:
            self._known[key] = self._symbols.get(key)
        found = self._known[key]
        return default if found is None else found

    def __getitem__(self, key: str) -> Symbol:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._symbols)

    def __len__(self) -> int:
        return len(self._symbols)
