"""What a cycle leaves in the memory: wire models and graphs turned into one ``CycleWrite``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from repo_guardian.memory_store.records import (
    CycleRecord,
    CycleWrite,
    DecisionRecord,
    EdgeEvent,
    GraphSnapshotRecord,
    HypothesisEvent,
    HypothesisRecord,
    ProbeRecord,
    SignalRecord,
    SymbolEvent,
)
from repo_guardian.memory_store.vocabulary import EventKind, Lifetime
from repo_guardian.server.contract.cycles import CycleClose, Decision, Envelope
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.probes import ProbeEntry
from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.state_dir import StateDir
from repo_guardian.tools.signals.interface import Signal, SignalKind, SymbolDetail
from repo_guardian.tools.signals.lifetimes import Lifetimes, lifetimes
from repo_guardian.tools.views.interface import ViewHandle
from repo_guardian.tools.views.publish import copy_view
from repo_guardian.tools.views.symbol_graph.model import Symbol
from repo_guardian.vocabulary import Arm


def signal_records(signals: Sequence[Signal]) -> tuple[SignalRecord, ...]:
    """All signals of the cycle."""
    return tuple(
        SignalRecord(
            key=signal.key,
            kind=signal.kind.value,
            line=signal.line,
            symbols=signal.symbols,
            paths=signal.paths,
            before=signal.before,
            after=signal.after,
            public=signal.public,
            score=signal.score,
            detail=dict(signal.detail.flat()) if signal.detail is not None else {},
        )
        for signal in signals
    )


def symbol_events(found: Lifetimes, signals: Sequence[Signal]) -> tuple[SymbolEvent, ...]:
    """Births, moves and deaths between base and commit; a moved symbol neither dies nor is born."""
    moves = {
        s.detail.new_id: s.detail.old_id
        for s in signals
        if s.kind is SignalKind.SYMBOL_MOVED and isinstance(s.detail, SymbolDetail)
    }
    moved = set(moves.values())
    came = [_symbol_event(symbol, moves.get(symbol.id)) for symbol in found.born]
    went = [
        SymbolEvent(event=Lifetime.DIED, symbol=symbol.id, kind=symbol.kind.value, path=symbol.path)
        for symbol in found.died
        if symbol.id not in moved
    ]
    return (*came, *went)


def _symbol_event(symbol: Symbol, moved_from: str | None) -> SymbolEvent:
    return SymbolEvent(
        event=Lifetime.MOVED if moved_from else Lifetime.BORN,
        symbol=symbol.id,
        kind=symbol.kind.value,
        path=symbol.path,
        moved_from=moved_from,
    )


def edge_events(found: Lifetimes) -> tuple[EdgeEvent, ...]:
    """Which symbol began or ceased to use which other one."""
    changes = [(Lifetime.BORN, relation) for relation in found.began]
    changes += [(Lifetime.DIED, relation) for relation in found.ceased]
    return tuple(
        EdgeEvent(event=event, source=source, target=target, kind=kind.value)
        for event, (source, target, kind) in changes
    )


def hypothesis_records(
    hypotheses: Sequence[Hypothesis],
) -> tuple[tuple[HypothesisRecord, ...], tuple[HypothesisEvent, ...]]:
    """New claims as records, everything that happened to old and new ones as events."""
    records: list[HypothesisRecord] = []
    events: list[HypothesisEvent] = []
    for hypothesis in hypotheses:
        if hypothesis.recurrence_of is None:
            records.append(_hypothesis_record(hypothesis))
        else:
            reason = f"first written in cycle {hypothesis.recurrence_of}"
            events.append(HypothesisEvent(hypothesis=hypothesis.key, kind=EventKind.RECURRED, reason=reason))
        events += [
            HypothesisEvent(
                hypothesis=hypothesis.key,
                grade=event.grade,
                verdict=event.verdict,
                reason=event.reason,
                citations=event.citations,
            )
            for event in hypothesis.history
        ]
    return tuple(records), tuple(events)


def _hypothesis_record(hypothesis: Hypothesis) -> HypothesisRecord:
    draft = hypothesis.draft
    return HypothesisRecord(
        key=hypothesis.key,
        id=hypothesis.id,
        claim=draft.claim,
        consequence=draft.consequence,
        remedy=draft.remedy.text,
        origin=draft.origin,
        locus_files=draft.locus.files,
        locus_symbols=draft.locus.symbols,
        signal_keys=draft.signal_keys,
    )


def probe_records(
    probes: Sequence[ProbeEntry], hypotheses: Sequence[Hypothesis], *, empty_tree: str
) -> tuple[ProbeRecord, ...]:
    """The ledger; an entry that ran against the empty tree is filed under that tree's name."""
    keys = {hypothesis.id: hypothesis.key for hypothesis in hypotheses}
    return tuple(
        ProbeRecord(
            id=probe.id,
            hypothesis=keys[probe.hypothesis_id],
            hypothesis_id=probe.hypothesis_id,
            parent=probe.parent,
            tool=probe.tool.value,
            argv=probe.argv,
            commit=probe.commit or empty_tree,
            tree=probe.side,
            process_status=probe.process_status,
            exit_code=probe.exit_code,
            outcomes={test.test_id: test.outcome.value for test in probe.outcomes},
            evidence_status=probe.evidence,
            reason=probe.evidence_reason,
            test_source=probe.test_source,
            evidence_diff=probe.revert.evidence_diff if probe.revert is not None else "",
            stderr=probe.output,
            duration_s=probe.duration_s,
        )
        for probe in probes
    )


def decision_records(decisions: Sequence[Decision]) -> tuple[DecisionRecord, ...]:
    """The decision log."""
    return tuple(
        DecisionRecord(
            turn=decision.turn,
            tool=decision.tool,
            arguments=json.loads(decision.arguments),
            state_digest=decision.state_digest,
            observation=decision.observation,
        )
        for decision in decisions
    )


def snapshot(state: StateDir, view: ViewHandle) -> GraphSnapshotRecord:
    """Copy the graph into the memory: views may be rebuilt and collected, the past may not.

    The copies are a state directory of their own, whose packs they share.
    """
    folder = copy_view(state.root, view.commit, state.memory / "graph", ["symbol_graph"])
    path = folder.relative_to(state.memory).as_posix()
    return GraphSnapshotRecord(commit=view.commit, digest=view.digest, path=path)


def cycle_record(
    close: CycleClose, envelope: Envelope, *, number: int, commit: str, base: str | None, started_at: str
) -> CycleRecord:
    """The cycle's own row."""
    return CycleRecord(
        number=number,
        commit=commit,
        base=base,
        arm=Arm.MEMORY,
        policy=close.policy,
        model=close.model,
        sandbox=envelope.sandbox_backend or "none",
        exit_reason=close.exit_reason.value,
        degraded=close.degraded,
        tokens_reserved=close.tokens_reserved,
        tokens_used=close.tokens_used,
        tokens_overshot=close.tokens_overshot,
        wall_s=close.wall_s,
        started_at=started_at,
        ended_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        detail=envelope.model_dump(mode="json"),
    )


def cycle_write(
    record: CycleRecord,
    *,
    sides: Sides,
    signals: Sequence[Signal],
    hypotheses: Sequence[Hypothesis],
    probes: Sequence[ProbeEntry],
    decisions: Sequence[Decision],
    snapshots: tuple[GraphSnapshotRecord, ...],
) -> CycleWrite:
    """Everything in one value, validated as it is made."""
    records, events = hypothesis_records(hypotheses)
    found = lifetimes(sides.base_graph, sides.current_graph)
    return CycleWrite(
        cycle=record,
        signals=signal_records(signals),
        symbols=symbol_events(found, signals),
        edges=edge_events(found),
        hypotheses=records,
        events=events,
        probes=probe_records(probes, hypotheses, empty_tree=sides.base.treeish),
        decisions=decision_records(decisions),
        graph_snapshots=snapshots,
    )
