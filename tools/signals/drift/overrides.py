"""Methods and what they override: pairs that took the same calls at the base and no longer do.

Whoever holds an instance of the base class calls through the base's contract (Liskov and Wing, "A Behavioral
Notion of Subtyping", 1994), so an override has to take every call that the base takes. Only pairs that fitted
at the base and of which one side changed are reported, each once, with a call shape that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from repo_guardian.tools.signals.drift.audience import is_public
from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.drift.dependents import plain_dependent
from repo_guardian.tools.signals.drift.detail import altered_detail
from repo_guardian.tools.signals.drift.subjects import CONSTRUCTORS
from repo_guardian.tools.signals.drift.witness import witness
from repo_guardian.tools.signals.drift.wording import definition_text, override_line
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Signal,
    SignalKind,
    WitnessOrigin,
    signal_key,
)
from repo_guardian.tools.signals.places import Place, place
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape


def detect(comparison: Comparison) -> Iterator[Signal]:
    """The ``OVERRIDE_MISMATCH`` signals, unranked."""
    seen: set[tuple[str, str]] = set()
    for name in comparison.ids_now:
        method = comparison.current.symbols[name]
        if method.kind is not SymbolKind.METHOD or method.name in CONSTRUCTORS or _is_test(method):
            continue
        for edge in _pairs(comparison, method):
            if (edge.source, edge.target) not in seen:
                seen.add((edge.source, edge.target))
                signal = _judge(comparison, edge)
                if signal is not None:
                    yield signal


def _is_test(method: Symbol) -> bool:
    """A test method: its runner alone calls it, and passes what it asks for by name."""
    return method.name.startswith("test") and place(method.path) is Place.TEST


def _pairs(comparison: Comparison, method: Symbol) -> list[Edge]:
    """The override edges, now, that begin or end at a method whose signature changed."""
    before = comparison.base.symbols.get(method.id)
    if before is None or before.signature == method.signature:
        return []
    own = (e for e in comparison.current.edges_in(method.path) if e.source == method.id)
    edges = [*own, *comparison.current.uses(method.id)]
    return [edge for edge in edges if edge.kind is EdgeKind.OVERRIDE]


def _judge(comparison: Comparison, edge: Edge) -> Signal | None:
    """A signal when the pair fitted at the base and a call now tells the two apart."""
    now = [comparison.current.symbols.get(name) for name in (edge.source, edge.target)]
    then = [comparison.base.symbols.get(name) for name in (edge.source, edge.target)]
    symbols = [*now, *then]
    if not all(s is not None and s.signature_certain and s.definitions == 1 for s in symbols):
        return None
    if _refused(then[0], then[1]) is not None:
        return None
    shape = _refused(now[0], now[1])
    if shape is None or now[0] is None or now[1] is None or then[0] is None:
        return None
    return _signal(comparison, edge, (now[0], now[1]), then[0], shape)


def _refused(override: Symbol | None, base: Symbol | None) -> CallShape | None:
    """A call that the overridden method takes and the override does not."""
    if override is None or base is None or override.signature is None or base.signature is None:
        return None
    return witness(base.signature, override.signature)


def _signal(
    comparison: Comparison, edge: Edge, now: tuple[Symbol, Symbol], then: Symbol, shape: CallShape
) -> Signal:
    override, base = now
    reason = override.signature.bind(shape).reason if override.signature is not None else ""
    lagging = (
        "the override has not followed"
        if then.signature == override.signature
        else "the base has not followed"
    )
    dependent = plain_dependent(edge, f"{reason} in a call {shape.render()} that {base.id} takes")
    before, after = definition_text(override), definition_text(base)
    return Signal(
        key=signal_key(SignalKind.OVERRIDE_MISMATCH, f"{override.id} {base.id}", before, after),
        kind=SignalKind.OVERRIDE_MISMATCH,
        line=override_line(base.id, override.id, reason, lagging),
        symbols=(override.id, base.id),
        paths=tuple(dict.fromkeys((override.path, base.path))),
        before=before,
        after=after,
        public=is_public(comparison, then),
        dependents=(dependent,),
        detail=replace(
            altered_detail(comparison, then, override, (ContractChange(ChangeKind.OVERRIDE, reason),)),
            witness=shape,
            witness_origin=WitnessOrigin.SIGNATURE,
        ),
        dependents_total=1,
        lagging_total=1,
    )
