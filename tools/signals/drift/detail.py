"""The detail of a signal about a definition that is there at both commits and that earlier uses still fit."""

from __future__ import annotations

from collections.abc import Iterable

from repo_guardian.tools.signals.drift.audience import module_and_qualname
from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.interface import ContractChange, Effect, SymbolDetail
from repo_guardian.tools.views.symbol_graph.model import Symbol


def altered_detail(
    comparison: Comparison, before: Symbol, after: Symbol, changes: Iterable[ContractChange]
) -> SymbolDetail:
    """``before`` and ``after`` are one symbol at the base and now; the effect is ``ALTERED``."""
    module, qualname = module_and_qualname(comparison, before.id)
    return SymbolDetail(
        symbol_kind=before.kind,
        module=module,
        qualname=qualname,
        old_id=before.id,
        new_id=after.id,
        base_path=before.path,
        current_path=after.path,
        base_span=before.span,
        current_span=after.span,
        effect=Effect.ALTERED,
        changes=tuple(changes),
    )
