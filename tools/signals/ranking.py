"""The order in which signals are worth a look. One formula, the same for every repository:

    score = severity x audience x certainty x (0.25 + log2(1 + exposure)) x (1 + 0.25 churn)

- *severity* of what changed: a name or an entry point that is gone 1.0; a call that no longer binds 1.0; one
  that silently reaches another parameter 0.9; a moved name 0.8; a changed protocol 0.8; an attribute that
  became a method or a property 0.8; an override that no longer fits its base 0.7; a name no longer exported
  0.5; a definition that every use still fits 0.3; who uses a symbol, or what a widely used one calls, 0.15;
  churn alone 0.1.
- *audience*: 1.0 when code outside the repository may use the symbol, else 0.6.
- *certainty*: 0.5 when the only witness relies on what ``*args`` or ``**kwargs`` took, else 1.0.
- *exposure*: the sum over lagging dependents of place (production 1, example 0.5, test 0.4) times
  resolution (0.25 when matched by name only, else 1). Its logarithm is taken because the tenth
  lagging call tells less than the first.
- *churn* of the symbol's file in 0..1: changes in files that change all the time are more often at fault.

Scores are comparable within one observation only. Ties go to the smaller key.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from repo_guardian.tools.signals.interface import (
    Dependent,
    Effect,
    Signal,
    SignalKind,
    SymbolDetail,
    WitnessOrigin,
)
from repo_guardian.tools.signals.places import Place, place

_SEVERITY = {
    SignalKind.SYMBOL_REMOVED: 1.0,
    SignalKind.SYMBOL_MOVED: 0.8,
    SignalKind.ENTRY_POINT_LOST: 1.0,
    SignalKind.OVERRIDE_MISMATCH: 0.7,
    SignalKind.EXPORT_REMOVED: 0.5,
    SignalKind.DEFINITION_ALTERED: 0.3,
    SignalKind.REACH_CHANGED: 0.15,
    SignalKind.CHURN: 0.1,
}
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


def rank(signals: Iterable[Signal], churn: Mapping[str, float] | None = None) -> tuple[Signal, ...]:
    """The signals with their scores, highest first; see the module's formula.

    Args:
        signals: in any order.
        churn: path to intensity in 0..1 (``churn.intensities``); paths that are missing count as 0.
    """
    known = churn if churn is not None else {}
    scored = [replace(signal, score=score(signal, known)) for signal in signals]
    return tuple(sorted(scored, key=lambda signal: (-signal.score, signal.key)))


def score(signal: Signal, churn: Mapping[str, float]) -> float:
    """The score of one signal, rounded to six digits so that it compares and prints the same anywhere."""
    audience = 1.0 if signal.public or signal.kind is SignalKind.CHURN else _PRIVATE_AUDIENCE
    busy = max((churn.get(path, 0.0) for path in signal.paths), default=0.0)
    reach = _UNEXPOSED + math.log2(1 + exposure(signal.lagging))
    return round(_severity(signal) * audience * _certainty(signal) * reach * (1 + _CHURN * busy), 6)


def exposure(lagging: Iterable[Dependent]) -> float:
    """The weighted number of lagging dependents; see the module's formula."""
    return sum(_PLACE[place(d.path)] * (_GUESSED if d.guessed else 1.0) for d in lagging)


def _severity(signal: Signal) -> float:
    detail = signal.detail
    if signal.kind is SignalKind.CONTRACT_CHANGED and isinstance(detail, SymbolDetail):
        return _SEVERITY_OF_CONTRACT.get(detail.effect, 1.0)
    return _SEVERITY.get(signal.kind, 1.0)


def _certainty(signal: Signal) -> float:
    detail = signal.detail
    weak = isinstance(detail, SymbolDetail) and detail.witness_origin is WitnessOrigin.VARIADIC
    return _VARIADIC_CERTAINTY if weak else 1.0
