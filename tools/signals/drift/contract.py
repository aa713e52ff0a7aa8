"""Contracts that changed: some call that bound, or meant something, at the base does not any more.

One signal per symbol, however many of its parameters changed. Each is constructive: it carries a witness
call shape which the two signatures themselves tell apart (``witness``), or a change of protocol that the
definitions show (``protocol``). Compatible changes, such as a new optional parameter at the end, have no
witness and raise nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from repo_guardian.tools.signals.drift.audience import is_local, is_public, module_and_qualname
from repo_guardian.tools.signals.drift.changes import parameter_changes
from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.drift.dependents import of_contract
from repo_guardian.tools.signals.drift.protocol import (
    Protocol,
    decorator_name,
    protocol,
    protocol_change,
)
from repo_guardian.tools.signals.drift.subjects import Subject, subjects
from repo_guardian.tools.signals.drift.witness import common, fails, fits, origin, shift, shifted, witness
from repo_guardian.tools.signals.drift.wording import contract_line, definition_text
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Dependent,
    Effect,
    Receiver,
    Signal,
    SignalKind,
    SymbolDetail,
    WitnessOrigin,
    signal_key,
)
from repo_guardian.tools.views.symbol_graph.model import Edge, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape


@dataclass(frozen=True, slots=True)
class _Proof:
    """What shows the change: its effect, and the call that does."""

    effect: Effect
    shape: CallShape | None = None
    origin: WitnessOrigin | None = None


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``CONTRACT_CHANGED`` signals, unranked.

    A symbol that only the repository itself uses is reported when such a use certainly lags: where all have
    followed nothing is left to tell. What a call gives back is not checked use by use, so there a certain
    use is enough, unless the symbol lies inside a function.
    """
    for subject in subjects(comparison):
        changes = _changes(subject)
        if not changes or _find_proof(subject, changes, ()) is None:
            continue
        dependents = of_contract(
            comparison.sources_now,
            (comparison.uses_at_base(subject.before.targets), _uses_now(comparison, subject)),
            subject.before.signature,
            subject.after.signature,
            changes,
        )
        proof = _find_proof(subject, changes, dependents)
        if proof is not None and _worth_telling(comparison, subject.before.symbol, dependents, proof):
            yield _signal(comparison, subject, changes, dependents, proof)


def _worth_telling(
    comparison: Comparison, symbol: Symbol, dependents: tuple[Dependent, ...], proof: _Proof
) -> bool:
    if is_public(comparison, symbol):
        return True
    certain = [d for d in dependents if not d.guessed]
    told_by_use = proof.effect is Effect.RETURNS and not is_local(comparison, symbol)
    return bool(certain) if told_by_use else any(d.lagging for d in certain)


def _changes(subject: Subject) -> tuple[ContractChange, ...]:
    before, after = subject.before, subject.after
    access = _access_change(before.symbol, after.symbol)
    if access is not None:
        return (access,)
    if before.symbol.kind is SymbolKind.PROPERTY:
        return ()
    changes = parameter_changes(before.signature, after.signature)
    other = protocol_change(before.definition, after.definition)
    return (*changes, other) if other is not None else changes


def _access_change(before: Symbol, after: Symbol) -> ContractChange | None:
    was_property, is_property = (s.kind is SymbolKind.PROPERTY for s in (before, after))
    if was_property == is_property:
        return None
    if is_property:
        return ContractChange(ChangeKind.BECAME_PROPERTY, "became a property (was a method)")
    return ContractChange(ChangeKind.BECAME_METHOD, "became a method (was a property)")


def _find_proof(
    subject: Subject, changes: tuple[ContractChange, ...], dependents: tuple[Dependent, ...]
) -> _Proof | None:
    """The strongest proof: a lagging call that fails, a derived one, then the silent changes."""
    if changes[0].kind in (ChangeKind.BECAME_PROPERTY, ChangeKind.BECAME_METHOD):
        return _Proof(Effect.ACCESS)
    before, after = subject.before.signature, subject.after.signature
    lagging = (d for d in dependents if d.lagging and not d.guessed)
    real = [d.shape for d in lagging if d.shape is not None and fits(before, d.shape)]
    failing = next((s for s in real if fails(after, s)), None)
    if failing is not None:
        return _Proof(Effect.UNBINDS, failing, WitnessOrigin.CALL)
    derived = witness(before, after)
    if derived is not None and origin(before, derived) is WitnessOrigin.SIGNATURE:
        return _Proof(Effect.UNBINDS, derived, WitnessOrigin.SIGNATURE)
    moving = next((s for s in real if shift(before, after, s) is not None), None)
    if moving is not None:
        return _Proof(Effect.REBINDS, moving, WitnessOrigin.CALL)
    if derived is not None:
        return _Proof(Effect.UNBINDS, derived, WitnessOrigin.VARIADIC)
    silent = shifted(before, after)
    if silent is not None:
        return _Proof(Effect.REBINDS, silent, origin(before, silent))
    return _returns_proof(subject, real)


def _returns_proof(subject: Subject, real: list[CallShape]) -> _Proof | None:
    if protocol_change(subject.before.definition, subject.after.definition) is None:
        return None
    if real:
        return _Proof(Effect.RETURNS, real[0], WitnessOrigin.CALL)
    shape = common(subject.before.signature, subject.after.signature)
    return _Proof(Effect.RETURNS, shape, WitnessOrigin.SIGNATURE) if shape is not None else None


def _uses_now(comparison: Comparison, subject: Subject) -> tuple[Edge, ...]:
    """Uses at the current commit, through the ids by which the symbol was known at the base.

    When the name now leads to a definition that was there before under another id, only uses whose line
    already led to the old one count: the others never meant it.
    """
    after, before = subject.after, subject.before
    targets = after.targets
    if after.symbol.kind is SymbolKind.CLASS and before.symbol.kind is SymbolKind.CLASS:
        known = set(before.targets)
        own = after.symbol.id
        targets = tuple(t for t in targets if t in known or t == own or t.startswith(f"{own}."))
    uses = comparison.uses_now(targets)
    if after.symbol.id == before.symbol.id or after.symbol.id not in comparison.base.symbols:
        return uses
    lines = {(edge.path, edge.text) for edge in comparison.uses_at_base(before.targets)}
    return tuple(edge for edge in uses if (edge.path, edge.text) in lines)


def _signal(
    comparison: Comparison,
    subject: Subject,
    changes: tuple[ContractChange, ...],
    dependents: tuple[Dependent, ...],
    proof: _Proof,
) -> Signal:
    before, after = subject.before, subject.after
    before_text = definition_text(before.symbol, before.signature)
    after_text = definition_text(after.symbol, after.signature)
    return Signal(
        key=signal_key(SignalKind.CONTRACT_CHANGED, subject.name, before_text, after_text),
        kind=SignalKind.CONTRACT_CHANGED,
        line=contract_line(subject.name, changes, dependents),
        symbols=(subject.name, *subject.others),
        paths=(after.definition.path,),
        before=before_text,
        after=after_text,
        public=is_public(comparison, before.symbol),
        dependents=dependents,
        detail=_detail(comparison, subject, changes, proof),
        dependents_total=len(dependents),
        lagging_total=sum(d.lagging for d in dependents),
    )


def _detail(
    comparison: Comparison, subject: Subject, changes: tuple[ContractChange, ...], proof: _Proof
) -> SymbolDetail:
    before, after = subject.before, subject.after
    module, qualname = module_and_qualname(comparison, subject.name)
    return SymbolDetail(
        symbol_kind=before.symbol.kind,
        module=module,
        qualname=qualname,
        old_id=before.symbol.id,
        new_id=after.symbol.id,
        base_path=before.definition.path,
        current_path=after.definition.path,
        base_span=before.definition.span,
        current_span=after.definition.span,
        effect=proof.effect,
        changes=changes,
        witness=proof.shape,
        witness_origin=proof.origin,
        receiver=_receiver(before.symbol),
        was_async=protocol(before.definition) is Protocol.COROUTINE,
        is_async=protocol(after.definition) is Protocol.COROUTINE,
    )


def _receiver(symbol: Symbol) -> Receiver:
    if symbol.kind not in (SymbolKind.METHOD, SymbolKind.PROPERTY):
        return Receiver.NONE
    names = {decorator_name(d) for d in symbol.decorators}
    if "staticmethod" in names:
        return Receiver.NONE
    return Receiver.CLASS if "classmethod" in names else Receiver.INSTANCE
