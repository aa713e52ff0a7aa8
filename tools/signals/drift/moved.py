"""Symbols that moved or were renamed: gone under one id, and there under exactly one new one.

A move is only told from a removal when it is unambiguous: one vanished and one new definition with the
same kind, name and content as far as the graph knows it (a function's signature, a constant's value, most
of a class's or module's members). A rename is told when it is as clear: in the same scope one definition
is gone and one is born that takes, uses and measures what it did (``renames``). If an alias is left at the
old id nothing is gone, and nothing reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from repo_guardian.tools.signals.drift.audience import (
    is_dunder,
    is_public_loss,
    is_typing_aid,
    lost_exports,
    module_and_qualname,
)
from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.drift.dependents import certainly_used, of_removed
from repo_guardian.tools.signals.drift.renames import alike_members, renamed
from repo_guardian.tools.signals.drift.wording import definition_text, moved_line
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Effect,
    Signal,
    SignalKind,
    SymbolDetail,
    signal_key,
)
from repo_guardian.tools.signals.places import is_production
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

_MEMBERS_SHARED_MIN = 0.5
"""Share of the old members that a class or module must have at its new place."""


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``SYMBOL_MOVED`` signals, unranked; a private symbol is reported when a use is left behind."""
    for old_id, new in moves(comparison).items():
        symbol = comparison.base.symbols[old_id]
        dependents = of_removed(comparison, symbol)
        public = is_public_loss(comparison, symbol)
        if not certainly_used(dependents) and (not public or is_dunder(symbol.name)):
            continue
        before, after = definition_text(symbol), f"{definition_text(new)} in {new.id}"
        module, qualname = module_and_qualname(comparison, symbol.id)
        yield Signal(
            key=signal_key(SignalKind.SYMBOL_MOVED, old_id, before, after),
            kind=SignalKind.SYMBOL_MOVED,
            line=moved_line(symbol, new.id, dependents),
            symbols=(old_id, new.id, *lost_exports(comparison, symbol)),
            paths=tuple(dict.fromkeys((new.path, symbol.path))),
            before=before,
            after=after,
            public=public,
            dependents=dependents,
            detail=SymbolDetail(
                symbol_kind=symbol.kind,
                module=module,
                qualname=qualname,
                old_id=old_id,
                new_id=new.id,
                base_path=symbol.path,
                current_path=new.path,
                base_span=symbol.span,
                current_span=new.span,
                effect=Effect.UNRESOLVED,
                changes=_renaming(symbol, new),
                names=_lost_names(comparison, symbol, new),
            ),
            dependents_total=len(dependents),
            lagging_total=len(dependents),
        )


def _renaming(old: Symbol, new: Symbol) -> tuple[ContractChange, ...]:
    if old.name == new.name:
        return ()
    return (ContractChange(ChangeKind.RENAMED, f"was renamed to {new.name}"),)


def moves(comparison: Comparison) -> dict[str, Symbol]:
    """Old id to new definition for every unambiguous move, by old id."""
    found = {}
    for symbol in comparison.gone_roots:
        new = _new_place(comparison, symbol) or renamed(comparison, symbol)
        if new is not None:
            found[symbol.id] = new
    claims = Counter(new.id for new in found.values())
    return {old: new for old, new in found.items() if claims[new.id] == 1}


def _new_place(comparison: Comparison, symbol: Symbol) -> Symbol | None:
    if symbol.kind is SymbolKind.MODULE:
        return _new_module(comparison, symbol)
    if symbol.kind not in (SymbolKind.FUNCTION, SymbolKind.CLASS, SymbolKind.CONSTANT):
        return None
    if not _at_module_level(comparison.base, symbol):
        return None
    alike = [
        new
        for new in comparison.born.get((symbol.kind, symbol.name), ())
        if _at_module_level(comparison.current, new)
        and is_production(new.path) == is_production(symbol.path)
        and _alike(comparison, symbol, new)
    ]
    return alike[0] if len(alike) == 1 else None


def _alike(comparison: Comparison, old: Symbol, new: Symbol) -> bool:
    if old.kind is SymbolKind.CONSTANT:
        return old.value is not None and old.value == new.value and not is_typing_aid(old)
    if old.kind is SymbolKind.FUNCTION:
        return old.signature == new.signature
    shared = alike_members(comparison.members_at_base(old.id), comparison.members_now(new.id))
    return shared >= _MEMBERS_SHARED_MIN


def _new_module(comparison: Comparison, symbol: Symbol) -> Symbol | None:
    """The one new module that has most of the old one's members; the same name decides between two."""
    old = comparison.members_at_base(symbol.id)
    if not old:
        return None
    rated: list[tuple[float, bool, Symbol]] = []
    for (kind, name), born in comparison.born.items():
        if kind is not SymbolKind.MODULE:
            continue
        for new in born:
            share = alike_members(old, comparison.members_now(new.id))
            if share >= _MEMBERS_SHARED_MIN and is_production(new.path) == is_production(symbol.path):
                rated.append((share, name == symbol.name, new))
    if not rated:
        return None
    best = max((share, same) for share, same, _ in rated)
    chosen = [new for share, same, new in rated if (share, same) == best]
    return chosen[0] if len(chosen) == 1 else None


def _lost_names(comparison: Comparison, old: Symbol, new: Symbol) -> tuple[str, ...]:
    """Public members, one level down, that did not come along."""
    if old.kind not in (SymbolKind.MODULE, SymbolKind.CLASS):
        return ()
    kept = comparison.members_now(new.id)
    return tuple(n for n in comparison.public_names(old.id) if n not in kept)


def _at_module_level(graph: Graph, symbol: Symbol) -> bool:
    owner = graph.symbols.get(symbol.id.rpartition(".")[0])
    return owner is not None and owner.kind is SymbolKind.MODULE
