"""Symbols that were renamed where they stand: the same thing in the same scope, by another name.

The graph does not keep bodies. What it keeps of them decides: the signature, the uses that the body makes,
with the shapes of its calls, and its length without the name. A constant needs the same value, a class most
of its members and its bases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.places import is_python
from repo_guardian.tools.views.symbol_graph.model import Edge, Symbol, SymbolKind

_MEMBERS_SHARED_MIN = 0.75
_LENGTH_TOLERATED = 0.1
"""Relative difference of the lengths of two bodies that make the same calls."""
_MIN_USES = 2
"""Uses in a body from which they identify it; below, its length has to be the same to the byte."""
_KINDS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.CONSTANT)


def renamed(comparison: Comparison, symbol: Symbol) -> Symbol | None:
    """The one definition that a gone symbol became in its own scope; None when there is none, or several."""
    if symbol.kind not in _KINDS or not is_python(symbol.path):
        return None
    scope = symbol.id.rpartition(".")[0]
    beside = comparison.born_in.get((symbol.kind, scope), ())
    found = [new for new in beside if new.path == symbol.path and _same_thing(comparison, symbol, new)]
    return found[0] if len(found) == 1 else None


def alike_members(old: dict[str, SymbolKind], new: dict[str, SymbolKind]) -> float:
    """Share of the old members that the new place has; 1 when there are none on either side."""
    if not old:
        return 0.0 if new else 1.0
    return len(old.items() & new.items()) / len(old)


def _same_thing(comparison: Comparison, old: Symbol, new: Symbol) -> bool:
    if old.kind is SymbolKind.CONSTANT:
        return old.value is not None and len(old.value) > 1 and old.value == new.value
    if old.kind is SymbolKind.CLASS:
        members = comparison.members_at_base(old.id), comparison.members_now(new.id)
        return old.bases == new.bases and bool(members[0]) and alike_members(*members) >= _MEMBERS_SHARED_MIN
    return (
        old.signature == new.signature
        and old.decorators == new.decorators
        and _same_body(comparison, old, new)
    )


def _same_body(comparison: Comparison, old: Symbol, new: Symbol) -> bool:
    before = _uses(comparison.made_at_base(old), old.id)
    after = _uses(comparison.made_now(new), new.id)
    if before != after:
        return False
    lengths = [s.span.end_byte - s.span.start_byte - len(s.name.encode()) for s in (old, new)]
    tolerated = _LENGTH_TOLERATED * lengths[0] if before.total() >= _MIN_USES else 0
    return abs(lengths[0] - lengths[1]) <= tolerated


def _uses(edges: Iterable[Edge], source: str) -> Counter[tuple[object, ...]]:
    """What a body uses, recursion by a word of its own."""
    return Counter((e.kind, "itself" if e.target == source else e.target, e.shape) for e in edges)
