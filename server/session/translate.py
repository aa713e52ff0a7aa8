"""Records of the capabilities to wire models: cut to what a page may hold, totals kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from repo_guardian.server.contract.cycles import SkippedSource, ViewStatus
from repo_guardian.server.contract.signals import DependentItem, SignalItem, SignalPage
from repo_guardian.server.contract.wire import Location
from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.sources import material
from repo_guardian.tools.probes.templates import candidates
from repo_guardian.tools.signals.interface import Dependent, Signal
from repo_guardian.tools.views.interface import ViewHandle
from repo_guardian.tools.views.symbol_graph.interface import Graph

SKIPPED_LISTED = 20


def signal_page(
    signals: Sequence[Signal],
    sides: Sides,
    *,
    offset: int,
    limit: int,
    dependents: int,
    intents: Mapping[str, str],
) -> SignalPage:
    """One page of ranked signals with the totals of all; ``intents`` is ``CycleSession.intents``."""
    chosen = signals[offset : offset + limit]
    following = offset + limit
    return SignalPage(
        total=len(signals),
        totals_by_kind=dict(sorted(Counter(signal.kind.value for signal in signals).items())),
        items=tuple(
            signal_item(signal, sides, dependents=dependents, intent=intents.get(signal.key, ""))
            for signal in chosen
        ),
        next_offset=following if following < len(signals) else None,
    )


def signal_item(signal: Signal, sides: Sides, *, dependents: int, intent: str = "") -> SignalItem:
    """One signal; at most ``dependents`` of its uses are listed, lagging ones first.

    Args:
        intent: what speaks for it being meant (``ranking.spoken_for``); it becomes a part of the detail.
    """
    detail = signal.detail.flat() if signal.detail is not None else {}
    return SignalItem(
        key=signal.key,
        kind=signal.kind.value,
        line=signal.line,
        symbols=signal.symbols,
        paths=signal.paths,
        before=signal.before,
        after=signal.after,
        public=signal.public,
        score=signal.score,
        provable=bool(candidates(signal, material(signal, sides))),
        lagging_total=signal.lagging_total,
        dependents_total=signal.dependents_total,
        dependents=tuple(_dependent(d) for d in signal.dependents[:dependents]),
        detail={**detail, "intent": intent} if intent else detail,
    )


def _dependent(dependent: Dependent) -> DependentItem:
    return DependentItem(
        symbol=dependent.symbol,
        location=Location(
            path=dependent.path,
            start_line=dependent.span.start_line,
            end_line=dependent.span.end_line,
            text=dependent.text,
        ),
        lagging=dependent.lagging,
        reason=dependent.reason,
    )


def view_status(handle: ViewHandle, graph: Graph) -> ViewStatus:
    """A published view, cut to what a report shows."""
    coverage = handle.coverage
    left_out = (*coverage.skipped, *coverage.partial)
    return ViewStatus(
        commit=handle.commit,
        view="symbol_graph",
        digest=handle.digest,
        files_seen=coverage.seen,
        files_covered=coverage.parsed + len(coverage.partial),
        skipped=tuple(SkippedSource(path=s.path, reason=s.reason) for s in left_out[:SKIPPED_LISTED]),
        skipped_total=len(left_out),
        facts_reused=handle.facts_reused,
        facts_extracted=handle.facts_extracted,
        symbols=graph.size.symbols,
        edges=graph.size.edges,
    )


def instant(epoch_s: int) -> str:
    """ISO 8601 in UTC; the epoch itself for a time that git holds but the calendar does not."""
    try:
        return datetime.fromtimestamp(epoch_s, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC).isoformat()
