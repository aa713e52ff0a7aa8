"""Which exceptions the functions of a file raise, told from their ``raise`` statements.

Only what a line ``raise Name`` or ``raise Name(...)`` shows, resolved by the linker. A function that raises
one other exception than before, which is no subclass of the earlier one, breaks whoever catches that.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable

from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.interface import ChangeKind, ContractChange
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol

_RAISE = re.compile(r"\braise\s+([\w.]+)")
_BUILTINS = "builtins."


def raises_change(comparison: Comparison, before: Symbol, after: Symbol) -> ContractChange | None:
    """The change when exactly one exception came for exactly one that went; None otherwise."""
    old = _raised(comparison.made_at_base(before))
    new = _raised(comparison.made_now(after))
    gone, come = sorted(old - new), sorted(new - old)
    if len(gone) != 1 or len(come) != 1 or _last(gone[0]) == _last(come[0]):
        return None
    if _is_kind_of(comparison, come[0], gone[0]):
        return None
    return ContractChange(ChangeKind.RAISES_CHANGED, f"raises {_last(come[0])} (was {_last(gone[0])})")


def _raised(edges: Iterable[Edge]) -> frozenset[str]:
    uses = (edge for edge in edges if edge.kind in (EdgeKind.CALL, EdgeKind.REFERENCE))
    return frozenset(edge.target for edge in uses if _raises(edge))


def _raises(edge: Edge) -> bool:
    found = _RAISE.search(edge.text)
    return found is not None and _last(found[1]) in {_last(name) for name in (edge.target, *edge.via)}


def _is_kind_of(comparison: Comparison, name: str, other: str) -> bool:
    """Whether ``except other`` catches ``name``, as far as the graph and the builtins tell."""
    order = comparison.hierarchy.linearize(name) if name in comparison.current.symbols else (name,)
    outside = [_builtin(base) for base in order]
    wanted = _builtin(other)
    if wanted is not None and any(found is not None and issubclass(found, wanted) for found in outside):
        return True
    return other in order or f"?{_last(other)}" in order


def _builtin(name: str) -> type | None:
    found = getattr(builtins, name.removeprefix(_BUILTINS).removeprefix("?"), None)
    return found if isinstance(found, type) else None


def _last(name: str) -> str:
    return name.rpartition(".")[2]
