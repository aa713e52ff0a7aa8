"""Memory on the wire: bounded reads, each row labelled with the cycle that wrote it."""

from __future__ import annotations

from pydantic import Field

from repo_guardian.server.contract.hypotheses import HumanWord
from repo_guardian.server.contract.wire import Wire


class MemorySummary(Wire):
    """How much past there is: counts only, whatever the length of the history."""

    cycles: int
    hypotheses_by_grade: dict[str, int]
    last_cycle: int | None
    last_commit: str | None


class MemoryRow(Wire):
    """One remembered row. ``kind`` is hypothesis, signal or test; ``detail`` is small and textual."""

    cycle: int
    commit: str
    kind: str
    key: str
    text: str
    detail: dict[str, str] = Field(default_factory=dict)


class RecallPage(Wire):
    """A page of rows with the number there are in all; ``next_cursor`` is None on the last page."""

    rows: tuple[MemoryRow, ...]
    total: int
    next_cursor: str | None = None


class PastCycle(Wire):
    """One cycle of the memory, in numbers.

    Attributes:
        wall_s: seconds of wall clock.
        signals: measurements that it wrote down.
        probes: entries of its ledger.
        grades: hypotheses that it graded, counted by the grade they had at its end.
        recurred: earlier hypotheses that came up again.
    """

    number: int
    commit: str
    base: str | None
    policy: str
    exit_reason: str
    degraded: bool
    wall_s: float
    tokens_used: int
    signals: int
    probes: int
    grades: dict[str, int]
    recurred: int


class ClaimEvent(Wire):
    """What happened to a hypothesis in a cycle: a grade, ``recurred``, or ``seen``: its signal came again."""

    cycle: int
    what: str


class PastClaim(Wire):
    """A hypothesis that was a finding at some time: what became of it, oldest event first.

    ``word`` is what a human said of it, with whether that still holds for the tree that is looked at.
    """

    key: str
    claim: str
    grade: str
    first_cycle: int
    events: tuple[ClaimEvent, ...]
    word: HumanWord | None = None


class MemoryTimeline(Wire):
    """The latest cycles and the findings that they touched, both oldest first; the totals count all."""

    cycles: tuple[PastCycle, ...] = ()
    cycles_total: int = 0
    claims: tuple[PastClaim, ...] = ()
    claims_total: int = 0
