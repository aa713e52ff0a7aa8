"""Signals of behavioural drift: one for each function that does something else, shown by one call."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from repo_guardian.tools.behaviour.interface import Divergence, Outcome
from repo_guardian.tools.signals.drift.dependents import order, plain_dependent
from repo_guardian.tools.signals.executed import symbol_detail
from repo_guardian.tools.signals.interface import (
    BehaviourDetail,
    Dependent,
    Signal,
    SignalKind,
    one_line,
    signal_key,
)
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind

_NO_USE = (EdgeKind.INHERIT, EdgeKind.OVERRIDE, EdgeKind.CONTAIN, EdgeKind.IMPORT)
_SHOWN_CHARS = 120
_AS_RECORDED, _GENERATED = "as recorded", "generated"


def behaviour_signals(found: Iterable[Divergence], base: Graph, current: Graph) -> tuple[Signal, ...]:
    """One signal for each divergence, in the given order; unranked.

    Args:
        found: what replaying gave.
        base, current: the graphs of both commits.
    """
    signals = (_signal(divergence, base, current) for divergence in found)
    return tuple(signal for signal in signals if signal is not None)


def _signal(found: Divergence, base: Graph, current: Graph) -> Signal | None:
    target = found.target
    detail = symbol_detail(target.symbol, base, current)
    if detail is None:
        return None
    symbol = base.symbols.get(target.symbol)
    dependents = users(current, target.symbol)
    return Signal(
        # The wording of an exception is not compared, and is not part of what makes a divergence the same.
        key=signal_key(
            SignalKind.BEHAVIOUR_CHANGED,
            target.symbol,
            f"{found.call}\n{_identity(found.old)}",
            _identity(found.new),
        ),
        kind=SignalKind.BEHAVIOUR_CHANGED,
        line=_line(found),
        symbols=(target.symbol,),
        paths=(target.path,),
        before=one_line(found.old.render()),
        after=one_line(found.new.render()),
        public=symbol is not None and symbol.public,
        dependents=dependents,
        detail=BehaviourDetail(detail, found),
        dependents_total=len(dependents),
    )


def users(graph: Graph, symbol_id: str) -> tuple[Dependent, ...]:
    """Who calls or reads a symbol; none of them lags, since every use still fits."""
    return order(plain_dependent(edge, "") for edge in graph.uses(symbol_id) if edge.kind not in _NO_USE)


def call_text(found: Divergence) -> str:
    """The diverging call as it would be written, else the function's name and its arguments as they print."""
    receiver = f" on {_cut(found.receiver)}" if found.receiver else ""
    try:
        args, kwargs = ast.literal_eval(found.arguments or found.call)
        parts = [repr(value) for value in args]
        parts += [f"{keyword}={value!r}" for keyword, value in kwargs.items()]
    except (ValueError, TypeError, SyntaxError, AttributeError, MemoryError, RecursionError):
        return f"{found.target.symbol} with {_cut(found.call)}{receiver}"
    return f"{found.target.symbol}({_cut(', '.join(parts))}){receiver}"


def is_generated(found: Divergence) -> bool:
    """Whether no test makes the call, nor one that it was varied from."""
    return found.mutation.startswith(_GENERATED)


def _line(found: Divergence) -> str:
    if found.mutation == _AS_RECORDED:
        how = "a call that the tests make"
    elif is_generated(found):
        how = "an input made from its annotations"
    else:
        how = f"a call that the tests make, varied ({found.mutation})"
    share = f"{found.diverging} of {found.compared} calls differ"
    old, new = _cut(found.old.render()), _cut(found.new.render())
    return one_line(f"{call_text(found)} {new} (at the base it {old}): {how}; {share}")


def _identity(outcome: Outcome) -> str:
    if outcome.exception is not None:
        return f"raises {outcome.exception[0]}"
    return outcome.render()


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
