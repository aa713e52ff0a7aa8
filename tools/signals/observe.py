"""One call for the whole deterministic half: everything measured between two commits, ranked and bounded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from repo_guardian.tools.intent.interface import IntentEvidence
from repo_guardian.tools.signals.churn import ChurnRecord, churn_signals, intensities
from repo_guardian.tools.signals.cochange import co_change_signals
from repo_guardian.tools.signals.complexity import Read, rises
from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import Signal, SignalKind
from repo_guardian.tools.signals.ranking import RiskFactors, rank
from repo_guardian.tools.views.symbol_graph.interface import Graph


@dataclass(frozen=True, slots=True)
class ObserveLimits:
    """Counts: signals returned, churned files among them, and dependents listed with one signal."""

    signals: int = 500
    churn_files: int = 10
    dependents_listed: int = 50


@dataclass(frozen=True, slots=True)
class Observation:
    """What was measured between ``base`` and ``commit`` (full object ids).

    Attributes:
        signals: ranked, highest score first.
        totals: how many of each kind were found, kinds in the order of ``SignalKind``, before any cut.
        suppressed: how many of them the limit left out.
    """

    base: str
    commit: str
    signals: tuple[Signal, ...]
    totals: tuple[tuple[SignalKind, int], ...]
    suppressed: int


@dataclass(frozen=True)
class Surroundings:
    """What observation knows beside the two graphs; what is left out is not measured.

    Attributes:
        window: the paths of each commit before the change, under their latest names.
        present: paths of the current tree.
        read_base, read_current: contents at each commit.
        intent: the evidence on one signal, None where there can be none.
    """

    window: Sequence[Collection[str]] = ()
    present: Set[str] = frozenset()
    read_base: Read = lambda _path: None
    read_current: Read = lambda _path: None
    intent: Callable[[Signal], IntentEvidence | None] = lambda _signal: None


def observe(
    base: Graph,
    current: Graph,
    churn_records: Mapping[str, ChurnRecord],
    changed_paths: Collection[str],
    limits: ObserveLimits | None = None,
    *,
    around: Surroundings | None = None,
    executed: Sequence[Signal] = (),
) -> Observation:
    """Drift between two graphs, churn of the files that changed, and partners that did not; ranked.

    Args:
        base, current: the linked graphs of the base and of the commit.
        churn_records: history of files by path, over a window that ends at the commit.
        changed_paths: files that differ between base and commit.
        limits: bounds; the defaults when None.
        around: history and contents, for co-change, complexity and intent; none of these when None.
        executed: signals that come of running both commits, to be ranked with the others.
    """
    bounds = limits if limits is not None else ObserveLimits()
    known = around if around is not None else Surroundings()
    readers = (known.read_base, known.read_current) if around is not None else (None, None)
    found = (
        *detect_drift(base, current, readers[0], readers[1], changed_paths),
        *churn_signals(churn_records, changed_paths, bounds.churn_files),
        *co_change_signals(known.window, changed_paths, known.present, current),
        *executed,
    )
    factors = RiskFactors(
        churn=intensities(churn_records),
        ownership={path: record.main_share for path, record in churn_records.items()},
        complexity=rises(changed_paths, known.read_base, known.read_current),
        intent=known.intent,
    )
    ranked = rank(found, factors)
    kept = ranked[: max(0, bounds.signals)]
    totals = tuple((kind, sum(s.kind is kind for s in ranked)) for kind in SignalKind)
    return Observation(
        base=base.commit,
        commit=current.commit,
        signals=tuple(_bounded(signal, bounds.dependents_listed) for signal in kept),
        totals=tuple((kind, count) for kind, count in totals if count),
        suppressed=len(ranked) - len(kept),
    )


def _bounded(signal: Signal, dependents_listed: int) -> Signal:
    """Cut the listed dependents; they stand lagging first, and the totals are kept."""
    return replace(signal, dependents=signal.dependents[: max(0, dependents_listed)])
