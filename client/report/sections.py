"""Where a hypothesis stands in a report: what is new comes first, what was judged or seen before apart.

Every writer cuts a report in the same way, so that the same finding is never told in two places.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.client.report.model import CycleReport, ReportedHypothesis, ReportedMemory
from repo_guardian.server.contract.hypotheses import Word
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
    """Findings of earlier cycles that this one met again and left as they were proven."""
    told = {hypothesis.key for hypothesis in (*report.findings, *report.other_hypotheses)}
    return tuple(
        use for use in report.memory.used if use.effect.startswith(RECURRING) and use.key not in told
    )


def taken(report: CycleReport) -> tuple[ReportedMemory, ...]:
    """What else of the past a decision rested on."""
    return tuple(use for use in report.memory.used if not use.effect.startswith(RECURRING))


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
