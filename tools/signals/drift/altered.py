"""Definitions that every earlier use still fits and that may mean something else now.

Defaults, annotated returns, bases, decorators, the values of constants, class attributes and enum members,
how a method is bound, what a property takes, what a function raises. One signal per symbol. What a use relies
on is told where the graph shows it: a call that leaves an argument to its changed default lags, since it gets
another value without having asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repo_guardian.tools.signals.drift.annotations import normal_annotation, still_returns
from repo_guardian.tools.signals.drift.audience import (
    is_dunder,
    is_local,
    is_public,
    module_and_qualname,
)
from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.signals.drift.dependents import order, plain_dependent
from repo_guardian.tools.signals.drift.detail import altered_detail
from repo_guardian.tools.signals.drift.protocol import BINDINGS, SYNTAX, binding, decorator_name
from repo_guardian.tools.signals.drift.raises import raises_change
from repo_guardian.tools.signals.drift.texts import cut, is_literal, normal, same, value_type
from repo_guardian.tools.signals.drift.wording import altered_line, definition_text
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Dependent,
    Signal,
    SignalKind,
    signal_key,
)
from repo_guardian.tools.signals.places import is_python
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import POSITIONAL, CallShape, Parameter, Signature

_SELF = re.compile(r"\b(?:\w+\.)?Self\b")
"""What a method calls its own class (PEP 673)."""
_VERSIONS = frozenset(
    {"__version__", "VERSION", "version", "__version_info__", "version_info", "version_tuple"}
)


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``DEFINITION_ALTERED`` signals, unranked: of public symbols, and of others that a use relies on."""
    for name in comparison.ids_at_base:
        before, after = comparison.base.symbols[name], comparison.current.symbols.get(name)
        if after is None:
            after = _inherited(comparison, before)
        if after is None or not _comparable(comparison, before, after):
            continue
        changes = tuple(_changes(comparison, before, after))
        if not changes:
            continue
        dependents = _dependents(comparison, after, changes)
        if is_public(comparison, before) or any(d.lagging and not d.guessed for d in dependents):
            yield _signal(comparison, before, after, changes, dependents)


def _comparable(comparison: Comparison, before: Symbol, after: Symbol) -> bool:
    alike = before.kind is after.kind or before.id != after.id
    sure = alike and before.definitions == after.definitions == 1
    if not sure or not is_python(before.path) or is_local(comparison, before):
        return False
    return not comparison.misplaced(before) and not comparison.doubtful(after)


def _inherited(comparison: Comparison, before: Symbol) -> Symbol | None:
    """What a class inherits now where it had a member of its own: a definition that was there as it is."""
    owner = comparison.current.symbols.get(before.id.rpartition(".")[0])
    if owner is None or owner.kind is not SymbolKind.CLASS or is_dunder(before.name):
        return None
    found = comparison.now(before.id)
    then = comparison.base.symbols.get(found.id) if isinstance(found, Symbol) else None
    if not isinstance(found, Symbol) or then is None or _length(then) != _length(found):
        return None
    return None if any(decorator_name(d) == "abstractmethod" for d in found.decorators) else found


def _length(symbol: Symbol) -> int:
    return symbol.span.end_byte - symbol.span.start_byte


def _changes(comparison: Comparison, before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    if before.id != after.id:
        values = [symbol.value or "" for symbol in (before, after) if symbol.kind is SymbolKind.CONSTANT]
        if len(values) < 2 or not same(*values):
            text = f"is inherited from {after.id.rpartition('.')[0]} now"
            yield ContractChange(ChangeKind.INHERITED, text)
        return
    if before.kind in CALLABLES and not comparison.as_written(before, after):
        yield from _of_callable(comparison, before, after)
    if before.kind is SymbolKind.CLASS:
        yield from _bases(comparison, before, after)
    if before.kind is SymbolKind.CONSTANT:
        yield from _value(before, after)
    if before.kind in CALLABLES or before.kind is SymbolKind.CLASS:
        yield from _decorators(before, after)


def _of_callable(comparison: Comparison, before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    if before.signature is not None and after.signature is not None:
        yield from _defaults(before.signature, after.signature)
        yield from _returns(before.signature, after.signature, before.id.split(".")[-2])
    if before.kind is SymbolKind.METHOD and binding(before) != binding(after):
        text = f"is {binding(after)} now (was {binding(before)})"
        yield ContractChange(ChangeKind.BINDING_CHANGED, text)
    if before.kind is SymbolKind.PROPERTY and _lost_setter(comparison, before, after):
        yield ContractChange(ChangeKind.SETTER_REMOVED, "can no longer be assigned to")
    raised = raises_change(comparison, before, after)
    if raised is not None:
        yield raised


def _defaults(before: Signature, after: Signature) -> Iterator[ContractChange]:
    new = {p.name: p for p in after.parameters}
    for old in before.parameters:
        now = new.get(old.name)
        if now is None or old.default is None or now.default is None or same(old.default, now.default):
            continue
        text = f"default of {old.name!r} changed from {cut(old.default)} to {cut(now.default)}"
        yield ContractChange(ChangeKind.DEFAULT_CHANGED, text, old.name)


def _returns(before: Signature, after: Signature, owner: str) -> Iterator[ContractChange]:
    if (before.is_async, before.is_generator) != (after.is_async, after.is_generator):
        return  # what a call gives is another thing altogether, and told as such
    old, new = before.returns, after.returns
    if old is None or new is None:
        return
    if not still_returns(*(_SELF.sub(owner, text) for text in (old, new))):
        text = f"is annotated to return {cut(new)} (was {cut(old)})"
        yield ContractChange(ChangeKind.RETURN_CHANGED, text)


def _lost_setter(comparison: Comparison, before: Symbol, after: Symbol) -> bool:
    then = comparison.sources_at_base.setters(before.path, before.name)
    if then == (0, 0) or (not then[1] and then == comparison.sources_now.setters(after.path, after.name)):
        return False  # the texts tell, and parsing a file costs more than all else here
    old = comparison.sources_at_base.attributes(before.path)
    new = comparison.sources_now.attributes(after.path)
    name = module_and_qualname(comparison, before.id)[1]
    return old is not None and new is not None and name in old.setters and name not in new.setters


def _bases(comparison: Comparison, before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    """Bases by their last name: ``abc.Sequence`` and ``Sequence`` are one unless the repository has both.

    Type parameters say nothing at run time: ``dict`` and ``dict[str, V]`` are one base. A base that another
    one brings along is not lost.
    """
    replaced = _replaced(comparison, before.id)
    if before.bases == after.bases and not replaced:
        return
    old, new = (_base_texts(symbol) for symbol in (before, after))
    order = comparison.hierarchy.linearize(before.id)
    kept = {name.lstrip("?").rpartition(".")[2] for name in order} - replaced
    for base, text in old.items():
        if base not in kept and (base not in new or base in replaced):
            yield ContractChange(ChangeKind.BASE_REMOVED, f"no longer derives from {cut(text)}")
    for base, text in new.items():
        if (base not in old and base != "Generic") or base in replaced:
            yield ContractChange(ChangeKind.BASE_ADDED, f"now derives from {cut(text)}")
    if tuple(old) != tuple(new) and sorted(old) == sorted(new):
        text = f"its bases are in another order: {', '.join(new.values())}"
        yield ContractChange(ChangeKind.BASES_REORDERED, text)


def _base_texts(symbol: Symbol) -> dict[str, str]:
    return {normal_annotation(base).partition("[")[0]: normal(base) for base in symbol.bases}


def _replaced(comparison: Comparison, class_id: str) -> frozenset[str]:
    """Last names of bases that name another class of the repository now, while the earlier one is there."""
    old, new = comparison.base_hierarchy.bases(class_id), comparison.hierarchy.bases(class_id)
    gone = {name.rpartition(".")[2]: name for name in old if name not in new and name[0] != "?"}
    come = {name.rpartition(".")[2] for name in new if name not in old and name[0] != "?"}
    return frozenset(
        last for last, name in gone.items() if last in come and name in comparison.current.symbols
    )


def _decorators(before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    """Decorators by name and arguments; those that make a property or a protocol are other signals'."""
    if before.decorators == after.decorators:
        return
    told = SYNTAX | BINDINGS
    old, new = (
        {normal(d.lstrip("@")): d for d in symbol.decorators if decorator_name(d) not in told}
        for symbol in (before, after)
    )
    for text in sorted(old.keys() - new.keys()):
        yield ContractChange(ChangeKind.DECORATOR_REMOVED, f"lost the decorator @{cut(text)}")
    for text in sorted(new.keys() - old.keys()):
        if decorator_name(text) != "abstractmethod":
            yield ContractChange(ChangeKind.DECORATOR_ADDED, f"gained the decorator @{cut(text)}")


def _value(before: Symbol, after: Symbol) -> Iterator[ContractChange]:
    old, new = before.value, after.value
    if old is None or new is None or before.name in _VERSIONS or is_dunder(before.name) or same(old, new):
        return
    types = tuple(value_type(text) for text in (old, new))
    if "" not in types and types[0] != types[1]:
        text = f"is {types[1]} {cut(new)} (was {types[0]} {cut(old)})"
        yield ContractChange(ChangeKind.TYPE_CHANGED, text)
    elif is_literal(old) and is_literal(new):
        yield ContractChange(ChangeKind.VALUE_CHANGED, f"is {cut(new)} (was {cut(old)})")


def _dependents(
    comparison: Comparison, after: Symbol, changes: tuple[ContractChange, ...]
) -> tuple[Dependent, ...]:
    """The uses now; one that relies on what changed lags, and the reason says on what."""
    defaults = [change.parameter for change in changes if change.kind is ChangeKind.DEFAULT_CHANGED]
    kinds = {change.kind for change in changes}
    owner = after.id.rpartition(".")[0].rpartition(".")[2]
    on_class = re.compile(rf"\b{re.escape(owner)}\s*\.\s*{re.escape(after.name)}\s*\(")
    assigned = re.compile(rf"\.{re.escape(after.name)}\s*([-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)")
    found = []
    for edge in comparison.uses_now((after.id,)):
        if edge.kind in (EdgeKind.OVERRIDE, EdgeKind.CONTAIN):
            continue
        reason = _relies(edge, defaults, after.signature)
        if ChangeKind.SETTER_REMOVED in kinds and assigned.search(edge.text):
            reason = "assigns to what has no setter now"
        if ChangeKind.BINDING_CHANGED in kinds and binding(after) == "an instance method":
            reason = "is called on the class" if on_class.search(edge.text) else reason
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
        detail=altered_detail(comparison, before, after, changes),
        dependents_total=len(dependents),
        lagging_total=sum(d.lagging for d in dependents),
    )
