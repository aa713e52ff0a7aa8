"""Where a dotted name leads in one graph: to a symbol, out of the repository, or nowhere.

Follows aliases, modules behind aliases, inherited members and star imports. In doubt a name leads outside:
``__getattr__`` of a module or class, code that writes into ``globals()``, a base class or star import from
another distribution, and attributes of values may all provide it.
"""

from __future__ import annotations

import re
from collections.abc import Set
from enum import StrEnum
from functools import cached_property

from repo_guardian.tools.signals.drift.hierarchy import Absence, Hierarchy
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolGraph, SymbolKind

_STAR_IMPORT = re.compile(r"\bimport\s*\*")

_NAMESPACES = ("globals", "vars", "locals")
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

    def __init__(self, graph: SymbolGraph, hierarchy: Hierarchy, once_known: Set[str]) -> None:
        self._graph = graph
        self._hierarchy = hierarchy
        self._once_known = once_known

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
        if owner.id in self._writes_itself:
            return Elsewhere.OUTSIDE
        return self._through_stars(owner.id, last, seen)

    def _through_stars(self, module_id: str, last: str, seen: set[str]) -> Symbol | Elsewhere:
        for target in self._stars.get(module_id, ()):
            found = self._resolve(f"{target}.{last}", seen)
            if found is not Elsewhere.NOWHERE and not last.startswith("_"):
                return found
        return Elsewhere.NOWHERE

    @cached_property
    def _writes_itself(self) -> frozenset[str]:
        """Modules that reach for their own namespace while they are imported."""
        reaches = (e for name in _NAMESPACES for e in self._graph.uses(f"builtins.{name}"))
        itself = (e for e in self._graph.edges() if "sys.modules[" in e.text)
        return frozenset(edge.source for edge in (*reaches, *itself))

    @cached_property
    def _stars(self) -> dict[str, list[str]]:
        """Module id to the modules that it imports everything from."""
        found: dict[str, list[str]] = {}
        for edge in self._graph.edges():
            if edge.kind is EdgeKind.IMPORT and _STAR_IMPORT.search(edge.text):
                found.setdefault(edge.source, []).append(edge.target)
        return found
