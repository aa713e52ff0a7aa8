"""What two replays say about each function: the same, something else, or nothing that can be relied on."""

from __future__ import annotations

from collections.abc import Sequence

from repo_guardian.tools.behaviour.interface import BehaviourReport, Divergence, Outcome, Recording, Target
from repo_guardian.tools.behaviour.replay import CallId, Made, Replay


def compare(
    targets: Sequence[Target], recording: Recording, base: Replay, current: Replay
) -> BehaviourReport:
    """Sort out what the two commits did with the same calls.

    A call counts when it was made on both commits, in both orders, with one outcome each. A function that
    reached outside in any call is left out whole.
    """
    divergences: list[Divergence] = []
    compared: list[str] = []
    reaching_out: list[str] = []
    missing: list[tuple[str, str]] = []
    calls = unstable = 0
    for target in targets:
        if target.symbol not in recording.inputs:
            continue
        reason = base.missing(target.symbol) or current.missing(target.symbol)
        pairs = _pairs(target.symbol, base, current)
        if reason:
            missing.append((target.symbol, reason))
            continue
        if any(old.effects or new.effects for _, old, new in pairs):
            reaching_out.append(target.symbol)
            continue
        usable = [(key, old, new) for key, old, new in pairs if _stable(old) and _stable(new)]
        unstable += len(pairs) - len(usable)
        calls += len(usable)
        if usable:
            compared.append(target.symbol)
        divergence = _divergence(target, recording, usable)
        if divergence is not None:
            divergences.append(divergence)
    return BehaviourReport(
        divergences=tuple(sorted(divergences, key=lambda d: (-d.recorded_diverging, d.target.symbol))),
        compared=tuple(compared),
        calls=calls,
        unreached=tuple(t.symbol for t in targets if t.symbol not in recording.inputs),
        unstable=unstable,
        reaching_out=tuple(reaching_out),
        missing=tuple(missing),
        problem=recording.problem,
    )


def _pairs(symbol: str, base: Replay, current: Replay) -> list[tuple[CallId, Made, Made]]:
    keys = sorted(key for key in base.calls if key[0] == symbol and key in current.calls)
    return [(key, base.calls[key], current.calls[key]) for key in keys]


def _stable(made: Made) -> bool:
    return len(made.outcomes) == 2 and made.outcomes[0] == made.outcomes[1]


def _divergence(
    target: Target, recording: Recording, usable: Sequence[tuple[CallId, Made, Made]]
) -> Divergence | None:
    """The smallest call that differs: a recorded one before a mutated one, short arguments before long."""
    differing = [entry for entry in usable if _differs(entry[1].outcomes[0], entry[2].outcomes[0])]
    if not differing:
        return None
    (_, number, mutation), old, new = min(differing, key=_size)
    return Divergence(
        target=target,
        call=old.call,
        receiver=old.receiver,
        mutation=old.label,
        recorded=recording.inputs[target.symbol][number],
        number=mutation,
        old=old.outcomes[0],
        new=new.outcomes[0],
        diverging=len(differing),
        compared=len(usable),
        recorded_diverging=sum(key[2] < 0 for key, _, _ in differing),
    )


def _size(entry: tuple[CallId, Made, Made]) -> tuple[bool, int, CallId]:
    key, old, _ = entry
    return key[2] >= 0, len(old.call) + len(old.receiver), key


def _differs(old: Outcome, new: Outcome) -> bool:
    """Whether a caller can notice; the wording of an exception that is raised either way is no behaviour."""
    if old.exception is not None and new.exception is not None:
        return (old.exception[0], old.arguments) != (new.exception[0], new.arguments)
    return old._replace(warnings=()) != new._replace(warnings=()) or _kinds(old) != _kinds(new)


def _kinds(outcome: Outcome) -> set[str]:
    return {category for category, _ in outcome.warnings}
