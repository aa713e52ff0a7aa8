"""Which call shape tells two signatures apart: the constructive half of a contract signal.

``witness`` is complete for calls without ``*x`` and ``**x``: when it returns None, every such call that
binds to ``before`` binds to ``after``. It need not search all subsets of names. A call of ``n``
positional arguments has to carry ``R``, the names that ``before`` requires beyond the first ``n``; and
each of the four ways in which ``after`` can refuse it (too many positional arguments, an argument given
twice, an unknown name, a missing argument) is due to ``n`` alone, to one name more than ``R``, or to a
name that ``R`` lacks. So ``(n, R)`` and ``(n, R + one name)`` are the only candidates.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_guardian.tools.signals.interface import WitnessOrigin
from repo_guardian.tools.views.symbol_graph.signature import (
    POSITIONAL,
    Binding,
    CallShape,
    Parameter,
    ParameterKind,
    Signature,
)

VARIADIC = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)


def witness(before: Signature, after: Signature) -> CallShape | None:
    """The smallest call shape that binds to ``before`` and not to ``after``; None when there is none.

    Shapes that ``before`` takes without the help of ``*args`` and ``**kwargs`` come first, then fewer
    arguments, then fewer keywords, then alphabetical order.
    """
    shapes = [s for s in _candidates(before, after) if fits(before, s) and fails(after, s)]
    return min(shapes, key=lambda shape: _size(before, shape), default=None)


def shifted(before: Signature, after: Signature) -> CallShape | None:
    """The smallest positional shape that binds to both but whose last argument changes its parameter.

    This is the silent half of a reordered or inserted parameter: nothing raises, and a value arrives
    under another name. See ``shift`` for what counts.
    """
    for shape in _candidates(before, after):
        if fits(before, shape) and fits(after, shape) and shift(before, after, shape) is not None:
            return shape
    return None


def common(before: Signature, after: Signature) -> CallShape | None:
    """The smallest call shape that binds to both; None when no call does."""
    shapes = [s for s in _candidates(before, after) if fits(before, s) and fits(after, s)]
    return min(shapes, key=lambda shape: _size(before, shape), default=None)


def shift(before: Signature, after: Signature, call: CallShape) -> tuple[int, str, str] | None:
    """The first positional argument of ``call`` that reaches another parameter than before.

    Returns its index, the slot at the base and the slot now; None when all arrive where they did. A
    parameter that was only renamed is no shift: one of the two names has to live on elsewhere in the
    other signature. Nor is an argument that ``*args`` took and a named parameter takes now, which is how
    a contract is spelled out.
    """
    names_before = {p.name for p in before.parameters}
    names_after = {p.name for p in after.parameters}
    for index in range(call.positional):
        old, new = _slot(before, index), _slot(after, index)
        if old is None or new is None or old.name == new.name:
            continue
        kept = old.name in names_after or (new.name in names_before and new.kind in POSITIONAL)
        if old.kind in POSITIONAL and kept:
            return index, _slot_name(old), _slot_name(new)
    return None


def origin(before: Signature, shape: CallShape) -> WitnessOrigin:
    """How much a derived shape proves: see ``WitnessOrigin``."""
    kinds = {p.kind for p in before.parameters}
    open_ended = {ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD} <= kinds
    if open_ended or not fits(_closed(before), shape):
        return WitnessOrigin.VARIADIC
    return WitnessOrigin.SIGNATURE


def fits(signature: Signature, shape: CallShape) -> bool:
    """Whether the call certainly binds."""
    return signature.bind(shape).binding is Binding.FITS


def fails(signature: Signature, shape: CallShape) -> bool:
    """Whether the call certainly does not bind."""
    return signature.bind(shape).binding is Binding.FAILS


def _candidates(before: Signature, after: Signature) -> Iterator[CallShape]:
    """All shapes that need to be looked at, fewer positional arguments first."""
    slots = [p for p in before.parameters if p.kind in POSITIONAL]
    most = len(slots)
    if _takes_any(before):
        most = max(most, sum(p.kind in POSITIONAL for p in after.parameters)) + 1
    names = _usable_names(before, after)
    for count in range(most + 1):
        taken = {p.name for p in slots[:count]}
        needed = tuple(sorted(p.name for p in before.parameters if p.required and p.name not in taken))
        yield CallShape(count, needed)
        for name in names:
            if name not in needed:
                yield CallShape(count, tuple(sorted((*needed, name))))


def _usable_names(before: Signature, after: Signature) -> list[str]:
    """Keywords that ``before`` could take; one made-up name stands for all that neither mentions."""
    names = {p.name for p in before.parameters if p.kind not in VARIADIC}
    if any(p.kind is ParameterKind.VAR_KEYWORD for p in before.parameters):
        names |= {p.name for p in after.parameters if p.kind not in VARIADIC}
        fresh = "extra"
        while fresh in names:
            fresh += "_"
        names.add(fresh)
    return sorted(names)


def _size(before: Signature, shape: CallShape) -> tuple[bool, int, int, tuple[str, ...]]:
    through_variadic = not fits(_closed(before), shape)
    return through_variadic, shape.positional + len(shape.keywords), len(shape.keywords), shape.keywords


def _closed(signature: Signature) -> Signature:
    """``signature`` without its ``*args`` and ``**kwargs``."""
    return Signature(tuple(p for p in signature.parameters if p.kind not in VARIADIC))


def _takes_any(signature: Signature) -> bool:
    return any(p.kind is ParameterKind.VAR_POSITIONAL for p in signature.parameters)


def _slot(signature: Signature, index: int) -> Parameter | None:
    """The parameter that the positional argument at ``index`` (from 0) reaches."""
    slots = [p for p in signature.parameters if p.kind in POSITIONAL]
    if index < len(slots):
        return slots[index]
    return next((p for p in signature.parameters if p.kind is ParameterKind.VAR_POSITIONAL), None)


def _slot_name(parameter: Parameter) -> str:
    return f"*{parameter.name}" if parameter.kind is ParameterKind.VAR_POSITIONAL else repr(parameter.name)
