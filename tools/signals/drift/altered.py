"""Definitions that every earlier use still fits and that may mean something else now.

Defaults, annotated returns, bases, decorators, and the values of constants, class attributes and enum
members. One signal per symbol. What a use relies on is told where the graph shows it: a call that leaves an
argument to its changed default lags, since it gets another value without having asked for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repo_guardian.tools.signals.drift.annotations import normal_annotation
from repo_guardian.tools.signals.drift.audience import is_dunder, is_local, is_public, module_and_qualname
from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.signals.drift.dependents import order, plain_dependent
from repo_guardian.tools.signals.drift.protocol import SYNTAX, decorator_name
from repo_guardian.tools.signals.drift.wording import altered_line, definition_text
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Dependent,
    Effect,
    Signal,
    SignalKind,
    SymbolDetail,
    signal_key,
)
from repo_guardian.tools.signals.places import is_python
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import POSITIONAL, CallShape, Parameter, Signature

_VERSIONS = frozenset(
    {"__version__", "VERSION", "version", "__version_info__", "version_info", "version_tuple"}
)
_TEXT_CHARS = 60


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``DEFINITION_ALTERED`` signals, unranked: of public symbols, and of others that something uses."""
    for name in comparison.ids_at_base:
        before, after = comparison.base.symbols[name], comparison.current.symbols.get(name)
        if after is None or not _comparable(comparison, before, after):
            continue
        changes = tuple(_changes(before, after))
        if not changes:
            continue
        dependents = _dependents(comparison, before, after, changes)
        if is_public(comparison, before) or any(not d.guessed for d in dependents):
            yield _signal(comparison, before, after, changes, dependents)


def _comparable(comparison: Comparison, before: Symbol, after: Symbol) -> bool:
    sure = before.kind is after.kind and before.definitions == after.definitions == 1
    if not sure or not is_python(before.path) or is_local(comparison, before):
        return False
    return not comparison.misplaced(before) and not comparison.doubtful(after)


def _changes(before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    if before.kind in CALLABLES and before.signature is not None and after.signature is not None:
        yield from _defaults(before.signature, after.signature)
        yield from _returns(before.signature, after.signature)
    if before.kind is SymbolKind.CLASS:
        yield from _bases(before, after)
    if before.kind is SymbolKind.CONSTANT:
        yield from _value(before, after)
    if before.kind in CALLABLES or before.kind is SymbolKind.CLASS:
        yield from _decorators(before, after)


def _defaults(before: Signature, after: Signature) -> Iterator[ContractChange]:
    new = {p.name: p for p in after.parameters}
    for old in before.parameters:
        now = new.get(old.name)
        if now is None or old.default is None or now.default is None or _same(old.default, now.default):
            continue
        text = f"default of {old.name!r} changed from {_cut(old.default)} to {_cut(now.default)}"
        yield ContractChange(ChangeKind.DEFAULT_CHANGED, text, old.name)


def _returns(before: Signature, after: Signature) -> Iterator[ContractChange]:
    if (before.is_async, before.is_generator) != (after.is_async, after.is_generator):
        return  # what a call gives is another thing altogether, and told as such
    old, new = before.returns, after.returns
    if old is not None and new is not None and normal_annotation(old) != normal_annotation(new):
        text = f"is annotated to return {_cut(new)} (was {_cut(old)})"
        yield ContractChange(ChangeKind.RETURN_CHANGED, text)


def _bases(before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    old, new = (tuple(_normal(base) for base in symbol.bases) for symbol in (before, after))
    for base in old:
        if base not in new:
            yield ContractChange(ChangeKind.BASE_REMOVED, f"no longer derives from {_cut(base)}")
    for base in new:
        if base not in old:
            yield ContractChange(ChangeKind.BASE_ADDED, f"now derives from {_cut(base)}")
    if old != new and sorted(old) == sorted(new):
        yield ContractChange(ChangeKind.BASES_REORDERED, f"its bases are in another order: {', '.join(new)}")


def _decorators(before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    """Decorators by name and arguments; those that make a property or a protocol are other signals'."""
    old, new = (
        {_normal(d) for d in symbol.decorators if decorator_name(d) not in SYNTAX}
        for symbol in (before, after)
    )
    for text in sorted(old - new):
        yield ContractChange(ChangeKind.DECORATOR_REMOVED, f"lost the decorator @{_cut(text)}")
    for text in sorted(new - old):
        yield ContractChange(ChangeKind.DECORATOR_ADDED, f"gained the decorator @{_cut(text)}")


def _value(before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    old, new = before.value, after.value
    if old is None or new is None or before.name in _VERSIONS or is_dunder(before.name) or _same(old, new):
        return
    kinds = tuple(_literal_kind(text) for text in (old, new))
    if "" not in kinds and kinds[0] != kinds[1]:
        text = f"is {kinds[1]} {_cut(new)} (was {kinds[0]} {_cut(old)})"
        yield ContractChange(ChangeKind.TYPE_CHANGED, text)
    elif "" not in kinds:
        yield ContractChange(ChangeKind.VALUE_CHANGED, f"is {_cut(new)} (was {_cut(old)})")


def _literal_kind(text: str) -> str:
    """The type of a literal; empty for any other expression, whose value the text does not tell."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""
    return type(value).__name__


def _normal(text: str) -> str:
    """Source text as the parser would print it, so that layout and quotes are no change."""
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return " ".join(text.split())


def _same(old: str, new: str) -> bool:
    return old == new or _normal(old) == _normal(new)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _TEXT_CHARS else flat[: _TEXT_CHARS - 1] + "…"


def _dependents(
    comparison: Comparison, before: Symbol, after: Symbol, changes: tuple[ContractChange, ...]
) -> tuple[Dependent, ...]:
    """The uses now; calls that leave a changed default alone lag, with the parameter as the reason."""
    defaults = [change.parameter for change in changes if change.kind is ChangeKind.DEFAULT_CHANGED]
    found = []
    for edge in comparison.uses_now((after.id,)):
        if edge.kind in (EdgeKind.OVERRIDE, EdgeKind.CONTAIN):
            continue
        reason = _relies(edge, defaults, after.signature)
        found.append(plain_dependent(edge, reason))
    return order(found)


def _relies(edge: Edge, defaults: list[str], signature: Signature | None) -> str:
    if edge.shape is None or signature is None or edge.shape.star or edge.shape.double_star:
        return ""
    names = [name for name in defaults if not _passes(edge.shape, name, signature)]
    return f"relies on the default of {', '.join(map(repr, names))}" if names else ""


def _passes(shape: CallShape, name: str, signature: Signature) -> bool:
    positional: list[Parameter] = [p for p in signature.parameters if p.kind in POSITIONAL]
    return name in shape.keywords or name in {p.name for p in positional[: shape.positional]}


def _signal(
    comparison: Comparison,
    before: Symbol,
    after: Symbol,
    changes: tuple[ContractChange, ...],
    dependents: tuple[Dependent, ...],
) -> Signal:
    module, qualname = module_and_qualname(comparison, before.id)
    texts = [definition_text(symbol) for symbol in (before, after)]
    facts = "; ".join(change.text for change in changes)
    return Signal(
        key=signal_key(SignalKind.DEFINITION_ALTERED, before.id, texts[0], f"{texts[1]} {facts}"),
        kind=SignalKind.DEFINITION_ALTERED,
        line=altered_line(before.id, changes, dependents),
        symbols=(before.id,),
        paths=(after.path,),
        before=texts[0],
        after=texts[1],
        public=is_public(comparison, before),
        dependents=dependents,
        detail=SymbolDetail(
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
            changes=changes,
        ),
        dependents_total=len(dependents),
        lagging_total=sum(d.lagging for d in dependents),
    )
