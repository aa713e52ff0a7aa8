"""Two graphs side by side: which names are gone, where a name leads now, and who still asks for it.

All detectors share one ``Comparison``, so that each set operation is done once. Its guiding rule is that
a name counts as gone only if nothing in the repository could still serve it: a re-export, a module's or
class's ``__getattr__``, an inherited definition, a base class from outside, or a file that the linker had
to skip.
"""

from __future__ import annotations

import bisect
from functools import cached_property

from repo_guardian.tools.signals.drift.hierarchy import Hierarchy
from repo_guardian.tools.signals.drift.names import Elsewhere, Names
from repo_guardian.tools.views.symbol_graph.model import (
    Edge,
    Resolution,
    Symbol,
    SymbolGraph,
    SymbolKind,
)

CALLABLES = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY)


class Comparison:
    """A base graph and a current graph.

    Args:
        base: the graph of the commit that is compared with.
        current: the graph of the commit under observation.
    """

    def __init__(self, base: SymbolGraph, current: SymbolGraph) -> None:
        self.base = base
        self.current = current
        self.base_hierarchy = Hierarchy(base)
        self.hierarchy = Hierarchy(current)
        self._names_at_base = Names(base, self.base_hierarchy, frozenset())
        self._names_now = Names(current, self.hierarchy, frozenset(base.symbols))
        self._doubtful = {s.path for s in (*base.skipped, *current.skipped)}

    # -- names ---------------------------------------------------------------------------------------

    def at_base(self, name: str) -> Symbol | Elsewhere:
        """Where ``name`` leads at the base, through any number of aliases."""
        return self._names_at_base.resolve(name)

    def now(self, name: str) -> Symbol | Elsewhere:
        """Where ``name`` leads at the current commit, through any number of aliases."""
        return self._names_now.resolve(name)

    @cached_property
    def reexports(self) -> dict[str, tuple[Symbol, ...]]:
        """Base id to the public aliases of it."""
        found: dict[str, list[Symbol]] = {}
        for alias in self.base.symbols.values():
            if alias.kind is SymbolKind.ALIAS and alias.public:
                target = self.at_base(alias.id)
                if isinstance(target, Symbol):
                    found.setdefault(target.id, []).append(alias)
        return {name: tuple(aliases) for name, aliases in found.items()}

    def doubtful(self, symbol: Symbol) -> bool:
        """Whether the linker skipped, at either commit, all or part of the file that defines it."""
        return symbol.path in self._doubtful

    def misplaced(self, symbol: Symbol) -> bool:
        """Whether a base id says nothing about the current commit for a reason of ours.

        The file was skipped, or it is still there and only counts as another module now, because import
        roots or two files that claim one name are told apart differently.
        """
        module = self.base.module_of(symbol.id)
        if self.doubtful(symbol) or module is None:
            return True
        return self.modules_now.get(module.path, module.id) != module.id

    @cached_property
    def gone(self) -> frozenset[str]:
        """Base ids that lead nowhere at the current commit, whatever contains them included."""
        return frozenset(name for name, symbol in self.base.symbols.items() if self._is_gone(symbol))

    @cached_property
    def gone_roots(self) -> tuple[Symbol, ...]:
        """The symbols to report of ``gone``: no containing symbol is gone too, and no function is.

        A name that was defined inside a function was never reachable from outside; an alias whose
        definition is gone as well is part of that removal.
        """
        return tuple(self.base.symbols[name] for name in sorted(self.gone) if self._is_root(name))

    @cached_property
    def synonyms(self) -> dict[str, tuple[str, ...]]:
        """Base id to the aliases of it that existed at the base and are gone now."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.gone):
            if self.base.symbols[name].kind is SymbolKind.ALIAS:
                target = self.at_base(name)
                if isinstance(target, Symbol) and target.id != name:
                    found.setdefault(target.id, []).append(name)
        return {name: tuple(aliases) for name, aliases in found.items()}

    @cached_property
    def born(self) -> dict[tuple[SymbolKind, str], list[Symbol]]:
        """Definitions of the current commit whose id is new, by kind and name; aliases are none."""
        found: dict[tuple[SymbolKind, str], list[Symbol]] = {}
        for name, symbol in self.current.symbols.items():
            if name not in self.base.symbols and symbol.kind is not SymbolKind.ALIAS:
                found.setdefault((symbol.kind, symbol.name), []).append(symbol)
        return found

    @cached_property
    def modules_now(self) -> dict[str, str]:
        """Path to id of all modules of the current commit."""
        return {s.path: s.id for s in self.current.symbols.values() if s.kind is SymbolKind.MODULE}

    def members_at_base(self, owner: str) -> dict[str, SymbolKind]:
        """What the base defines anywhere below ``owner``: relative path to kind; aliases left out."""
        return _members(self.base, self._ids_at_base, owner)

    def members_now(self, owner: str) -> dict[str, SymbolKind]:
        """What the current commit defines anywhere below ``owner``; see ``members_at_base``."""
        return _members(self.current, self._ids_now, owner)

    def public_names(self, owner: str) -> tuple[str, ...]:
        """Names directly inside ``owner`` that are public definitions at the base, sorted."""
        direct = (n for n in self.members_at_base(owner) if not n.startswith("_") and "." not in n)
        return tuple(sorted(n for n in direct if self.base.symbols[f"{owner}.{n}"].public))

    # -- uses ----------------------------------------------------------------------------------------

    def dangling(self, name: str) -> tuple[Edge, ...]:
        """Unresolved uses, at the current commit, of ``name`` or of anything below it."""
        targets, edges = self._unresolved
        found = list(edges.get(name, ()))
        prefix = f"{name}."
        for index in range(bisect.bisect_left(targets, prefix), len(targets)):
            target = targets[index]
            if not target.startswith(prefix):
                break
            found += edges[target]
        return tuple(found)

    def uses_at_base(self, names: tuple[str, ...]) -> tuple[Edge, ...]:
        """All uses of any of ``names`` at the base, each once."""
        return tuple(dict.fromkeys(edge for name in names for edge in self.base.uses(name)))

    def uses_now(self, names: tuple[str, ...]) -> tuple[Edge, ...]:
        """All uses of any of ``names`` at the current commit, each once."""
        return tuple(dict.fromkeys(edge for name in names for edge in self.current.uses(name)))

    @cached_property
    def unresolved_lines(self) -> dict[tuple[str, str], list[Edge]]:
        """Unresolved uses at the current commit by file and source line."""
        found: dict[tuple[str, str], list[Edge]] = {}
        for edges in self._unresolved[1].values():
            for edge in edges:
                found.setdefault((edge.path, edge.text), []).append(edge)
        return found

    # -- internals -----------------------------------------------------------------------------------

    @cached_property
    def _unresolved(self) -> tuple[list[str], dict[str, list[Edge]]]:
        edges: dict[str, list[Edge]] = {}
        for edge in self.current.edges():
            if edge.resolution is Resolution.UNRESOLVED:
                edges.setdefault(edge.target, []).append(edge)
        return sorted(edges), edges

    @cached_property
    def _ids_at_base(self) -> list[str]:
        return list(self.base.symbols)

    @cached_property
    def _ids_now(self) -> list[str]:
        return list(self.current.symbols)

    def _is_gone(self, symbol: Symbol) -> bool:
        here = self.current.symbols.get(symbol.id)
        if here is not None and here.kind is not SymbolKind.ALIAS:
            return False
        return self.now(symbol.id) is Elsewhere.NOWHERE and not self.misplaced(symbol)

    def _is_root(self, name: str) -> bool:
        symbol = self.base.symbols[name]
        owner = name.rpartition(".")[0]
        while owner:
            holder = self.base.symbols.get(owner)
            if owner in self.gone or (holder is not None and holder.kind in CALLABLES):
                return False
            owner = owner.rpartition(".")[0]
        if symbol.kind is not SymbolKind.ALIAS:
            return True
        target = self.at_base(name)
        return not (isinstance(target, Symbol) and target.id in self.gone)


def _members(graph: SymbolGraph, ids: list[str], owner: str) -> dict[str, SymbolKind]:
    """``ids`` are those of the graph, which keeps them sorted."""
    prefix = f"{owner}."
    found: dict[str, SymbolKind] = {}
    for index in range(bisect.bisect_left(ids, prefix), len(ids)):
        name = ids[index]
        if not name.startswith(prefix):
            break
        kind = graph.symbols[name].kind
        if kind is not SymbolKind.ALIAS:
            found[name[len(prefix) :]] = kind
    return found
