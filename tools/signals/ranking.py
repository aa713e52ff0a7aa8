"""The order in which signals are worth a look. One formula, the same for every repository:

    score = severity x audience x certainty x (0.25 + log2(1 + exposure)) x risk x surprise
    risk  = 1 + 0.25 churn + 0.25 complexity + 0.15 (1 - ownership)

- *severity* of what changed: a name or an entry point that is gone 1.0; a call that no longer binds 1.0; one
  that silently reaches another parameter 0.9; a moved name 0.8; a changed protocol 0.8; an attribute that
  became a method or a property 0.8; an override that no longer fits its base 0.7; a name no longer exported
  0.5; a definition that every use still fits 0.3; who uses a symbol, or what a widely used one calls, 0.15;
  a file left behind by its partner 0.3;
  churn alone 0.1. Of what running showed: a test that newly fails or whose file can no longer be collected
  8.0; a function that does something else 0.8, or 0.4 where a caller sees no difference who asks only whether
  there is something; a test that is newly skipped 0.3, one that is gone 0.2.
- *audience*: 1.0 when code outside the repository may use the symbol, else 0.6.
- *certainty*: 0.5 when the only witness relies on what ``*args`` or ``**kwargs`` took; of a divergence 0.6
  when no call of the suite's own differs but one varied from it does, 0.5 when only inputs that were made do;
  of a test 0.5 when repetitions did not confirm it; else 1.0.
- *exposure*: the sum over lagging dependents of place (production 1, example 0.5, test 0.4) times
  resolution (0.25 when matched by name only, else 1). Its logarithm is taken because the tenth
  lagging call tells less than the first. No use lags behind changed behaviour; its exposure is 1 when a call
  of the suite's own differs, plus the production uses times the share of calls that differ.
- *churn* of the symbol's file in 0..1: changes in files that change all the time are more often at fault.
- *complexity*: by how much the change made the function, else its file, more complex, in 0..1
  (``complexity.rises``).
- *ownership* of the file in 0..1: the main author's share of its commits. Where many hands change a file
  there are more faults (Bird et al., ESEC/FSE 2011). Without history it is 1.
- *surprise*: 1.0 when nothing speaks for intent; 0.5 when a test or a message that came with the change names
  the symbol; 0.25 when a changelog, a document or a deprecation announced it. So of signals that are alike
  otherwise the unannounced one is first. What cannot be announced (churn, co-change) counts as 1.0, and so
  does what was announced while the repository itself certainly lags: it was overlooked all the same.

Scores are comparable within one observation only. Ties go to the smaller key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from repo_guardian.tools.behaviour.ranking import same_for_truth
from repo_guardian.tools.deltas.interface import DeltaKind
from repo_guardian.tools.intent.interface import IntentEvidence
from repo_guardian.tools.signals.complexity import Key
from repo_guardian.tools.signals.divergences import is_generated
from repo_guardian.tools.signals.interface import (
    BehaviourDetail,
    Dependent,
    Effect,
    Signal,
    SignalKind,
    SymbolDetail,
    TestDetail,
    WitnessOrigin,
)
from repo_guardian.tools.signals.places import Place, is_production, place

_SEVERITY = {
    SignalKind.SYMBOL_REMOVED: 1.0,
    SignalKind.SYMBOL_MOVED: 0.8,
    SignalKind.ENTRY_POINT_LOST: 1.0,
    SignalKind.OVERRIDE_MISMATCH: 0.7,
    SignalKind.EXPORT_REMOVED: 0.5,
    SignalKind.DEFINITION_ALTERED: 0.3,
    SignalKind.CO_CHANGE_MISSING: 0.3,
    SignalKind.REACH_CHANGED: 0.15,
    SignalKind.CHURN: 0.1,
    SignalKind.BEHAVIOUR_CHANGED: 0.8,
}
_UNSEEN = 0.4
"""The severity of a behaviour that a caller cannot tell apart who asks only for something or nothing."""
_FAILING, _SKIPPED, _GONE = 8.0, 0.3, 0.2
_SEVERITY_OF_CONTRACT = {
    Effect.UNBINDS: 1.0,
    Effect.REBINDS: 0.9,
    Effect.RETURNS: 0.8,
    Effect.ACCESS: 0.8,
}
_PRIVATE_AUDIENCE = 0.6
_VARIADIC_CERTAINTY = 0.5
_PLACE = {Place.PRODUCTION: 1.0, Place.EXAMPLE: 0.5, Place.TEST: 0.4}
_GUESSED = 0.25
_UNEXPOSED = 0.25
_CHURN = 0.25
_COMPLEXITY = 0.25
_OWNERSHIP = 0.15
_SURPRISE = {"": 1.0, "followed": 0.5, "announced": 0.25}
_VARIED, _GENERATED = 0.6, 0.5
_UNCONFIRMED = 0.5
_NO_AUDIENCE = (SignalKind.CHURN, SignalKind.CO_CHANGE_MISSING, SignalKind.TEST_CHANGED)


@dataclass(frozen=True, slots=True)
class RiskFactors:
    """What is known of the change beside its signals; what is missing counts as no risk.

    Attributes:
        churn: intensity in 0..1 by path (``churn.intensities``).
        ownership: the main author's share in 0..1 by path.
        complexity: rise in 0..1 by path and dotted name (``complexity.rises``).
        intent: the evidence on one signal, None where there can be none.
    """

    churn: Mapping[str, float] = field(default_factory=dict)
    ownership: Mapping[str, float] = field(default_factory=dict)
    complexity: Mapping[Key, float] = field(default_factory=dict)
    intent: Callable[[Signal], IntentEvidence | None] = lambda _signal: None


def rank(
    signals: Iterable[Signal], factors: RiskFactors | Mapping[str, float] | None = None
) -> tuple[Signal, ...]:
    """The signals with their scores, highest first; see the module's formula.

    Args:
        signals: in any order.
        factors: what else is known; a mapping is churn alone.
    """
    known = factors if isinstance(factors, RiskFactors) else RiskFactors(churn=factors or {})
    scored = [replace(signal, score=score(signal, known)) for signal in signals]
    return tuple(sorted(scored, key=lambda signal: (-signal.score, signal.key)))


def score(signal: Signal, factors: RiskFactors) -> float:
    """The score of one signal, rounded to six digits so that it compares and prints the same anywhere."""
    audience = 1.0 if signal.public or signal.kind in _NO_AUDIENCE else _PRIVATE_AUDIENCE
    reach = _UNEXPOSED + math.log2(1 + _exposure(signal))
    weight = _severity(signal) * audience * _certainty(signal) * reach
    return round(weight * risk(signal, factors) * _surprise(signal, factors), 6)


def risk(signal: Signal, factors: RiskFactors) -> float:
    """The factor, at least 1, of what is known of the signal's files and function."""
    churn = max((factors.churn.get(path, 0.0) for path in signal.paths), default=0.0)
    owned = min((factors.ownership.get(path, 1.0) for path in signal.paths), default=1.0)
    detail = signal.detail.symbol if isinstance(signal.detail, BehaviourDetail) else signal.detail
    name = detail.qualname if isinstance(detail, SymbolDetail) else ""
    rises = (
        factors.complexity.get((path, name), factors.complexity.get((path, ""), 0.0)) for path in signal.paths
    )
    return 1 + _CHURN * churn + _COMPLEXITY * max(rises, default=0.0) + _OWNERSHIP * (1 - owned)


def _surprise(signal: Signal, factors: RiskFactors) -> float:
    return _SURPRISE[spoken_for(signal, factors.intent(signal))]


def spoken_for(signal: Signal, evidence: IntentEvidence | None) -> str:
    """What speaks for a change being meant, in a word: ``announced``, ``followed``, or "" for nothing.

    Nothing does where the repository itself certainly lags: that was overlooked, announced or not.
    """
    overlooked = any(not dependent.guessed for dependent in signal.lagging)
    if evidence is None or overlooked or not evidence.intended:
        return ""
    return "announced" if evidence.announced else "followed"


def exposure(lagging: Iterable[Dependent]) -> float:
    """The weighted number of lagging dependents; see the module's formula."""
    return sum(_PLACE[place(d.path)] * (_GUESSED if d.guessed else 1.0) for d in lagging)


def _exposure(signal: Signal) -> float:
    if not isinstance(signal.detail, BehaviourDetail):
        return exposure(signal.lagging)
    found = signal.detail.divergence
    uses = exposure(d for d in signal.dependents if is_production(d.path))
    return bool(found.recorded_diverging) + uses * found.diverging / max(1, found.compared)


def _severity(signal: Signal) -> float:
    detail = signal.detail
    if signal.kind is SignalKind.CONTRACT_CHANGED and isinstance(detail, SymbolDetail):
        return _SEVERITY_OF_CONTRACT.get(detail.effect, 1.0)
    if isinstance(detail, BehaviourDetail) and same_for_truth(detail.divergence):
        return _UNSEEN
    if isinstance(detail, TestDetail):
        return _severity_of_test(signal, detail)
    return _SEVERITY.get(signal.kind, 1.0)


def _severity_of_test(signal: Signal, detail: TestDetail) -> float:
    if detail.delta.kind is DeltaKind.NEWLY_SKIPPED:
        return _SKIPPED
    return _GONE if detail.removed else _FAILING


def _certainty(signal: Signal) -> float:
    detail = signal.detail
    if isinstance(detail, BehaviourDetail) and not detail.divergence.recorded_diverging:
        return _GENERATED if is_generated(detail.divergence) else _VARIED
    if isinstance(detail, TestDetail) and not detail.delta.confirmed:
        return _UNCONFIRMED
    weak = isinstance(detail, SymbolDetail) and detail.witness_origin is WitnessOrigin.VARIADIC
    return _VARIADIC_CERTAINTY if weak else 1.0
