"""Who may rely on a symbol: anyone outside the repository, or only the repository itself."""

from __future__ import annotations

from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind


def is_public(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether code outside may rely on a base symbol: not local, and public or re-exported.

    A definition in a private module is public all the same when another module exports it. A file that
    lost its import name to another one (``root:name``) is nobody's public interface.
    """
    if is_local(comparison, symbol) or ":" in symbol.id:
        return False
    return symbol.public or _is_reexported(comparison, symbol)


def lost_exports(comparison: Comparison, symbol: Symbol) -> tuple[str, ...]:
    """The re-exports that vanished with a base symbol, sorted: names outsiders knew it by."""
    lost = comparison.synonyms.get(symbol.id, ())
    return tuple(sorted(a.id for a in comparison.reexports.get(symbol.id, ()) if a.id in lost))


def is_public_loss(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether code outside may have used one of the names under which a base symbol is gone.

    Unlike ``is_public``, a re-export counts only if it is gone too.
    """
    if is_local(comparison, symbol) or ":" in symbol.id:
        return False
    return symbol.public or bool(lost_exports(comparison, symbol))


def is_local(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether a base symbol is defined inside a function, at any depth."""
    owner = symbol.id.rpartition(".")[0]
    while owner:
        holder = comparison.base.symbols.get(owner)
        if holder is not None and holder.kind in CALLABLES:
            return True
        owner = owner.rpartition(".")[0]
    return False


def module_and_qualname(comparison: Comparison, symbol: Symbol) -> tuple[str, str]:
    """Import name of the module that a base symbol lives in, and the attribute path inside it."""
    module = comparison.base.module_of(symbol.id)
    if module is None:
        head, _, rest = symbol.id.partition(".")
        return head, rest
    return module.id.rpartition(":")[2], symbol.id[len(module.id) + 1 :]


def is_dunder(name: str) -> bool:
    """``__name__``: looked up by the language or by convention rather than by name."""
    return name.startswith("__") and name.endswith("__")


def _is_reexported(comparison: Comparison, symbol: Symbol) -> bool:
    module, qualname = module_and_qualname(comparison, symbol)
    parts = qualname.split(".")
    if symbol.kind is SymbolKind.MODULE or any(p.startswith("_") and not is_dunder(p) for p in parts[1:]):
        return False
    return f"{module}.{parts[0]}" in comparison.reexports
