"""Names that are still defined and no longer offered, because ``__all__`` leaves them out.

``from module import *`` and documentation tools lose them; a plain import still works. One signal per module.
A name that is spelled as a public one can only be left out by an ``__all__`` that has come or changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.drift.dependents import order, plain_dependent
from repo_guardian.tools.signals.drift.detail import altered_detail
from repo_guardian.tools.signals.drift.wording import export_line
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Dependent,
    Signal,
    SignalKind,
    signal_key,
)
from repo_guardian.tools.signals.places import is_python
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``EXPORT_REMOVED`` signals, unranked."""
    for name in comparison.ids_at_base:
        module = comparison.base.symbols[name]
        after = comparison.current.symbols.get(name)
        if module.kind is not SymbolKind.MODULE or after is None or not is_python(module.path):
            continue
        if comparison.misplaced(module) or comparison.doubtful(after):
            continue
        lost = tuple(_lost(comparison, module))
        if lost:
            yield _signal(comparison, module, after, lost)


def _lost(comparison: Comparison, module: Symbol) -> Iterator[str]:
    for before in comparison.base.members(module.id):
        after = comparison.current.symbols.get(before.id)
        if after is None or after.kind in (SymbolKind.ALIAS, SymbolKind.MODULE) or after.path != before.path:
            continue
        if before.public and not after.public and not before.name.startswith("_"):
            yield before.name


def _signal(comparison: Comparison, module: Symbol, after: Symbol, lost: tuple[str, ...]) -> Signal:
    dependents = _star_imports(comparison, module)
    changes = [ContractChange(ChangeKind.NOT_EXPORTED, f"no longer exports {name}", name) for name in lost]
    return Signal(
        key=signal_key(SignalKind.EXPORT_REMOVED, module.id, ",".join(lost), ""),
        kind=SignalKind.EXPORT_REMOVED,
        line=export_line(module.id, lost, dependents),
        symbols=(module.id, *(f"{module.id}.{name}" for name in lost)),
        paths=(after.path,),
        before=f"exports {', '.join(lost)}"[:200],
        after="",
        public=module.public,
        dependents=dependents,
        detail=replace(
            altered_detail(comparison, module, after, tuple(changes)),
            names=lost,
        ),
        dependents_total=len(dependents),
        lagging_total=sum(d.lagging for d in dependents),
    )


def _star_imports(comparison: Comparison, module: Symbol) -> tuple[Dependent, ...]:
    """The star imports of the module now: what they bring no longer holds the names."""
    stars = (
        edge
        for edge in comparison.uses_now((module.id,))
        if edge.kind is EdgeKind.IMPORT and edge.text.rstrip().endswith("import *")
    )
    return order(
        plain_dependent(edge, f"{module.id} no longer offers them to a star import") for edge in stars
    )
