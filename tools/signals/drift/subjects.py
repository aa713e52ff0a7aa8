"""Pairs up the callables of two commits: what a name took when called, and what it takes now.

A pair exists only where both sides are certain. Left out is what the linker is not certain of (unknown
decorators, metaclasses, bases from outside), names that are not defined equally often at both commits (an
overload or a conditional definition came or went, so the last one need not be the one in force), and files
that were skipped or that another import root took over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from repo_guardian.tools.signals.drift.audience import is_dunder, public_name
from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.signals.drift.hierarchy import Hierarchy
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import ParameterKind, Signature

CONSTRUCTORS = ("__init__", "__new__")


@dataclass(frozen=True, slots=True)
class Side:
    """One commit's half of a pair.

    ``symbol`` is what the name leads to, ``definition`` what holds the parameters (a constructor's
    ``__init__``, else the symbol itself), and ``targets`` the ids under which uses of it are found.
    """

    symbol: Symbol
    definition: Symbol
    signature: Signature
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """One callable at both commits; ``name`` is what outsiders call it, ``others`` ids of the same thing."""

    name: str
    before: Side
    after: Side
    others: tuple[str, ...] = ()


def subjects(comparison: Comparison) -> Iterator[Subject]:
    """All callables that can be called at both commits and whose definition differs, by id."""
    for name in comparison.ids_at_base:
        symbol = comparison.base.symbols[name]
        if symbol.kind in CALLABLES and not _belongs_to_constructor(symbol):
            subject = _function(comparison, symbol)
        elif symbol.kind is SymbolKind.CLASS:
            subject = _constructor(comparison, name)
        elif symbol.kind is SymbolKind.CONSTANT and "namedtuple(" in (symbol.value or ""):
            subject = _pair(comparison, name, symbol, comparison.now(name))
        else:
            continue
        if subject is not None:
            yield subject
    yield from _retargeted(comparison)


def _function(comparison: Comparison, symbol: Symbol) -> Subject | None:
    now = comparison.current.symbols.get(symbol.id)
    if now is not None and _same(symbol, now):
        return None
    return _pair(comparison, symbol.id, symbol, comparison.now(symbol.id))


def _constructor(comparison: Comparison, class_id: str) -> Subject | None:
    here, there = comparison.base.symbols, comparison.current.symbols
    names = [class_id, *(f"{class_id}.{name}" for name in CONSTRUCTORS)]
    fields = [h.tuple_fields(class_id) for h in (comparison.base_hierarchy, comparison.hierarchy)]
    if fields[0] == fields[1] and all(_same(here.get(name), there.get(name)) for name in names):
        return None
    subject = _pair(comparison, class_id, here[class_id], comparison.now(class_id))
    if subject is None or subject.after.symbol.kind is not SymbolKind.CLASS:
        return subject
    inherited = [s.definition.id.rpartition(".")[0] for s in (subject.before, subject.after)]
    same_owner = inherited[0] == inherited[1] != class_id and inherited[0] in comparison.base.symbols
    return None if same_owner and subject.before.definition.kind is not SymbolKind.CLASS else subject


def _retargeted(comparison: Comparison) -> Iterator[Subject]:
    """Re-exports that stand for another definition now, because the earlier one is gone."""
    found: dict[tuple[str, str], list[str]] = {}
    for target in sorted(comparison.gone):
        for alias in comparison.reexports(target):
            now = comparison.now(alias.id)
            if isinstance(now, Symbol):
                found.setdefault((target, now.id), []).append(alias.id)
    for (target, now_id), aliases in found.items():
        name, *others = sorted(aliases, key=lambda alias: (alias.count("."), alias))
        symbol = comparison.base.symbols[target]
        subject = _pair(comparison, name, symbol, comparison.current.symbols[now_id])
        if subject is not None:
            yield replace(subject, others=tuple(dict.fromkeys((*others, *subject.others))))


def _pair(comparison: Comparison, name: str, symbol: Symbol, now: object) -> Subject | None:
    if not isinstance(now, Symbol) or comparison.misplaced(symbol) or comparison.doubtful(now):
        return None
    if symbol.definitions != now.definitions:
        return None
    before = _side(comparison.base_hierarchy, symbol)
    if before is not None:
        before = replace(before, signature=_as_promised(symbol, before.signature))
    after = _side(comparison.hierarchy, now)
    if before is None or after is None:
        return None
    known_as = public_name(comparison, symbol) if name == symbol.id else name
    others = dict.fromkeys(other for other in (symbol.id, now.id) if other != known_as)
    return Subject(known_as, before, after, tuple(others))


def _side(hierarchy: Hierarchy, symbol: Symbol) -> Side | None:
    if symbol.kind is SymbolKind.CLASS:
        constructor = hierarchy.constructor(symbol.id)
        if constructor is None:
            return None
        definition = constructor.definition or symbol
        own = [f"{symbol.id}.{name}" for name in CONSTRUCTORS] if constructor.owner == symbol.id else []
        targets = (symbol.id, *own, *hierarchy.heirs(symbol.id))
        return Side(symbol, definition, constructor.signature, targets)
    if symbol.kind is SymbolKind.CONSTANT:
        fields = hierarchy.tuple_fields(symbol.id)
        return Side(symbol, symbol, fields, (symbol.id,)) if fields is not None else None
    if symbol.kind not in CALLABLES or not symbol.signature_certain:
        return None
    signature = symbol.signature
    if signature is None and symbol.kind is SymbolKind.PROPERTY:
        signature = Signature()
    return Side(symbol, symbol, signature, (symbol.id,)) if signature is not None else None


def _as_promised(symbol: Symbol, signature: Signature) -> Signature:
    """Parameters that nobody was to name as positional-only, which narrows the calls that count as valid.

    These are leading ones called ``__name`` (PEP 484), and all of a special method, which the
    interpreter calls by position. Only for the earlier side.
    """
    special = symbol.kind is SymbolKind.METHOD and is_dunder(symbol.name) and symbol.name != "__call__"
    parameters = list(signature.parameters)
    for index, parameter in enumerate(parameters):
        if parameter.kind is ParameterKind.POSITIONAL_OR_KEYWORD:
            if not special and (not parameter.name.startswith("__") or is_dunder(parameter.name)):
                break
            parameters[index] = replace(parameter, kind=ParameterKind.POSITIONAL_ONLY)
    return replace(signature, parameters=tuple(parameters))


def _same(before: Symbol | None, after: Symbol | None) -> bool:
    if before is None or after is None:
        return before is after
    return (
        before.kind is after.kind
        and before.signature == after.signature
        and before.decorators == after.decorators
        and before.bases == after.bases
    )


def _belongs_to_constructor(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.METHOD and symbol.name in CONSTRUCTORS
