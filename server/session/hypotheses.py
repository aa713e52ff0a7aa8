"""The hypotheses of one cycle: written, numbered, graded; one per key, recurrences recognised."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from repo_guardian.errors import AdmissionError
from repo_guardian.memory_store.interface import MemoryStore
from repo_guardian.memory_store.records import HypothesisRecord
from repo_guardian.server.contract.hypotheses import (
    GradeDecision,
    GradeEvent,
    GradeProposal,
    Hypothesis,
    HypothesisDraft,
)
from repo_guardian.server.session.words import Words
from repo_guardian.vocabulary import Grade


class HypothesisBook:
    """Keeps the cycle's hypotheses in the order in which they were first written.

    Args:
        memory: the repository's memory.
        before_cycle: this cycle's number, since only what lies before it is read; None for a check, which
            reads everything.
        oid: the object name of what is at a path of the tree that is looked at; None where there is nothing.
    """

    def __init__(
        self, memory: MemoryStore, before_cycle: int | None, oid: Callable[[str], str | None]
    ) -> None:
        self._memory = memory
        self._before = before_cycle
        self._words = Words(memory, oid)
        self._by_id: dict[str, Hypothesis] = {}

    @property
    def all(self) -> tuple[Hypothesis, ...]:
        """All hypotheses, oldest first."""
        return tuple(self._by_id.values())

    def write(self, draft: HypothesisDraft) -> Hypothesis:
        """Write a claim down; writing the same key again returns what is there.

        Raises:
            AdmissionError: an earlier cycle gave its key to a claim about something else.
        """
        key = draft.key or identity(draft)
        for known in self._by_id.values():
            if known.key == key:
                return known
        earlier = self._memory.hypothesis(key, before_cycle=self._before)
        if earlier is not None and draft.key and not _shares_locus(draft, earlier.record):
            raise AdmissionError(
                f"the key {key[:80]!r} is that of an earlier claim about something else",
                hint="leave the key empty, or name what that claim was about in the locus",
            )
        hypothesis = Hypothesis(
            id=f"h{len(self._by_id) + 1}",
            key=key,
            draft=draft,
            grade=Grade.CONJECTURE,
            recurrence_of=earlier.first_cycle if earlier is not None else None,
            word=self._words.of([key], before_cycle=self._before).get(key),
        )
        self._by_id[hypothesis.id] = hypothesis
        return hypothesis

    def get(self, hypothesis_id: str) -> Hypothesis:
        """One hypothesis.

        Raises:
            AdmissionError: there is none with that id.
        """
        hypothesis = self._by_id.get(hypothesis_id)
        if hypothesis is None:
            known = ", ".join(self._by_id) or "none yet"
            raise AdmissionError(f"there is no hypothesis {hypothesis_id!r}", hint=f"this cycle has: {known}")
        return hypothesis

    def record(self, proposal: GradeProposal, decision: GradeDecision) -> None:
        """Keep an admitted grade in the hypothesis' history; a rejected one leaves no trace in it."""
        if not decision.admitted:
            return
        hypothesis = self.get(proposal.hypothesis_id)
        event = GradeEvent(
            grade=decision.grade,
            verdict=proposal.verdict,
            reason=proposal.reason,
            citations=proposal.citations,
        )
        self._by_id[hypothesis.id] = hypothesis.model_copy(
            update={"grade": decision.grade, "history": (*hypothesis.history, event)}
        )


def _shares_locus(draft: HypothesisDraft, record: HypothesisRecord) -> bool:
    """Whether two claims name a common file or symbol; what names nothing is about anything."""
    then = {*record.locus_files, *record.locus_symbols}
    now = {*draft.locus.files, *draft.locus.symbols}
    return not then or not now or bool(then & now)


def identity(draft: HypothesisDraft) -> str:
    """The key of a claim: its first signal's, since the same change has the same key; else its content.

    For a claim without a signal: 16 hex digits of SHA-256 over the claim and its locus, NUL-separated.
    """
    if draft.signal_keys:
        return draft.signal_keys[0]
    parts = [draft.claim, *sorted(draft.locus.files), *sorted(draft.locus.symbols)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
