"""What a cycle's report says, independent of its format; ``report.json`` is exactly this model.

``SCHEMA_VERSION`` follows semantic versioning: a new optional field raises the minor part, a change of
meaning the major one.
"""

from __future__ import annotations

from repo_guardian.server.contract.cycles import Envelope, ExitReason, Interrupted, Scope, SkippedSource
from repo_guardian.server.contract.executed import ExecutedSignals
from repo_guardian.server.contract.hypotheses import GradeEvent, HumanWord, Remedy
from repo_guardian.server.contract.memory import MemoryTimeline
from repo_guardian.server.contract.probes import ProbeEntry
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.contract.wire import Locus, Wire
from repo_guardian.vocabulary import Grade, Origin

SCHEMA_VERSION = "1.2"


class ReportedCycle(Wire):
    """Which repository, which commit, compared with what."""

    number: int
    repository_id: str
    source: str
    commit: str
    subject: str
    committed_at: str
    base: str | None
    policy: str
    model: str | None
    exit_reason: ExitReason
    exit_explanation: str
    degraded: bool
    limitations: tuple[str, ...]
    interrupted: tuple[Interrupted, ...]
    scope: Scope = Scope.COMMIT


class ReportedHypothesis(Wire):
    """One hypothesis with its signal, its history and its reasoning trace: the probes in order."""

    id: str
    key: str
    grade: Grade
    claim: str
    consequence: str
    remedy: Remedy
    origin: Origin
    locus: Locus
    signals: tuple[SignalItem, ...]
    history: tuple[GradeEvent, ...]
    trace: tuple[ProbeEntry, ...]
    recurrence_of: int | None
    word: HumanWord | None = None


class ReportedBacklog(Wire):
    """A signal that was left alone, and why."""

    line: str
    reason: str
    signal_key: str


class ReportedMemory(Wire):
    """One row of an earlier cycle that a decision rested on."""

    cycle: int
    key: str
    text: str
    effect: str


class MemorySection(Wire):
    """What the past contributed. ``past_cycles`` counts the cycles that were there to be read.

    ``timeline`` is the past itself: its latest cycles, and what became of the findings of that time.
    """

    past_cycles: int
    used: tuple[ReportedMemory, ...]
    timeline: MemoryTimeline = MemoryTimeline()


class Coverage(Wire):
    """How much of the commit was seen: files covered by the symbol graph, and those left out."""

    files_seen: int
    files_covered: int
    skipped: tuple[SkippedSource, ...]
    skipped_total: int
    graph_digest: str


class Cost(Wire):
    """What the cycle cost: seconds, counts, tokens (0 without a model)."""

    wall_s: float
    tool_calls: int
    test_runs: int
    tokens_used: int


class Validity(Wire):
    """How many of the synthesized tests survived each gate: the health of the harness."""

    synthesized: int
    ran: int
    admissible: int
    corroborated: int


class CycleReport(Wire):
    """The whole report. Findings and the rest are disjoint; ``backlog`` lists the first of what nobody has
    examined yet, ``backlog_total`` counts all of it. ``unproven`` are signals told as they were measured,
    where a run was not asked to prove anything.
    """

    schema_version: str = SCHEMA_VERSION
    cycle: ReportedCycle
    signals_total: int
    findings: tuple[ReportedHypothesis, ...]
    other_hypotheses: tuple[ReportedHypothesis, ...]
    backlog: tuple[ReportedBacklog, ...]
    backlog_total: int
    memory: MemorySection
    coverage: Coverage
    cost: Cost
    validity: Validity
    envelope: Envelope
    executed: ExecutedSignals | None = None
    unproven: tuple[SignalItem, ...] = ()
