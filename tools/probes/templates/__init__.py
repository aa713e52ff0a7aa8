"""Writes the tests that prove a signal, as a maintainer would: named after the claim, one check.

One module per kind of thing that a test can show; ``candidates`` picks by what the signal says. A template
never runs anything and only ever places validated identifiers and literals into source text: names come from
a stranger's repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.templates import (
    access,
    altered,
    binding,
    calls,
    classes,
    decorators,
    offers,
    raises,
    reachability,
    returns,
)
from repo_guardian.tools.probes.templates.existing import existing_tests
from repo_guardian.tools.probes.templates.material import Material
from repo_guardian.tools.probes.templates.source import Case, Draft, finish
from repo_guardian.tools.signals.interface import (
    BehaviourDetail,
    ChangeKind,
    ContractChange,
    Effect,
    Signal,
    SymbolDetail,
    TestDetail,
    WitnessOrigin,
)
from repo_guardian.tools.views.symbol_graph.model import SymbolKind

__all__ = ["Material", "candidates"]

_OfEffect = Callable[[Case], Draft]
_OfChange = Callable[[Case, ContractChange], Draft]

_BY_EFFECT: dict[Effect, tuple[_OfEffect, ...]] = {
    Effect.UNBINDS: (calls.still_takes_call, binding.still_binds),
    Effect.REBINDS: (binding.same_parameters,),
    Effect.RETURNS: (returns.same_kind,),
    Effect.ACCESS: (access.same_access,),
    Effect.UNRESOLVED: (reachability.still_reachable,),
}
_BY_CHANGE: dict[ChangeKind, tuple[_OfChange, ...]] = {
    ChangeKind.OVERRIDE: (classes.takes_what_base_takes,),
    ChangeKind.ABSTRACT_ADDED: (classes.child_can_be_made, classes.asks_for_no_more),
    ChangeKind.ENTRY_POINT: (offers.target_still_there, offers.still_declared),
    ChangeKind.NOT_EXPORTED: (offers.still_exported,),
    ChangeKind.RAISES_CHANGED: (raises.still_raises,),
    ChangeKind.BINDING_CHANGED: (altered.same_binding,),
    ChangeKind.SETTER_REMOVED: (altered.still_assignable,),
    ChangeKind.DEFAULT_CHANGED: (altered.same_default,),
    ChangeKind.TYPE_CHANGED: (altered.same_type,),
    ChangeKind.VALUE_CHANGED: (altered.same_value,),
    ChangeKind.BASE_REMOVED: classes.BASE_REMOVED,
    ChangeKind.DECORATOR_REMOVED: (decorators.same_decorator,),
    ChangeKind.DECORATOR_ADDED: (decorators.same_decorator,),
    ChangeKind.INHERITED: (altered.same_value, altered.still_its_own),
    ChangeKind.BASES_REORDERED: (classes.same_order,),
    ChangeKind.BASE_ADDED: (classes.still_without_base,),
    ChangeKind.RETURN_CHANGED: (altered.same_annotation,),
}
"""The changes of a definition that a test can show, those first that tell most."""


def candidates(signal: Signal, material: Material) -> tuple[TestSource, ...]:
    """The tests that could prove ``signal``, the most telling first; empty when no template can.

    Each is to pass at the base and to fail at the current commit. A later one is for when an earlier one
    cannot be executed, or fails for another reason than the stated one.
    """
    detail = signal.detail
    if isinstance(detail, BehaviourDetail):
        # Rendering needs the building blocks of this package: imported first, it would import itself.
        from repo_guardian.tools.behaviour.rendering import renderings

        return renderings(detail.divergence)
    if isinstance(detail, TestDetail):
        return tuple(existing_tests(detail, material))
    if not isinstance(detail, SymbolDetail) or detail.witness_origin is WitnessOrigin.VARIADIC:
        # The base took the call through *args or **kwargs only: it need not have meant anything.
        return ()
    if _is_inside_function(detail, material):
        return ()
    case = Case(signal, detail, material)
    return tuple(dict.fromkeys(_written(_attempts(case))))


def _attempts(case: Case) -> Iterator[Callable[[], Draft]]:
    for of_effect in _BY_EFFECT.get(case.detail.effect, ()):
        yield partial(of_effect, case)
    for kind, templates in _BY_CHANGE.items():
        for change in case.detail.changes if case.detail.effect is Effect.ALTERED else ():
            if change.kind is kind:
                for of_change in templates:
                    yield partial(of_change, case, change)


def _written(attempts: Iterator[Callable[[], Draft]]) -> Iterator[TestSource]:
    for attempt in attempts:
        try:
            yield finish(attempt())
        except TemplateError:
            continue


def _is_inside_function(detail: SymbolDetail, material: Material) -> bool:
    """Whether what changed is local to a function, where no test can reach it."""
    parts = detail.old_id.split(".")
    owners = (material.base.symbols.get(".".join(parts[:end])) for end in range(1, len(parts)))
    functions = (SymbolKind.FUNCTION, SymbolKind.METHOD)
    return any(owner is not None and owner.kind in functions for owner in owners)
