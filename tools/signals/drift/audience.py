"""Who may rely on a symbol: anyone outside the repository, or only the repository itself."""

from __future__ import annotations

import re

from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.signals.drift.names import Elsewhere
from repo_guardian.tools.signals.places import Place, place
from repo_guardian.tools.views.symbol_graph.model import Symbol

_ROOTS = frozenset({"", "src", "lib", "python"})
"""Folders that an installer takes modules from: the top, and those of the usual layouts."""
_TYPING_AID = re.compile(r"(?:\w+\.)?(?:TypeVar|TypeVarTuple|ParamSpec)\(")


def is_public(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether code outside may rely on a base symbol: not local, and public or re-exported.

    A definition in a private module is public all the same when another module exports it. A file that
    lost its import name to another one (``root:name``) is nobody's public interface, nor is an example, a
    maintenance script or a local definition.
    """
    if _is_nobodys(comparison, symbol):
        return False
    return symbol.public or bool(_reexports(comparison, symbol))


def lost_exports(comparison: Comparison, symbol: Symbol) -> tuple[str, ...]:
    """The re-exports that vanished with a base symbol, sorted: names outsiders knew it by."""
    lost = comparison.synonyms.get(symbol.id, ())
    return tuple(name for name in lost if comparison.base.symbols[name].public)


def is_public_loss(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether code outside may have used one of the names under which a base symbol is gone.

    Unlike ``is_public``, a re-export counts only if it is gone too; that of a class, if the member is gone
    that was reached through it.
    """
    if _is_nobodys(comparison, symbol):
        return False
    if symbol.public or lost_exports(comparison, symbol):
        return True
    members = _below_module(comparison, symbol.id).partition(".")[2]
    exports = _reexports(comparison, symbol) if members else ()
    return any(comparison.now(f"{alias.id}.{members}") is Elsewhere.NOWHERE for alias in exports)


def _is_nobodys(comparison: Comparison, symbol: Symbol) -> bool:
    if is_local(comparison, symbol) or ":" in symbol.id or place(symbol.path) is Place.EXAMPLE:
        return True
    module = comparison.base.module_of(symbol.id)
    return module is not None and _is_script(module)


def _is_script(module: Symbol) -> bool:
    """Whether no import reaches a module once the project is installed.

    Its name is none that a statement can import, or it lies alone in a folder that is no package and none of
    those that packages are kept in.
    """
    folder = module.path.rpartition("/")[0]
    loose = "." not in module.id and not module.path.endswith(("/__init__.py", "/__init__.pyi"))
    return not all(part.isidentifier() for part in module.id.split(".")) or (
        loose and folder.rpartition("/")[2] not in _ROOTS
    )


def is_typing_aid(symbol: Symbol) -> bool:
    """A type variable: it means something to the annotations of its own module alone."""
    return _TYPING_AID.match(symbol.value or "") is not None


def is_local(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether a base symbol is defined inside a function, at any depth."""
    owner = symbol.id.rpartition(".")[0]
    while owner:
        holder = comparison.base.symbols.get(owner)
        if holder is not None and holder.kind in CALLABLES:
            return True
        owner = owner.rpartition(".")[0]
    return False


def public_name(comparison: Comparison, symbol: Symbol) -> str:
    """The name by which outsiders know a base symbol: its id, or a re-export if that has a private part.

    Of several re-exports the shortest is taken; a member of a class goes by the re-export of the class.
    """
    plain = not any(part.startswith("_") and not is_dunder(part) for part in symbol.id.split("."))
    exports = () if plain else _reexports(comparison, symbol)
    if not exports:
        return symbol.id
    shortest = min((alias.id for alias in exports), key=lambda name: (name.count("."), name))
    below = _below_module(comparison, symbol.id).partition(".")[2]
    return f"{shortest}.{below}" if below else shortest


def module_and_qualname(comparison: Comparison, name: str) -> tuple[str, str]:
    """Import name of the module that a name of the base lies in, and the attribute path inside it.

    The path is what ``getattr`` wants: ``__name`` in a class is mangled.
    """
    module = comparison.base.module_of(name)
    if module is None:
        head, _, rest = name.partition(".")
        return head, rest
    parts = _below_module(comparison, name).split(".")
    for index in range(1, len(parts)):
        owner = parts[index - 1].lstrip("_")
        if parts[index].startswith("__") and not is_dunder(parts[index]) and owner:
            parts[index] = f"_{owner}{parts[index]}"
    return module.id.rpartition(":")[2], ".".join(parts)


def is_dunder(name: str) -> bool:
    """``__name__``: looked up by the language or by convention rather than by name."""
    return name.startswith("__") and name.endswith("__")


def _reexports(comparison: Comparison, symbol: Symbol) -> tuple[Symbol, ...]:
    """Public aliases of a symbol, or of the class that it is a public member of."""
    below = _below_module(comparison, symbol.id)
    first, *members = below.split(".")
    if not below or any(part.startswith("_") and not is_dunder(part) for part in members):
        return ()
    return comparison.reexports(symbol.id[: len(symbol.id) - len(below)] + first)


def _below_module(comparison: Comparison, name: str) -> str:
    module = comparison.base.module_of(name)
    return name[len(module.id) + 1 :] if module is not None else name.partition(".")[2]
