"""Symbols that were removed: importable, or reachable, at the base and not any more.

The outermost thing that vanished is one signal: a module with the names it took along, a class without its
methods. Names that the graph cannot prove gone are reported only when a use is left that the linker could
not resolve: private ones, attributes of a class that an instance may still get in ``__init__``, special
methods, type variables, and imports that nobody was meant to use as re-exports: of a module, and of a package
that uses what it imports itself and does not list it.
"""

from __future__ import annotations

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
from repo_guardian.tools.signals.drift.moved import moves
from repo_guardian.tools.signals.drift.wording import definition_text, removed_line
from repo_guardian.tools.signals.interface import Effect, Signal, SignalKind, SymbolDetail, signal_key
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``SYMBOL_REMOVED`` signals, unranked."""
    moved = moves(comparison)
    for symbol in comparison.gone_roots:
        if symbol.id in moved:
            continue
        dependents = of_removed(comparison, symbol)
        public = is_public_loss(comparison, symbol)
        if not certainly_used(dependents) and not (public and _provable(comparison, symbol)):
            continue
        names = _names(comparison, symbol)
        before = definition_text(symbol)
        module, qualname = module_and_qualname(comparison, symbol.id)
        yield Signal(
            key=signal_key(SignalKind.SYMBOL_REMOVED, symbol.id, before, ""),
            kind=SignalKind.SYMBOL_REMOVED,
            line=removed_line(symbol, names, dependents),
            symbols=(symbol.id, *lost_exports(comparison, symbol)),
            paths=(symbol.path,),
            before=before,
            public=public,
            dependents=dependents,
            detail=SymbolDetail(
                symbol_kind=symbol.kind,
                module=module,
                qualname=qualname,
                old_id=symbol.id,
                new_id="",
                base_path=symbol.path,
                current_path=symbol.path if symbol.path in comparison.current.files else "",
                base_span=symbol.span,
                current_span=None,
                effect=Effect.UNRESOLVED,
                names=names,
            ),
            dependents_total=len(dependents),
            lagging_total=len(dependents),
        )


def _provable(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether the removal is certain to be visible from outside, with no use of it in the repository."""
    if is_dunder(symbol.name):
        return False
    owner = comparison.base.symbols.get(symbol.id.rpartition(".")[0])
    in_class = owner is not None and owner.kind is SymbolKind.CLASS
    match symbol.kind:
        case SymbolKind.MODULE:
            return bool(comparison.public_names(symbol.id))
        case SymbolKind.ALIAS:
            target = comparison.at_base(symbol.id)
            return (
                isinstance(target, Symbol)
                and target.kind is not SymbolKind.MODULE
                and not _for_own_use(comparison, symbol)
            )
        case SymbolKind.PROPERTY:
            return _never_set(comparison, symbol)
        case SymbolKind.CONSTANT:
            if not in_class or _is_enum(comparison, owner):
                return not is_typing_aid(symbol)
            return (
                symbol.value is not None and not _is_field(owner, symbol) and _never_set(comparison, symbol)
            )
    return True


def _for_own_use(comparison: Comparison, alias: Symbol) -> bool:
    """Whether the file that imports a name uses it itself, and does not offer it in ``__all__``."""
    listed = f"{alias.id.rpartition('.')[0]}.__all__" in comparison.base.symbols  # and so it is public
    uses = (edge for edge in comparison.base.edges_in(alias.path) if edge.kind is not EdgeKind.IMPORT)
    return not listed and any(alias.id in edge.via for edge in uses)


def _never_set(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether neither the class of an attribute, nor a base, nor their files give instances one now."""
    for owner in comparison.hierarchy.linearize(symbol.id.rpartition(".")[0]):
        there = comparison.current.symbols.get(owner)
        if there is None:
            continue  # from outside: what it may provide is known to the look-up by name
        found = comparison.sources_now.attributes(there.path)
        if found is None or found.may_set(there.name, symbol.name):
            return False
    return True


def _is_field(owner: Symbol | None, symbol: Symbol) -> bool:
    """Whether the class' constructor takes it, so that its loss is told as a change of that."""
    signature = owner.signature if owner is not None else None
    return signature is not None and any(p.name == symbol.name for p in signature.parameters)


def _is_enum(comparison: Comparison, owner: Symbol | None) -> bool:
    """Whether the class lists an enumeration among its bases, so that its constants are members."""
    if owner is None:
        return False
    order = comparison.base_hierarchy.linearize(owner.id)
    return any(name[0] == "?" and name.endswith(("Enum", "Flag")) for name in order)


def _names(comparison: Comparison, symbol: Symbol) -> tuple[str, ...]:
    if symbol.kind not in (SymbolKind.MODULE, SymbolKind.CLASS):
        return ()
    return comparison.public_names(symbol.id)
