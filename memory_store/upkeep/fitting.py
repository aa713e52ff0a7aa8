"""A cycle made fit to be stored where an earlier one is lost: without what speaks of unknown hypotheses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from repo_guardian.memory_store.records import CycleWrite, ProbeRecord


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is left of a cycle, and what was left out of it, in one line; empty when it is whole."""

    write: CycleWrite
    loss: str


def fitted(write: CycleWrite, known: Collection[str]) -> Fitted:
    """``write`` without the events and probes of hypotheses that neither it nor ``known`` has."""
    keys = {*known, *(hypothesis.key for hypothesis in write.hypotheses)}
    probes = _with_parents(tuple(probe for probe in write.probes if probe.hypothesis in keys))
    ids = {probe.id for probe in probes}
    events = tuple(
        event.model_copy(update={"citations": tuple(cited for cited in event.citations if cited in ids)})
        for event in write.events
        if event.hypothesis in keys
    )
    gone = len(write.events) - len(events), len(write.probes) - len(probes)
    if not any(gone):
        return Fitted(write, "")
    return Fitted(
        write.model_copy(update={"events": events, "probes": probes}),
        f"{gone[0]} events and {gone[1]} probes of cycle {write.cycle.number}: "
        "the cycle that made their hypotheses is lost",
    )


def borrowed(write: CycleWrite) -> set[str]:
    """The hypotheses that a cycle speaks of and does not make itself."""
    spoken = {event.hypothesis for event in write.events} | {probe.hypothesis for probe in write.probes}
    return spoken - {hypothesis.key for hypothesis in write.hypotheses}


def _with_parents(probes: tuple[ProbeRecord, ...]) -> tuple[ProbeRecord, ...]:
    """The probes whose parents are there, and theirs."""
    while True:
        ids = {probe.id for probe in probes}
        kept = tuple(probe for probe in probes if probe.parent is None or probe.parent in ids)
        if len(kept) == len(probes):
            return kept
        probes = kept
