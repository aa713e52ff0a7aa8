"""Who calls a symbol: the definition behind a name, the calls that resolve to it, those that may mean it."""

from __future__ import annotations

from collections.abc import Iterable

from repo_guardian.tools.retrieval.interface import CallersResult
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Resolution, Symbol, SymbolKind

CALLS = (EdgeKind.CALL, EdgeKind.DECORATE)
"""A decorator is called with what it decorates."""
_CONSTRUCTORS = ("__init__", "__new__")
_UNKNOWN = "?."
_MAX_STEPS = 100
"""Aliases of aliases, and bases of bases, that are followed; a longer chain is a loop."""


def callers(graph: Graph, name: str) -> CallersResult:
    """Who calls ``name`` at the graph's commit.

    Args:
        name: a symbol's id, or the end of one (``Class.method``, ``method``) when only one definition has
            it. An inherited method may be named through the class that inherits it, a re-exported
            definition through the name that it is exported under.

    Returns:
        Without a ``symbol``, ``candidates`` holds the definitions that the name may mean, and ``possible``
        the unresolved calls of it all the same: of a name that is gone, for instance.
    """
    found = definitions(graph, name)
    last = name.rpartition(".")[2]
    if len(found) != 1:
        possible = _possible(graph, last)
        return CallersResult(graph.commit, None, tuple(s.id for s in found), (), possible)
    symbol = found[0]
    edges = [edge for edge in graph.uses(symbol.id) if _calls(edge, symbol.id)]
    for made in _constructed(graph, symbol):
        edges += [edge for edge in graph.uses(made) if _calls(edge, made) and edge.kind is EdgeKind.CALL]
    edges.sort(key=lambda edge: (edge.path, edge.span.start_byte, edge.span.end_byte))
    return CallersResult(graph.commit, symbol, (), tuple(edges), _possible(graph, symbol.name))


def definitions(graph: Graph, name: str) -> tuple[Symbol, ...]:
    """The definitions that a name may mean, by id: one when it is exact, all that end with it otherwise.

    Those inside of functions count only where there is no other: nobody else can call them by name.
    """
    exact = _behind(graph, graph.symbols.get(name)) or _inherited(graph, name)
    if exact is not None:
        return (exact,)
    ending = f".{name}"
    found = (
        _behind(graph, graph.symbols[identity]) for identity in graph.symbols if identity.endswith(ending)
    )
    unique = {symbol.id: symbol for symbol in found if symbol is not None}
    reachable = [identity for identity in unique if not _is_local(graph, identity)]
    return tuple(unique[identity] for identity in sorted(reachable or unique))


def _is_local(graph: Graph, identity: str) -> bool:
    owner = graph.symbols.get(identity.rpartition(".")[0])
    return owner is not None and owner.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)


def _behind(graph: Graph, symbol: Symbol | None) -> Symbol | None:
    """The definition that an alias stands for; None when it leads out of the graph."""
    for _ in range(_MAX_STEPS):
        if symbol is None or symbol.kind is not SymbolKind.ALIAS or symbol.target is None:
            return symbol
        symbol = graph.symbols.get(symbol.target)
    return None


def _inherited(graph: Graph, name: str) -> Symbol | None:
    """The member that a class has from the nearest of its bases, breadth first."""
    owner, _, member = name.rpartition(".")
    start = _behind(graph, graph.symbols.get(owner))
    if start is None or start.kind is not SymbolKind.CLASS:
        return None
    pending, seen = [start.id], {start.id}
    while pending and len(seen) < _MAX_STEPS:
        found = _behind(graph, graph.symbols.get(f"{pending[0]}.{member}"))
        if found is not None:
            return found
        bases = _bases(graph, pending.pop(0))
        pending += [base for base in bases if base not in seen]
        seen.update(bases)
    return None


def _bases(graph: Graph, identity: str) -> list[str]:
    symbol = graph.symbols.get(identity)
    edges: Iterable[Edge] = () if symbol is None else graph.edges_in(symbol.path)
    return [edge.target for edge in edges if edge.kind is EdgeKind.INHERIT and edge.source == identity]


def _constructed(graph: Graph, symbol: Symbol) -> list[str]:
    """The classes that a constructor makes: its own, and those below that have no constructor themselves."""
    owner = symbol.id.rpartition(".")[0]
    if symbol.name not in _CONSTRUCTORS or owner not in graph.symbols:
        return []
    found = [owner]
    for identity in found:
        below = {edge.source for edge in graph.uses(identity) if edge.kind is EdgeKind.INHERIT}
        found += [
            name
            for name in sorted(below)
            if name not in found and f"{name}.{symbol.name}" not in graph.symbols
        ]
        if len(found) > _MAX_STEPS:
            break
    return found


def _calls(edge: Edge, identity: str) -> bool:
    return edge.kind in CALLS and edge.target == identity and edge.resolution is not Resolution.UNRESOLVED


def _possible(graph: Graph, last: str) -> tuple[Edge, ...]:
    """Unresolved calls of a name, without those that certainly mean a builtin or another project's."""
    return tuple(
        edge
        for edge in graph.named(last)
        if edge.kind in CALLS
        and (edge.target.startswith(_UNKNOWN) or graph.module_of(edge.target) is not None)
    )
