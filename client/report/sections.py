"""Where a hypothesis stands in a report: what is new comes first, what was judged or seen before apart.

Every writer cuts a report in the same way, so that the same finding is never told in two places.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.client.report.model import CycleReport, ReportedHypothesis, ReportedMemory
from repo_guardian.server.contract.hypotheses import Word
from repo_guardian.server.contract.memory import PastClaim
from repo_guardian.vocabulary import Grade


@dataclass(frozen=True, slots=True)
class Sections:
    """The hypotheses of a report, each in exactly one place, in the order of the report.

    Attributes:
        new: findings that no earlier cycle made and no human has judged.
        recurring: findings that an earlier cycle made, too.
        accepted, dismissed: those of any grade that a human's word still holds for.
        supported: with admissible evidence, and short of a finding.
        refuted: shown not to hold.
        open: neither shown nor refuted: conjectures, deferred ones, resolved ones.
    """

    new: tuple[ReportedHypothesis, ...]
    recurring: tuple[ReportedHypothesis, ...]
    accepted: tuple[ReportedHypothesis, ...]
    dismissed: tuple[ReportedHypothesis, ...]
    supported: tuple[ReportedHypothesis, ...]
    refuted: tuple[ReportedHypothesis, ...]
    open: tuple[ReportedHypothesis, ...]


RECURRING = "recurring"
"""How the effect of a remembered finding begins that is still there and was not proven again."""


def still_there(report: CycleReport) -> tuple[ReportedMemory, ...]:
    """Findings of earlier cycles that this one met again and left as they were, and nobody has judged."""
    told = {hypothesis.key for hypothesis in (*report.findings, *report.other_hypotheses)}
    told |= {claim.key for word in Word for claim in judged(report, word)}
    return tuple(use for use in met_again(report) if use.key not in told)


def judged(report: CycleReport, word: Word) -> tuple[PastClaim, ...]:
    """Findings of earlier cycles that this one met again and of which a human said ``word``, which holds."""
    told = {hypothesis.key for hypothesis in (*report.findings, *report.other_hypotheses)}
    met = {use.key for use in met_again(report)} - told
    return tuple(
        claim
        for claim in report.memory.timeline.claims
        if claim.key in met and claim.word is not None and claim.word.current and claim.word.word is word
    )


def by_word(report: CycleReport) -> dict[str, tuple[PastClaim, ...]]:
    """``judged`` by the heading that it stands under."""
    return {word.value.capitalize(): judged(report, word) for word in Word}


def taken(report: CycleReport) -> tuple[ReportedMemory, ...]:
    """What else of the past a decision rested on."""
    met = met_again(report)
    return tuple(use for use in report.memory.used if use not in met)


def met_again(report: CycleReport) -> tuple[ReportedMemory, ...]:
    """Findings of earlier cycles that this one saw again and did not prove again, judged or not."""
    return tuple(use for use in report.memory.used if use.effect.startswith(RECURRING))


def sections(report: CycleReport) -> Sections:
    """Cut ``report``."""
    found: dict[str, list[ReportedHypothesis]] = {name: [] for name in Sections.__dataclass_fields__}
    for hypothesis in (*report.findings, *report.other_hypotheses):
        found[_section(hypothesis)].append(hypothesis)
    return Sections(**{name: tuple(members) for name, members in found.items()})


def _section(hypothesis: ReportedHypothesis) -> str:
    word = hypothesis.word
    if word is not None and word.current:
        return "dismissed" if word.word is Word.DISMISSED else "accepted"
    if hypothesis.grade is Grade.FINDING:
        return "new" if hypothesis.recurrence_of is None else "recurring"
    if hypothesis.grade in (Grade.SUPPORTED, Grade.REFUTED):
        return hypothesis.grade.value
    return "open"
