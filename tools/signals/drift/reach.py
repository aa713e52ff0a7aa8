"""How far a symbol reaches: sudden changes of who uses it, and what a widely used one calls.

What counts as many is the repository's own: in how many files a symbol is used, over all symbols that are
used, and the 95th percentile of that (``Graph.use_counts``, counted from tables). Told is a symbol that
gained or lost, between the two commits, as many using files as only one in twenty has at all, and at least
as many as the smaller of the two counts; and one that is widely used at both commits and whose own calls
changed, helpers that were split off or put together (private names alone, or local ones) aside.

Both are counted from what the linker is certain of, and that can change where nobody wrote anything: an
annotation came, a callee got a decorator. So users that came must be in files that did not mention the name
before, and a call that came must stand on a line that the function did not have; and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from repo_guardian.tools.signals.drift.audience import is_local, is_public
from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.signals.drift.detail import altered_detail
from repo_guardian.tools.signals.drift.sources import Sources
from repo_guardian.tools.signals.drift.wording import reach_line
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Signal,
    SignalKind,
    signal_key,
)
from repo_guardian.tools.signals.places import is_production
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import (
    GUESSES,
    Edge,
    EdgeKind,
    Resolution,
    Symbol,
    SymbolKind,
)

_QUANTILE = 0.95
_SYMBOLS_MIN = 40
"""Used symbols below which a 95th percentile is one of the two largest: no distribution."""
_FILES_MIN = 3
"""Files that use a symbol below which nobody would call it widely used."""
_USES = (EdgeKind.CALL, EdgeKind.REFERENCE, EdgeKind.INHERIT, EdgeKind.DECORATE)
_NAMES_MAX = 3


@dataclass(frozen=True, slots=True)
class _Reach:
    """How many files use a symbol at the base and now."""

    before: int
    after: int


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``REACH_CHANGED`` signals, unranked."""
    many = min(_many(comparison.base), _many(comparison.current))
    if many == 0:
        return
    edges = [_uses(graph, comparison.changed) for graph in (comparison.base, comparison.current)]
    for name in sorted({target for _, target in edges[0] ^ edges[1]}):
        before = _subject(comparison, name)
        if before is not None:
            reach = _Reach(comparison.base.used_in(name), comparison.current.used_in(name))
            change = _users(reach, many)
            if change is not None and abs(_mentioned(comparison, name)) >= many:
                yield _signal(comparison, before, reach, change)
    calls = [_calls_out(graph, comparison.changed) for graph in (comparison.base, comparison.current)]
    for name in sorted({source for source, _ in calls[0] ^ calls[1]}):
        before = _subject(comparison, name)
        if before is not None and before.kind in CALLABLES:
            reach = _Reach(comparison.base.used_in(name), comparison.current.used_in(name))
            change = _calls(comparison, before, calls) if min(reach.before, reach.after) >= many else None
            if change is not None:
                yield _signal(comparison, before, reach, change)


def _many(graph: Graph) -> int:
    """The number of using files that one symbol in twenty reaches; 0 when there are too few to say."""
    counts = graph.use_counts()
    if len(counts) < _SYMBOLS_MIN:
        return 0
    return max(_FILES_MIN, counts[int(_QUANTILE * len(counts))])


def _uses(graph: Graph, paths: tuple[str, ...]) -> set[tuple[str, str]]:
    """Source and target of the certain uses in some files."""
    return {(e.source, e.target) for path in paths for e in graph.edges_in(path) if _counts(e)}


def _calls_out(graph: Graph, paths: tuple[str, ...]) -> set[tuple[str, str]]:
    """Source and target of the certain calls between production code, of things with a name."""
    return {
        (e.source, e.target)
        for path in paths
        if is_production(path)
        for e in graph.edges_in(path)
        if e.kind is EdgeKind.CALL and _counts(e) and "<" not in e.target and _in_production(graph, e.target)
    }


def _in_production(graph: Graph, name: str) -> bool:
    symbol = graph.symbols.get(name)
    return symbol is not None and is_production(symbol.path)


def _counts(edge: Edge) -> bool:
    certain = edge.resolution is not Resolution.UNRESOLVED and edge.resolution not in GUESSES
    return certain and edge.kind in _USES and edge.source != edge.target


def _subject(comparison: Comparison, name: str) -> Symbol | None:
    """The symbol, where it is there at both commits and worth it."""
    before, after = comparison.base.symbols.get(name), comparison.current.symbols.get(name)
    if before is None or after is None or before.kind is not after.kind or not is_production(before.path):
        return None
    if before.kind in (SymbolKind.MODULE, SymbolKind.ALIAS) or is_local(comparison, before):
        return None
    return before


def _users(reach: _Reach, many: int) -> ContractChange | None:
    gained = reach.after - reach.before
    if abs(gained) < many or abs(gained) < min(reach.before, reach.after):
        return None
    kind = ChangeKind.USERS_GAINED if gained > 0 else ChangeKind.USERS_LOST
    text = f"is used in {reach.after} {'file' if reach.after == 1 else 'files'} (was {reach.before})"
    return ContractChange(kind, text)


def _mentioned(comparison: Comparison, name: str) -> int:
    """In how many more of the changed files the name is mentioned now, certainly or not."""
    last = name.rpartition(".")[2]
    sides = (
        (comparison.base, comparison.sources_at_base),
        (comparison.current, comparison.sources_now),
    )
    counts = [
        sum(_mentions(graph, sources, path, last) for path in comparison.changed) for graph, sources in sides
    ]
    return counts[1] - counts[0]


def _mentions(graph: Graph, sources: Sources, path: str, last: str) -> bool:
    """By the text of the file, where it can be read: the graph keeps no attribute of what is not known."""
    found = sources.mentions(path, last)
    return any(e.target.rpartition(".")[2] == last for e in graph.edges_in(path)) if found is None else found


def _calls(
    comparison: Comparison, symbol: Symbol, calls: list[set[tuple[str, str]]]
) -> ContractChange | None:
    old, new = ({target for source, target in found if source == symbol.id} for found in calls)
    made = comparison.made_at_base(symbol), comparison.made_now(comparison.current.symbols[symbol.id])
    old, new = (
        old - _untouched(old - new, made[0], made[1]),
        new - _untouched(new - old, made[1], made[0]),
    )
    if all(_is_helper(target, symbol) for target in old ^ new):
        return None
    clauses = [
        f"{verb} {', '.join(sorted(names)[:_NAMES_MAX])}"
        + (f" and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else "")
        for verb, names in (("now calls", new - old), ("no longer calls", old - new))
        if names
    ]
    return ContractChange(ChangeKind.CALLS_CHANGED, " and ".join(clauses)) if clauses else None


def _untouched(targets: set[str], here: tuple[Edge, ...], there: tuple[Edge, ...]) -> set[str]:
    """Those whose calls all stand on lines that the function has at the other commit, or that it names there.

    A function that is passed to what calls it is still called.
    """
    lines, named = {edge.text for edge in there}, {edge.target for edge in there}
    touched = {edge.target for edge in here if edge.text not in lines}
    return targets - (touched - named)


def _is_helper(target: str, symbol: Symbol) -> bool:
    return target.rpartition(".")[2].startswith("_") or target.startswith(f"{symbol.id}.")


def _signal(comparison: Comparison, before: Symbol, reach: _Reach, change: ContractChange) -> Signal:
    after = comparison.current.symbols[before.id]
    return Signal(
        key=signal_key(SignalKind.REACH_CHANGED, before.id, str(change.kind), change.text),
        kind=SignalKind.REACH_CHANGED,
        line=reach_line(before.id, change, reach.after),
        symbols=(before.id,),
        paths=(after.path,),
        before=f"used in {reach.before} files",
        after=f"used in {reach.after} files",
        public=is_public(comparison, before),
        detail=altered_detail(comparison, before, after, (change,)),
    )
