"""Hypotheses on the wire: claims, their grades, and the server's answer to a proposed grade."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from repo_guardian.server.contract.wire import Locus, Wire
from repo_guardian.vocabulary import Grade, Origin, Verdict


class ChangeOfKind(StrEnum):
    """The kind of engineering change that a remedy asks for."""

    RESTORE_COMPATIBILITY = "restore_compatibility"
    UPDATE_DEPENDENTS = "update_dependents"
    DOCUMENT_BREAK = "document_break"
    RESTORE_BEHAVIOUR = "restore_behaviour"
    UPDATE_TESTS = "update_tests"


class Remedy(Wire):
    """What would resolve the claim: which kind of change, where, in plain words. Never a patch."""

    change: ChangeOfKind
    locus: Locus
    text: str = Field(min_length=1, max_length=2000)


class HypothesisDraft(Wire):
    """A claim as a policy writes it.

    ``claim`` is a falsifiable statement about behaviour; ``consequence`` says what breaks. ``key``
    identifies the same claim across cycles; leave it empty to have it derived from claim and locus.
    """

    claim: str = Field(min_length=1, max_length=2000)
    consequence: str = Field(min_length=1, max_length=2000)
    remedy: Remedy
    origin: Origin
    locus: Locus
    signal_keys: tuple[str, ...] = ()
    key: str = ""


class Word(StrEnum):
    """What a human said of a hypothesis."""

    DISMISSED = "dismissed"
    """It is not worth telling: silent until a file of its locus changes."""
    ACCEPTED = "accepted"
    """It is true, and known."""


class HumanWord(Wire):
    """A human's word on a hypothesis, as it stands: the latest, where its locus is still what it was.

    ``current`` is False when a file of the locus has changed since; the word then says nothing any more.
    """

    word: Word
    reason: str
    said_at: str
    current: bool


class GradeEvent(Wire):
    """One change of grade, with what it rests on."""

    grade: Grade
    verdict: Verdict | None
    reason: str
    citations: tuple[str, ...] = ()


class Hypothesis(Wire):
    """A hypothesis as the server keeps it.

    ``id`` is sequential in the cycle (``h1``); ``key`` is the same across cycles. ``recurrence_of`` is the
    number of the cycle in which the same key was first written, when this is not the first time. ``word`` is
    what a human said of it.
    """

    id: str
    key: str
    draft: HypothesisDraft
    grade: Grade
    history: tuple[GradeEvent, ...] = ()
    recurrence_of: int | None = None
    word: HumanWord | None = None


class GradeProposal(Wire):
    """A grade as the client proposes it; ``citations`` are ids of ledger entries (``p1``)."""

    hypothesis_id: str
    grade: Grade
    verdict: Verdict | None = None
    reason: str = Field(min_length=1, max_length=2000)
    citations: tuple[str, ...] = ()


class GradeDecision(Wire):
    """The server's answer. When not ``admitted``, ``reason`` says what would be."""

    admitted: bool
    grade: Grade
    reason: str
