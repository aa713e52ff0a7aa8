"""The one plain-English line of each drift signal, and how a definition is written as text."""

from __future__ import annotations

from collections.abc import Sequence

from repo_guardian.tools.signals.drift.protocol import Protocol, protocol
from repo_guardian.tools.signals.interface import ChangeKind, ContractChange, Dependent, one_line
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import Signature

_CLAUSES_MAX = 3
_NAMES_MAX = 8
_VALUE_CHARS_MAX = 200


def contract_line(
    name: str, changes: Sequence[ContractChange], dependents: Sequence[Dependent]
) -> str:  # fmt: skip
    """``yaml.load: parameter 'Loader' became required (was Loader=None); 3 of 7 calls …``."""
    return one_line(f"{name}: {_clauses(changes)}; {_lagging_share(dependents)}")


def altered_line(
    name: str, changes: Sequence[ContractChange], dependents: Sequence[Dependent]
) -> str:  # fmt: skip
    """``pkg.f: default of 'x' changed from 1 to 2; 2 of 5 calls rely on it``."""
    relying = sum(d.lagging for d in dependents)
    uses = [d for d in dependents if d.use is EdgeKind.CALL] if relying else list(dependents)
    count = f"{len(uses)} {_plural('call' if relying else 'use', len(uses))}"
    if not uses:
        tail = "nothing in the repository uses it"
    elif relying:
        tail = f"{relying} of {count} {'relies' if relying == 1 else 'rely'} on it"
    else:
        tail = f"{count} in the repository"
    return one_line(f"{name}: {_clauses(changes)}; {tail}")


def export_line(module: str, names: Sequence[str], dependents: Sequence[Dependent]) -> str:
    """``pkg.util no longer exports f, g, which it still defines; 1 star import loses them``."""
    shown = ", ".join(names[:_NAMES_MAX])
    more = len(names) - _NAMES_MAX
    shown += f" and {more} more" if more > 0 else ""
    pronoun = "it" if len(names) == 1 else "them"
    stars = f"{len(dependents)} star {_plural('import', len(dependents))}"
    tail = f"{stars} {'loses' if len(dependents) == 1 else 'lose'} {pronoun}" if dependents else ""
    text = f"{module} no longer exports {shown}, which it still defines"
    return one_line(f"{text}; {tail or 'no star import in the repository'}")


def override_line(base: str, override: str, reason: str, lagging: str) -> str:
    """``pkg.Child.run no longer takes every call that pkg.Base.run takes: …``."""
    return one_line(f"{override} no longer takes every call that {base} takes ({reason}): {lagging}")


def abstract_line(owner: str, member: str, dependents: Sequence[Dependent]) -> str:
    """``pkg.Base asks its subclasses for run, an abstract member that is new; 1 … lacks it``."""
    lack = len(dependents)
    tail = f"{lack} in the repository {'lacks' if lack == 1 else 'lack'} it" if lack else "all here define it"
    return one_line(f"{owner} asks its subclasses for {member}, an abstract member that is new; {tail}")


def unfulfilled_line(owner: str, member: str, _dependents: Sequence[Dependent]) -> str:
    """``pkg.Child no longer defines run, which a base asks for: it can no longer be made``."""
    return one_line(f"{owner} no longer defines {member}, which a base asks for: it can no longer be made")


def reach_line(name: str, change: ContractChange, files: int) -> str:
    """``pkg.f, which 31 files use, now calls pkg.g``; ``pkg.f is used in 12 files (was 3)``."""
    if change.kind is ChangeKind.CALLS_CHANGED:
        return one_line(f"{name}, which {files} files use, {change.text}")
    return one_line(f"{name} {change.text}")


def removed_line(symbol: Symbol, names: Sequence[str], dependents: Sequence[Dependent]) -> str:
    """``module pkg.old was removed with its names a, b; 2 uses in 1 file are left``."""
    text = f"{symbol.kind} {symbol.id} was removed"
    if names:
        shown = ", ".join(names[:_NAMES_MAX])
        more = len(names) - _NAMES_MAX
        text += f" with {shown}" + (f" and {more} more" if more > 0 else "")
    return one_line(f"{text}; {_uses_left(dependents)}")


def moved_line(symbol: Symbol, new_id: str, dependents: Sequence[Dependent]) -> str:
    """``function pkg.a.f moved to pkg.b.f and left no alias; 2 uses in 1 file are left``."""
    same_scope = symbol.id.rpartition(".")[0] == new_id.rpartition(".")[0]
    verb = "was renamed" if same_scope and symbol.kind is not SymbolKind.MODULE else "moved"
    text = f"{symbol.kind} {symbol.id} {verb} to {new_id} and left no alias"
    return one_line(f"{text}; {_uses_left(dependents)}")


def definition_text(symbol: Symbol, signature: Signature | None = None) -> str:
    """A definition as it would be declared; ``signature`` stands in for the symbol's own."""
    shown = signature if signature is not None else symbol.signature
    if symbol.kind is SymbolKind.CONSTANT:
        value = f" = {symbol.value}" if symbol.value is not None else ""
        return f"{symbol.name}{value}"[:_VALUE_CHARS_MAX]
    if symbol.kind is SymbolKind.ALIAS:
        return f"{symbol.name} -> {symbol.target}"
    if symbol.kind in (SymbolKind.MODULE, SymbolKind.CLASS) and shown is None:
        return f"{symbol.kind} {symbol.id}"
    call = shown.render() if shown is not None else ""
    if symbol.kind is SymbolKind.PROPERTY:
        return f"property {symbol.name}"
    if symbol.kind is SymbolKind.CLASS:
        return f"class {symbol.name}{call}"
    kind = protocol(symbol)
    prefix = {Protocol.COROUTINE: "async ", Protocol.ASYNC_GENERATOR: "async "}.get(kind, "")
    suffix = " yields" if kind in (Protocol.GENERATOR, Protocol.ASYNC_GENERATOR) else ""
    return f"{prefix}{symbol.name}{call}{suffix}"


def _clauses(changes: Sequence[ContractChange]) -> str:
    clauses = [change.text for change in changes[:_CLAUSES_MAX]]
    more = len(changes) - len(clauses)
    if more:
        clauses.append(f"{more} more {_plural('change', more)}")
    return ", ".join(clauses)


def _lagging_share(dependents: Sequence[Dependent]) -> str:
    lagging = [d for d in dependents if d.lagging]
    only_calls = all(d.use is EdgeKind.CALL for d in lagging)
    uses = [d for d in dependents if d.use is EdgeKind.CALL] if only_calls else list(dependents)
    noun = "call" if only_calls else "use"
    if not uses:
        return "nothing in the repository calls it"
    if not lagging:
        return f"none of {len(uses)} {_plural(noun, len(uses))} is known to use the old form"
    verb = "uses" if len(lagging) == 1 else "use"
    text = f"{len(lagging)} of {len(uses)} {_plural(noun, len(uses))} still {verb} the old form"
    return text + _by_name_only(lagging)


def _uses_left(dependents: Sequence[Dependent]) -> str:
    if not dependents:
        return "no use in the repository is left"
    files = len({d.path for d in dependents})
    verb = "is" if len(dependents) == 1 else "are"
    count = f"{len(dependents)} {_plural('use', len(dependents))} in {files} {_plural('file', files)}"
    return f"{count} {verb} left" + _by_name_only(dependents)


def _by_name_only(dependents: Sequence[Dependent]) -> str:
    weak = sum(d.guessed for d in dependents)
    return f" ({weak} matched by name only)" if weak else ""


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
