"""Assembles the report of a cycle from the server's state and the policy's own account."""

from __future__ import annotations

from collections.abc import Sequence

from repo_guardian.client.policy.interface import Policy, PolicyOutcome
from repo_guardian.client.report.model import (
    Cost,
    Coverage,
    CycleReport,
    MemorySection,
    ReportedBacklog,
    ReportedCycle,
    ReportedHypothesis,
    ReportedMemory,
    Validity,
)
from repo_guardian.server.contract.cycles import EXIT_EXPLANATIONS, CycleInfo, CycleState, Refreshed
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.memory import MemoryTimeline
from repo_guardian.server.contract.probes import ProbeEntry, ProbeTool
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.vocabulary import EvidenceStatus, Grade


def build_report(
    state: CycleState,
    refreshed: Refreshed,
    signals: Sequence[SignalItem],
    policy: Policy,
    outcome: PolicyOutcome,
    *,
    wall_s: float,
    tool_calls: int,
    timeline: MemoryTimeline | None = None,
    unproven: Sequence[SignalItem] = (),
) -> CycleReport:
    """Put everything in its place; pure.

    Args:
        signals: those that hypotheses refer to.
        timeline: the past, as far as it is to be shown.
        unproven: signals to tell as they are, where nothing was to be proven.
    """
    by_key = {signal.key: signal for signal in signals}
    reported = [_hypothesis(hypothesis, state.probes, by_key) for hypothesis in state.hypotheses]
    return CycleReport(
        cycle=_cycle(state.info, policy, outcome),
        signals_total=outcome.signals_seen,
        findings=tuple(h for h in reported if h.grade is Grade.FINDING),
        other_hypotheses=tuple(h for h in reported if h.grade is not Grade.FINDING),
        backlog=tuple(
            ReportedBacklog(line=b.line, reason=b.reason, signal_key=b.signal_key) for b in outcome.backlog
        ),
        backlog_total=outcome.backlog_total,
        memory=_memory(outcome, timeline),
        coverage=_coverage(refreshed),
        cost=Cost(
            wall_s=round(wall_s, 3),
            tool_calls=tool_calls,
            test_runs=sum(probe.repetitions for probe in state.probes),
            tokens_used=0,
        ),
        validity=_validity(state.probes),
        envelope=state.envelope,
        executed=outcome.executed,
        unproven=tuple(unproven),
    )


def _cycle(info: CycleInfo, policy: Policy, outcome: PolicyOutcome) -> ReportedCycle:
    return ReportedCycle(
        number=info.number,
        repository_id=info.repository_id,
        source=info.source,
        commit=info.commit,
        subject=info.subject,
        committed_at=info.committed_at,
        base=info.base,
        policy=policy.name,
        model=policy.model,
        exit_reason=outcome.exit_reason,
        exit_explanation=EXIT_EXPLANATIONS[outcome.exit_reason],
        degraded=outcome.degraded,
        limitations=info.limitations,
        interrupted=info.interrupted,
        scope=info.scope,
    )


def _hypothesis(
    hypothesis: Hypothesis, probes: Sequence[ProbeEntry], signals: dict[str, SignalItem]
) -> ReportedHypothesis:
    draft = hypothesis.draft
    return ReportedHypothesis(
        id=hypothesis.id,
        key=hypothesis.key,
        grade=hypothesis.grade,
        claim=draft.claim,
        consequence=draft.consequence,
        remedy=draft.remedy,
        origin=draft.origin,
        locus=draft.locus,
        signals=tuple(signals[key] for key in draft.signal_keys if key in signals),
        history=hypothesis.history,
        trace=tuple(probe for probe in probes if probe.hypothesis_id == hypothesis.id),
        recurrence_of=hypothesis.recurrence_of,
        word=hypothesis.word,
    )


def _memory(outcome: PolicyOutcome, timeline: MemoryTimeline | None) -> MemorySection:
    used = tuple(
        ReportedMemory(cycle=use.cycle, key=use.key, text=use.text, effect=use.effect)
        for use in outcome.memory_used
    )
    return MemorySection(past_cycles=outcome.past_cycles, used=used, timeline=timeline or MemoryTimeline())


def _coverage(refreshed: Refreshed) -> Coverage:
    view = refreshed.current
    return Coverage(
        files_seen=view.files_seen,
        files_covered=view.files_covered,
        skipped=view.skipped,
        skipped_total=view.skipped_total,
        graph_digest=view.digest,
    )


def _validity(probes: Sequence[ProbeEntry]) -> Validity:
    runs = [probe for probe in probes if probe.tool is ProbeTool.RUN_TEST]
    return Validity(
        synthesized=sum(1 for p in probes if p.tool is ProbeTool.SYNTHESIZE_TEST and not p.failure),
        ran=sum(1 for probe in runs if probe.outcomes),
        admissible=sum(1 for probe in runs if probe.evidence is EvidenceStatus.VALID),
        corroborated=len({probe.parent for probe in probes if probe.transition is not None}),
    )
