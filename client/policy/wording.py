"""The plain English of the ``rules`` policy: claim, consequence and remedy for each kind of signal.

The sentences are in ``phrases``; here they are filled in, cut to what the wire takes, and given a remedy
whose locus exists at the commit.
"""

from __future__ import annotations

from repo_guardian.client.policy.phrases import PHRASES, Phrases, phrases_for, subject
from repo_guardian.client.printable import printable
from repo_guardian.server.contract.hypotheses import ChangeOfKind, HypothesisDraft, Remedy
from repo_guardian.server.contract.signals import DependentItem, SignalItem
from repo_guardian.server.contract.wire import Locus
from repo_guardian.vocabulary import Origin

CHARS = 2000
"""What the wire takes of each text."""
_TOLD_CHARS = 300


def claims_something(signal: SignalItem) -> bool:
    """Whether a signal suggests that something is wrong; churn, co-change and reach only measure."""
    return signal.kind in PHRASES and bool(signal.symbols or signal.paths)


def draft_for(signal: SignalItem) -> HypothesisDraft:
    """The hypothesis that a signal suggests; ``claims_something`` has to hold of it."""
    phrases = phrases_for(signal) or PHRASES["definition_altered"]
    names = _names(signal)
    claim = phrases.claim.format(**names)
    return HypothesisDraft(
        claim=f"{claim}: {_measured(signal)}"[:CHARS],
        consequence=_consequence(signal, phrases, names)[:CHARS],
        remedy=_remedy(signal, phrases, names),
        origin=Origin.SIGNAL,
        locus=Locus(files=signal.paths, symbols=signal.symbols),
        signal_keys=(signal.key,),
    )


def _names(signal: SignalItem) -> dict[str, str]:
    symbol = signal.symbols[0] if signal.symbols else signal.paths[0]
    test = signal.detail.get("test_id", symbol)
    return {
        "symbol": printable(symbol),
        "last": printable(symbol.rpartition(".")[2]),
        "test": printable(test)[:_TOLD_CHARS],
    }


def _measured(signal: SignalItem) -> str:
    """What was measured, without the name in front, which the claim has named already."""
    if signal.kind == "test_changed":
        reached = f" (it reaches {printable(signal.symbols[0])}, which changed)" if signal.symbols else ""
        return f"{printable(signal.after)}{reached}"
    return signal.line.removeprefix(f"{signal.symbols[0]}: ") if signal.symbols else signal.line


def _lagging(signal: SignalItem) -> list[DependentItem]:
    return [dependent for dependent in signal.dependents if dependent.lagging]


def _consequence(signal: SignalItem, phrases: Phrases, names: dict[str, str]) -> str:
    lagging = _lagging(signal)
    if not lagging:
        return phrases.outside.format(**names) + _other_uses(signal)
    first = lagging[0]
    words = subject(signal.lagging_total, phrases.noun)
    sentence = f"{words['subject']} {phrases.lagging.format(**names, **words)}"
    reason = f": {printable(first.reason)}" if first.reason else ""
    return f"{sentence}, {_first(signal.lagging_total)}{printable(str(first.location))}{reason}."


def _other_uses(signal: SignalItem) -> str:
    """Who uses it here, where none of these is known to be at fault."""
    if not signal.dependents:
        return ""
    words = subject(signal.dependents_total)
    place = printable(str(signal.dependents[0].location))
    return f" {words['subject']} use{words['s']} it, {_first(signal.dependents_total)}{place}."


def _first(count: int) -> str:
    return "" if count == 1 else "first "


def _remedy(signal: SignalItem, phrases: Phrases, names: dict[str, str]) -> Remedy:
    if signal.kind in ("behaviour_changed", "test_changed"):
        return _of_executed(signal, phrases, names)
    lagging = _lagging(signal)
    restore = phrases.restore.format(**names)
    if lagging:
        files = tuple(sorted({d.location.path for d in lagging}))
        uses = "the lagging use" if signal.lagging_total == 1 else f"the {signal.lagging_total} lagging uses"
        return Remedy(
            change=ChangeOfKind.UPDATE_DEPENDENTS,
            locus=Locus(files=files, symbols=tuple(sorted({d.symbol for d in lagging}))),
            text=f"Bring {uses} to the new form, or {restore}."[:CHARS],
        )
    return Remedy(
        change=ChangeOfKind.RESTORE_COMPATIBILITY,
        locus=_where(signal),
        text=f"{restore[0].upper()}{restore[1:]}, or announce the break where its users will read it."[
            :CHARS
        ],
    )


def _begun(clause: str) -> str:
    """The clause as the beginning of a sentence."""
    return clause[:1].upper() + clause[1:]


def _of_executed(signal: SignalItem, phrases: Phrases, names: dict[str, str]) -> Remedy:
    restore = phrases.restore.format(**names)
    meant = (
        "bring the test to what is meant now"
        if signal.kind == "test_changed"
        else "announce it where its users will read it and hold it with a test"
    )
    return Remedy(
        change=ChangeOfKind.RESTORE_BEHAVIOUR,
        locus=_where(signal),
        text=f"{_begun(restore)}; if the change is meant, {meant}."[:CHARS],
    )


def _where(signal: SignalItem) -> Locus:
    """A place that exists at the commit: the definition's file, else the package that it was taken from."""
    detail = signal.detail
    if "module" not in detail:
        return Locus(files=signal.paths[:1])
    if detail.get("current_path"):
        return Locus(files=(detail["current_path"],))
    package = detail["module"].rpartition(".")[0]
    return Locus(symbols=(package,)) if package else Locus(files=signal.paths[:1])
