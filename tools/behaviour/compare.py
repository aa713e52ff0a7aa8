"""What two replays say about each function: the same, something else, or nothing that can be relied on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from repo_guardian.tools.behaviour.interface import (
    BehaviourReport,
    Check,
    Divergence,
    LeftOut,
    Outcome,
    Recording,
    Target,
    Witness,
)
from repo_guardian.tools.behaviour.replay import CallId, Made, Replay

_WITNESSES = 12
_CHECKS = 6

Pair = tuple[CallId, Made, Made]
"""A call and what each commit made of it."""


def compare(
    targets: Sequence[Target], recording: Recording, base: Replay, current: Replay
) -> BehaviourReport:
    """Sort out what the two commits did with the same calls.

    A call counts when it was made on both commits, in both orders, with one outcome each, and neither
    reached beyond its arguments.
    """
    found = _Findings(recording, reshaped=_reshaped(targets, base, current))
    for target in targets:
        if target.symbol in recording.inputs:
            found.take(target, base, current)
    return found.report([t.symbol for t in targets if t.symbol not in recording.inputs])


@dataclass
class _Findings:
    recording: Recording
    reshaped: frozenset[str]
    divergences: list[Divergence] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)
    reaching_out: list[str] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    calls: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)

    def take(self, target: Target, base: Replay, current: Replay) -> None:
        """Judge one function's calls."""
        symbol = target.symbol
        reason = base.missing(symbol) or current.missing(symbol)
        if reason:
            self.missing.append((symbol, reason))
            return
        if not (base.in_time(symbol) and current.in_time(symbol)):
            self.late.append(symbol)
        unusable = {key for replay in (base, current) for key in replay.unusable if key[0] == symbol}
        self.counts["unusable"] += len(unusable)
        pairs = _pairs(symbol, base, current)
        usable = [pair for pair in pairs if not self._left_out(*pair)]
        if usable:
            self.compared.append(symbol)
            self.calls += len(usable)
            divergence = _divergence(target, self.recording, usable)
            self.divergences += [divergence] if divergence is not None else []
        elif any(old.effects or new.effects for _, old, new in pairs):
            self.reaching_out.append(symbol)
        elif unusable and not pairs:
            texts = sorted(replay.unusable[k] for replay in (base, current) for k in replay.unusable
                           if k in unusable)  # fmt: skip
            self.missing.append((symbol, f"its recorded arguments cannot be read back: {texts[0]}"))

    def _left_out(self, _: CallId, old: Made, new: Made) -> str:
        """Why a call is not compared, counted; empty when it is."""
        effects = old.effects | new.effects
        self.effects.update(effects)
        reason = ""
        if effects:
            reason = "effects"
        elif old.misfit or new.misfit:
            reason = "misfits"
        elif self._reshaped(old, new):
            reason = "reshaped"
        elif not (_stable(old) and _stable(new)):
            reason = "unstable"
        self.counts[reason] += 1
        return reason

    def _reshaped(self, old: Made, new: Made) -> bool:
        """Whether private state is shown that the commits do not have in common."""
        if not self.reshaped.isdisjoint(old.layouts.keys() | new.layouts.keys()):
            return True
        shared = old.layouts.keys() & new.layouts.keys()
        return any(_names(old.layouts[kind]) != _names(new.layouts[kind]) for kind in shared)

    def report(self, unreached: Sequence[str]) -> BehaviourReport:
        """Everything so far, divergences in order."""
        skipped = Counter[str]()
        for reasons in self.recording.skipped.values():
            skipped.update(reasons)
        return BehaviourReport(
            divergences=tuple(sorted(self.divergences, key=_order)),
            compared=tuple(self.compared),
            calls=self.calls,
            unreached=tuple(unreached),
            left_out=LeftOut(
                unstable=self.counts["unstable"],
                effects=tuple(sorted(self.effects.items())),
                misfits=self.counts["misfits"],
                reshaped=self.counts["reshaped"],
                unusable=self.counts["unusable"],
                late=tuple(self.late),
            ),
            reaching_out=tuple(self.reaching_out),
            missing=tuple(self.missing),
            skipped=tuple(sorted(skipped.items())),
            problem=self.recording.problem,
        )


def _reshaped(targets: Sequence[Target], base: Replay, current: Replay) -> frozenset[str]:
    """Classes whose own ``__init__`` leaves other private names, or other types in them, than at the base."""
    found: set[str] = set()
    for target in targets:
        if target.qualname.endswith(".__init__"):
            kind = f"{target.module}.{target.qualname.removesuffix('.__init__')}"
            for _, old, new in _pairs(target.symbol, base, current):
                before, after = old.layouts.get(kind, ""), new.layouts.get(kind, "")
                if before != after and ":" in before + after:
                    found.add(kind)
    return frozenset(found)


def _names(layout: str) -> list[str]:
    return [part.partition(":")[0] for part in layout.split(" ")]


def _order(found: Divergence) -> tuple[float, str]:
    return -found.recorded_diverging, found.target.symbol


def _pairs(symbol: str, base: Replay, current: Replay) -> list[Pair]:
    keys = sorted(key for key in base.calls if key[0] == symbol and key in current.calls)
    return [(key, base.calls[key], current.calls[key]) for key in keys]


def _stable(made: Made) -> bool:
    return len(made.outcomes) == 2 and made.outcomes[0] == made.outcomes[1]


def _divergence(target: Target, recording: Recording, usable: Sequence[Pair]) -> Divergence | None:
    """The smallest call that differs: a recorded one before a mutated one, short arguments before long."""
    differing = [entry for entry in usable if _differs(entry[1].outcomes[0], entry[2].outcomes[0])]
    if not differing:
        return None
    own = [pair for pair in usable if pair[0][2] < 0 and recording.is_own(target.symbol, pair[0][1])]
    (_, number, mutation), old, new = min(differing, key=_size)
    generated = not recording.is_own(target.symbol, number)
    return Divergence(
        target=target,
        call=old.call,
        receiver=old.receiver,
        arguments=old.literal,
        witnesses=_witnesses(sorted(differing, key=_size)),
        mutation=_label(old.label, mutation, generated=generated),
        recorded=recording.inputs[target.symbol][number],
        number=mutation,
        old=old.outcomes[0],
        new=new.outcomes[0],
        diverging=len(differing),
        compared=len(usable),
        recorded_diverging=sum(pair in own for pair in differing),
        recorded_compared=len(own),
    )


def _witnesses(differing: Sequence[Pair]) -> tuple[Witness, ...]:
    """The diverging calls that have a text, which both commits write alike, smallest first."""
    found: list[Witness] = []
    for _, old, new in differing:
        source = old.source if old.source == new.source else None
        if old.literal or source is not None:
            found.append(Witness(old.literal, source, old.outcomes[0], new.outcomes[0], _checks(old, new)))
        if len(found) == _WITNESSES:
            break
    return tuple(found)


def _checks(old: Made, new: Made) -> tuple[Check, ...]:
    """What the base answers and the current commit answers in another way, or has no answer to.

    Of the result first, what both answer first, shorter questions first.
    """
    found = []
    for where, asked in old.views.items():
        now = new.views.get(where, {})
        for template, text in asked.items():
            if now.get(template) != text:
                order = (where != "result", template not in now, where, _question(template))
                found.append((order, Check(where, template, text)))
    return tuple(check for _, check in sorted(found)[:_CHECKS])


def _question(template: str) -> tuple[bool, int, str]:
    """Attributes and elements before what the value says in words of its own, and before its type."""
    return template.startswith(("str(", "repr(", "type(")), len(template), template


def _label(label: str, mutation: int, *, generated: bool) -> str:
    if not generated:
        return label
    return "generated" if mutation < 0 else f"generated, {label}"


def _size(entry: Pair) -> tuple[bool, int, CallId]:
    key, old, _ = entry
    return key[2] >= 0, len(old.call) + len(old.receiver), key


def _differs(old: Outcome, new: Outcome) -> bool:
    """Whether a caller can notice; the wording of an exception that is raised either way is no behaviour."""
    if old.exception is not None and new.exception is not None:
        return (old.exception[0], old.arguments) != (new.exception[0], new.arguments)
    plain = [outcome._replace(warnings=(), literal="", iterator=False) for outcome in (old, new)]
    return plain[0] != plain[1] or _kinds(old) != _kinds(new)


def _kinds(outcome: Outcome) -> set[str]:
    return {category for category, _ in outcome.warnings}
