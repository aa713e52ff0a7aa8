"""Writes the test that proves a signal, as a maintainer would: named after the claim, one check.

One module per effect that a signal's witness can show; ``template_for`` picks by ``Effect``. A template
never runs anything and only ever places validated identifiers into source text: names come from a
stranger's repository.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.templates import access, binding, reachability, returns
from repo_guardian.tools.probes.templates.material import Material
from repo_guardian.tools.probes.templates.source import Case, Draft, finish
from repo_guardian.tools.signals.interface import Effect, Signal, SymbolDetail, WitnessOrigin
from repo_guardian.tools.views.symbol_graph.signature import Signature

_TEMPLATES: dict[Effect, Callable[[Case], Draft]] = {
    Effect.UNBINDS: binding.still_binds,
    Effect.REBINDS: binding.same_parameters,
    Effect.RETURNS: returns.same_kind,
    Effect.ACCESS: access.same_access,
    Effect.UNRESOLVED: reachability.still_reachable,
}


__all__ = ["Material", "candidates", "template_for"]


def candidates(signal: Signal, material: Material) -> tuple[TestSource, ...]:
    """The tests that could prove ``signal``, the most telling first; empty when no template can.

    Each is to pass at the base and to fail at the current commit. A later one is for when an earlier one
    cannot be executed, or fails for another reason than the stated one.
    """
    test = template_for(signal, material.before)
    return (test,) if test is not None else ()


def template_for(signal: Signal, before: Signature | None) -> TestSource | None:
    """The test for ``signal``, or None when no template can prove it.

    Args:
        signal: what was measured.
        before: the signature at the base, None when the symbol had none.

    None is returned for measurements without a symbol or without an effect that a call could show, for
    witnesses that the base accepted only through
    ``*args`` or ``**kwargs`` (the call need not have meant anything), and for names that are not plain
    identifiers.
    """
    detail = signal.detail
    if not isinstance(detail, SymbolDetail) or detail.witness_origin is WitnessOrigin.VARIADIC:
        return None
    template = _TEMPLATES.get(detail.effect)
    if template is None:
        return None
    try:
        return finish(template(Case(signal, detail, before)))
    except TemplateError:
        return None
