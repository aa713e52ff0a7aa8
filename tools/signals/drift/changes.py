"""Names what changed between two signatures, parameter by parameter, as clauses of an English sentence.

Only changes that can break a call are named; whether one does is decided by ``witness``, not here.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from repo_guardian.tools.signals.drift.witness import VARIADIC
from repo_guardian.tools.signals.interface import ChangeKind, ContractChange
from repo_guardian.tools.views.symbol_graph.signature import (
    NAMED,
    POSITIONAL,
    Parameter,
    ParameterKind,
    Signature,
)

_SIMILAR_MIN = 0.5
"""``SequenceMatcher`` ratio from which two names are taken for one that was renamed."""


def parameter_changes(before: Signature, after: Signature) -> tuple[ContractChange, ...]:
    """The breaking changes of parameters: those of the old signature in order, then added ones."""
    old = {p.name: p for p in before.parameters if p.kind not in VARIADIC}
    new = {p.name: p for p in after.parameters if p.kind not in VARIADIC}
    renames = _renames(before, after)
    changes: list[ContractChange] = []
    for name, parameter in old.items():
        if name in renames:
            if parameter.kind is not ParameterKind.POSITIONAL_ONLY:
                text = f"parameter {name!r} was renamed to {renames[name]!r}"
                changes.append(ContractChange(ChangeKind.PARAMETER_RENAMED, text, name))
            changes += _altered(parameter, new[renames[name]])
        elif name in new:
            changes += _altered(parameter, new[name])
        else:
            text = f"parameter {name!r} was removed"
            changes.append(ContractChange(ChangeKind.PARAMETER_REMOVED, text, name))
    changes += _variadics(before, after)
    changes += _reordered(before, after)
    added = [p for name, p in new.items() if name not in old and name not in renames.values()]
    changes += [change for p in added if (change := _added(p, before, after, renames)) is not None]
    return tuple(changes)


def _renames(before: Signature, after: Signature) -> dict[str, str]:
    """Old to new name where a vanished and a new parameter hold the same place.

    Place means the same default, both positional or both keyword-only, and either the same position or
    being the only pair. Between optional parameters, which come and go more freely, the names have to be
    alike too.
    """
    old_names = {p.name for p in before.parameters}
    new_names = {p.name for p in after.parameters}
    gone = [p for p in before.parameters if p.name not in new_names and p.kind not in VARIADIC]
    come = [p for p in after.parameters if p.name not in old_names and p.kind not in VARIADIC]
    renames: dict[str, str] = {}
    for old in gone:
        for new in come:
            same_kind = old.kind is new.kind or (old.kind in POSITIONAL and new.kind in POSITIONAL)
            alike = same_kind and old.default == new.default
            alike = alike and (old.default is None or _similar(old.name, new.name))
            same_place = _place(before, old) == _place(after, new) and old.kind in POSITIONAL
            lone_pair = len(gone) == len(come) == 1
            if alike and (same_place or lone_pair) and new.name not in renames.values():
                renames[old.name] = new.name
                break
    return renames


def _similar(name: str, other: str) -> bool:
    return SequenceMatcher(None, name, other).ratio() >= _SIMILAR_MIN


def _place(signature: Signature, parameter: Parameter) -> int:
    return [p.name for p in signature.parameters].index(parameter.name)


def _altered(old: Parameter, new: Parameter) -> list[ContractChange]:
    """What changed in a parameter that is still there, under its new name."""
    changes: list[ContractChange] = []
    if old.default is not None and new.default is None:
        text = f"parameter {new.name!r} became required (was {old.name}={old.default})"
        changes.append(ContractChange(ChangeKind.PARAMETER_REQUIRED, text, old.name))
    if old.kind in POSITIONAL and new.kind is ParameterKind.KEYWORD_ONLY:
        text = f"parameter {new.name!r} became keyword-only"
        changes.append(ContractChange(ChangeKind.PARAMETER_KEYWORD_ONLY, text, old.name))
    if old.kind in NAMED and new.kind is ParameterKind.POSITIONAL_ONLY:
        text = f"parameter {new.name!r} became positional-only"
        changes.append(ContractChange(ChangeKind.PARAMETER_POSITIONAL_ONLY, text, old.name))
    return changes


def _variadics(before: Signature, after: Signature) -> list[ContractChange]:
    changes: list[ContractChange] = []
    kept = {p.kind for p in after.parameters}
    for parameter in before.parameters:
        if parameter.kind in VARIADIC and parameter.kind not in kept:
            positional = parameter.kind is ParameterKind.VAR_POSITIONAL
            kind = ChangeKind.ARGS_REMOVED if positional else ChangeKind.KWARGS_REMOVED
            changes.append(ContractChange(kind, f"{parameter.render()} was removed", parameter.name))
    return changes


def _reordered(before: Signature, after: Signature) -> list[ContractChange]:
    """One change when the positional parameters that both signatures have stand in another order."""
    old, new = (
        list(dict.fromkeys(p.name for p in signature.parameters if p.kind in POSITIONAL))
        for signature in (before, after)  # source that does not compile may name one twice
    )
    old_common = [name for name in old if name in new]
    new_common = [name for name in new if name in old]
    if old_common == new_common:
        return []
    moved = next(a for a, b in zip(old_common, new_common, strict=True) if a != b)
    text = f"parameters were reordered to ({', '.join(new_common)})"
    return [ContractChange(ChangeKind.PARAMETER_REORDERED, text, moved)]


def _added(
    parameter: Parameter, before: Signature, after: Signature, renames: dict[str, str]
) -> ContractChange | None:
    if parameter.required:
        text = f"required parameter {parameter.name!r} was added"
        return ContractChange(ChangeKind.PARAMETER_ADDED, text, parameter.name)
    if parameter.kind not in POSITIONAL:
        return None
    kept = {p.name for p in before.parameters} | set(renames.values())
    later = after.parameters[_place(after, parameter) + 1 :]
    displaced = [p for p in later if p.kind in POSITIONAL and p.name in kept]
    if not displaced:
        return None
    text = f"parameter {parameter.name!r} was inserted before {displaced[0].name!r}"
    return ContractChange(ChangeKind.PARAMETER_INSERTED, text, parameter.name)
