"""The past as a timeline: its latest cycles in numbers, and what became of the findings they touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from repo_guardian.memory_store.answers import HypothesisState
from repo_guardian.memory_store.records import CycleRecord
from repo_guardian.vocabulary import Grade

SEEN = "seen"
"""The event of a claim whose signal came up again in a later cycle that did not take the claim up."""


@dataclass(frozen=True, slots=True)
class TimelineCycle:
    """One cycle in numbers.

    Attributes:
        signals, probes: rows that it wrote.
        grades: hypotheses that it graded, by the last grade that it gave each.
        recurred: hypotheses of earlier cycles that came up again.
    """

    record: CycleRecord
    signals: int
    probes: int
    grades: Mapping[Grade, int]
    recurred: int


@dataclass(frozen=True, slots=True)
class TimelineClaim:
    """A hypothesis that was a finding at some time, as it stands.

    ``events`` are pairs of a cycle that the timeline shows and what happened in it: the value of a grade,
    ``recurred``, or ``seen`` where a signal of it was measured again and nothing was made of it; oldest
    first, and one per cycle and kind.
    """

    state: HypothesisState
    events: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The latest cycles and the claims touched last, both oldest first; the totals count all there are."""

    cycles: tuple[TimelineCycle, ...]
    cycles_total: int
    claims: tuple[TimelineClaim, ...]
    claims_total: int
