"""The plain English of the ``rules`` policy: claim, consequence and remedy for each kind of signal."""

from __future__ import annotations

from repo_guardian.server.contract.hypotheses import ChangeOfKind, HypothesisDraft, Remedy
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.contract.wire import Locus
from repo_guardian.vocabulary import Origin

_CLAIMS = {
    "contract_changed": "Uses of {symbol} that were valid at the base fail now: {what}",
    "symbol_removed": "{symbol} can no longer be imported or reached: {what}",
    "symbol_moved": "{symbol} can no longer be reached under its old name: {what}",
}


def draft_for(signal: SignalItem) -> HypothesisDraft:
    """The hypothesis that a drift signal suggests."""
    symbol = signal.symbols[0]
    return HypothesisDraft(
        claim=_CLAIMS[signal.kind].format(symbol=symbol, what=_without_subject(signal))[:2000],
        consequence=_consequence(signal),
        remedy=_remedy(signal),
        origin=Origin.SIGNAL,
        locus=Locus(files=signal.paths, symbols=signal.symbols),
        signal_keys=(signal.key,),
    )


def _without_subject(signal: SignalItem) -> str:
    """The signal's line without the symbol's name in front, which the claim has named already."""
    return signal.line.removeprefix(f"{signal.symbols[0]}: ")


def _consequence(signal: SignalItem) -> str:
    first = next((d for d in signal.dependents if d.lagging), None)
    if first is None:
        return f"Callers outside this repository that use {signal.symbols[0]} the old way fail there."
    count = signal.lagging_total
    places = "1 place in this repository still uses" if count == 1 else f"{count} places still use"
    reason = f": {first.reason}" if first.reason else ""
    return f"{places} it the old way and fails when reached, first {first.location}{reason}."


def _uses(count: int) -> str:
    return "the lagging use" if count == 1 else f"the {count} lagging uses"


def _remedy(signal: SignalItem) -> Remedy:
    lagging = [d for d in signal.dependents if d.lagging]
    if lagging:
        files = tuple(sorted({d.location.path for d in lagging}))
        return Remedy(
            change=ChangeOfKind.UPDATE_DEPENDENTS,
            locus=Locus(files=files, symbols=tuple(sorted({d.symbol for d in lagging}))),
            text=f"Bring {_uses(signal.lagging_total)} to the new form, or accept the old form for a "
            f"deprecation period in {signal.paths[0]}.",
        )
    return Remedy(
        change=ChangeOfKind.RESTORE_COMPATIBILITY,
        locus=Locus(files=signal.paths[:1], symbols=()),
        text=f"Accept the old form of {signal.symbols[0]} for a deprecation period in {signal.paths[0]}, or "
        f"announce the break where its users will read it.",
    )
