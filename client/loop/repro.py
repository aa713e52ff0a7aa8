"""Prove again: the same claim by the same test, where it was proven and where the repository stands now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from repo_guardian.client.loop.check import all_signals
from repo_guardian.client.loop.cycle import Narrator
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.errors import AdmissionError, UsageError
from repo_guardian.server.contract.cycles import CycleInfo, Scope
from repo_guardian.server.contract.hypotheses import HypothesisDraft
from repo_guardian.server.contract.probes import ProbeEntry, Proof
from repo_guardian.server.contract.wire import Wire
from repo_guardian.vocabulary import Grade, Side

BY_RUNNING = frozenset({"behaviour_changed", "test_changed"})
"""Kinds of signal that are only there after both sides have been run."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a claim is to be proven: a commit or what is not committed, and what it is compared with."""

    name: str
    commit: str | None
    since: str | None
    scope: Scope = Scope.COMMIT


@dataclass(frozen=True, slots=True)
class Proven:
    """The claim and the test that proved it.

    Attributes:
        source: the test's text.
        test_id: what pytest called it; with a folder in it the test is one of the repository's own.
        kinds: kinds of the signals that it came from.
    """

    draft: HypothesisDraft
    source: str
    test_id: str
    kinds: tuple[str, ...]

    @property
    def in_repository(self) -> bool:
        """Whether the test stands in the repository, or beside its tests."""
        return "/" in self.test_id.partition("::")[0]


class Again(Wire):
    """How it went at one place.

    Attributes:
        place: what it is, in words.
        commit, base: what was run, and what with; a pseudo-commit for what is not committed.
        holds: the claim is proven there.
        grade, reason: what the server's rules came to.
        probes: every probe that was made.
    """

    place: str
    commit: str
    base: str | None
    holds: bool
    grade: Grade
    reason: str
    probes: tuple[ProbeEntry, ...]

    @property
    def sides(self) -> tuple[ProbeEntry, ...]:
        """The last entry of each side in which the test did something: now, before, undone."""
        last = {probe.side: probe for probe in self.probes if probe.outcomes}
        return tuple(last[side] for side in (Side.CURRENT, Side.BASE, Side.REVERTED) if side in last)


class Reproduction(Wire):
    """A finding proven again, everywhere that was asked for; ``schema_version`` is of this model."""

    schema_version: str = "1.0"
    key: str
    claim: str
    test_source: str
    places: tuple[Again, ...]


async def reproduce(
    toolbox: Toolbox, repository: str, proven: Proven, places: Sequence[Place], narrate: Narrator
) -> Reproduction:
    """Prove a claim again at each of ``places``; nothing of it is kept.

    Raises:
        GuardianError: a place cannot be looked at, or the sandbox fails.
    """
    found = []
    for place in places:
        narrate(f"proving it again: {place.name}")
        found.append(await _again(toolbox, repository, proven, place))
    draft = proven.draft
    return Reproduction(key=draft.key, claim=draft.claim, test_source=proven.source, places=tuple(found))


async def _again(toolbox: Toolbox, repository: str, proven: Proven, place: Place) -> Again:
    cycle = await toolbox.begin(repository, place.commit, place.since, place.scope, keep=False)
    try:
        await toolbox.refresh(cycle)
        proof = await _proof(toolbox, cycle, proven)
    finally:
        await toolbox.discard(cycle, "it was only proven again")
    return Again(
        place=place.name,
        commit=cycle.commit,
        base=cycle.base,
        holds=proof.admitted and proof.grade is Grade.FINDING,
        grade=proof.grade,
        reason=proof.reason,
        probes=proof.probes,
    )


async def _proof(toolbox: Toolbox, cycle: CycleInfo, proven: Proven) -> Proof:
    if not cycle.can_execute:
        raise AdmissionError(
            f"nothing can be executed here: {cycle.sandbox_note}", hint="see guardian sandbox selftest"
        )
    if not proven.in_repository:
        await toolbox.signals(cycle, limit=1)
        hypothesis = await toolbox.write_hypothesis(cycle, proven.draft)
        return await toolbox.prove(cycle, hypothesis, source=proven.source)
    if BY_RUNNING.intersection(proven.kinds):
        await toolbox.execute_signals(cycle)
    known = {signal.key for signal in await all_signals(toolbox, cycle)}
    hypothesis = await toolbox.write_hypothesis(cycle, proven.draft)
    if known.intersection(proven.draft.signal_keys):
        return await toolbox.prove(cycle, hypothesis)
    try:
        return await toolbox.prove(cycle, hypothesis, existing=proven.test_id)
    except UsageError:
        # It is not one of the repository's own there, but one that was put beside them.
        return await toolbox.prove(cycle, hypothesis, source=proven.source)
