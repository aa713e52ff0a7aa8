"""Where a dotted name leads in one graph: to a symbol, out of the repository, or nowhere.

Follows aliases, modules behind aliases, inherited members and star imports. In doubt a name leads outside:
``__getattr__`` of a module or class, code that writes into ``globals()``, a base class or star import from
another distribution, and attributes of values may all provide it.
"""

from __future__ import annotations

import re
from collections.abc import Container
from enum import StrEnum

from repo_guardian.tools.signals.drift.hierarchy import Absence, Hierarchy
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind

_STAR_IMPORT = re.compile(r"\bimport\s*\*")

_NAMESPACES = frozenset({"builtins.globals", "builtins.vars", "builtins.locals"})
"""Builtins through which module-level code can define names that no statement binds."""


class Elsewhere(StrEnum):
    """Where a dotted name leads when it leads to no symbol of the graph."""

    OUTSIDE = "outside"
    """Into another distribution, or behind something dynamic: it may well resolve."""
    NOWHERE = "nowhere"


class Names:
    """The names of one graph.

    Args:
        graph: the graph.
        hierarchy: its classes.
        once_known: ids that the repository had at another commit; a top-level name among them that the
            graph lacks is missing, while any other belongs to another distribution.
    """

    def __init__(self, graph: Graph, hierarchy: Hierarchy, once_known: Container[str]) -> None:
        self._graph = graph
        self._hierarchy = hierarchy
        self._once_known = once_known
        self._modules: dict[str, tuple[bool, tuple[str, ...]]] = {}

    def resolve(self, name: str) -> Symbol | Elsewhere:
        """Where ``name`` leads; never to an alias."""
        return self._resolve(name, set())

    def _resolve(self, name: str, seen: set[str]) -> Symbol | Elsewhere:
        if name in seen:
            return Elsewhere.NOWHERE
        seen.add(name)
        symbol = self._graph.symbols.get(name)
        if symbol is not None and symbol.kind is not SymbolKind.ALIAS:
            return symbol
        if symbol is not None:
            # An alias for its own id is a submodule that its package imports: the module is there.
            own = symbol.target is None or symbol.target == symbol.id
            return Elsewhere.OUTSIDE if own else self._resolve(symbol.target or "", seen)
        owner_name, _, last = name.rpartition(".")
        if not owner_name:
            return Elsewhere.NOWHERE if name in self._once_known else Elsewhere.OUTSIDE
        owner = self._resolve(owner_name, seen)
        return self._member(owner, last, seen) if isinstance(owner, Symbol) else owner

    def _member(self, owner: Symbol, last: str, seen: set[str]) -> Symbol | Elsewhere:
        """The member ``last`` of a symbol that was found."""
        if owner.kind is SymbolKind.CLASS:
            found = self._hierarchy.lookup(owner.id, last)
            if isinstance(found, Symbol):
                return found
            return Elsewhere.NOWHERE if found is Absence.ABSENT else Elsewhere.OUTSIDE
        if owner.kind is not SymbolKind.MODULE or f"{owner.id}.__getattr__" in self._graph.symbols:
            return Elsewhere.OUTSIDE
        if f"{owner.id}.{last}" in self._graph.symbols:
            return self._resolve(f"{owner.id}.{last}", seen)
        writes_itself, stars = self._module(owner)
        if writes_itself:
            return Elsewhere.OUTSIDE
        return self._through_stars(stars, last, seen)

    def _through_stars(self, stars: tuple[str, ...], last: str, seen: set[str]) -> Symbol | Elsewhere:
        for target in stars:
            found = self._resolve(f"{target}.{last}", seen)
            if found is not Elsewhere.NOWHERE and not last.startswith("_"):
                return found
        return Elsewhere.NOWHERE

    def _module(self, module: Symbol) -> tuple[bool, tuple[str, ...]]:
        """Whether a module reaches for its own namespace, and the modules it imports everything from."""
        if module.id not in self._modules:
            own = [edge for edge in self._graph.edges_in(module.path) if edge.source == module.id]
            stars = [e.target for e in own if e.kind is EdgeKind.IMPORT and _STAR_IMPORT.search(e.text)]
            self._modules[module.id] = any(_writes_itself(edge) for edge in own), tuple(stars)
        return self._modules[module.id]


def _writes_itself(edge: Edge) -> bool:
    return "sys.modules[" in edge.text or not _NAMESPACES.isdisjoint((edge.target, *edge.via))
