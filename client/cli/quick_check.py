"""``guardian check --fast``: what is not committed against its base by their graphs alone, as a report.

Nothing is executed, no server is started and FastMCP is not imported: a pre-commit hook waits for this.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from repo_guardian import __version__
from repo_guardian.client.policy.wording import claims_something, draft_for
from repo_guardian.client.report.model import (
    Cost,
    Coverage,
    CycleReport,
    MemorySection,
    ReportedCycle,
    ReportedHypothesis,
    Validity,
)
from repo_guardian.server.contract.cycles import EXIT_EXPLANATIONS, Envelope, ExitReason, Scope
from repo_guardian.server.contract.drift import DriftItem
from repo_guardian.server.contract.hypotheses import HumanWord
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.session.drift import Drift, drift_items, measure_drift
from repo_guardian.server.session.reading import Narrate, Repository
from repo_guardian.server.session.translate import instant, view_status
from repo_guardian.server.session.uncommitted import STAGED, SUBJECTS, WORKTREE
from repo_guardian.server.session.words import Words
from repo_guardian.tools.git.command import git_version
from repo_guardian.tools.views.publish import builder_versions, handle
from repo_guardian.vocabulary import Grade, Origin

_PATHS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """What a check is about.

    Attributes:
        base: a revision; HEAD when None.
        scope: the work tree, or what is staged.
        index: the index that git is about to commit, where a hook says so.
    """

    base: str | None
    scope: Scope
    index: Path | None = None


@dataclass(frozen=True, slots=True)
class QuickCheck:
    """What the graphs tell, and what a longer check goes on from.

    Attributes:
        report: the signals as they were measured; those that a human has a word on are hypotheses.
        drift: both sides, and how they differ.
        files_changed: paths that differ from the base.
        words: what humans said, as it stands to what was looked at.
    """

    report: CycleReport
    drift: Drift
    files_changed: int
    words: Words


def quick_check(repository: Repository, asked: Uncommitted, narrate: Narrate) -> QuickCheck:
    """Compare the graphs of what is not committed and of its base. Blocking.

    Raises:
        UsageError: there is no work tree, HEAD has no commit, or the base names none.
        EnvironmentFault: git, the views or the memory cannot be used.
    """
    started = time.monotonic()
    revision = STAGED if asked.scope is Scope.STAGED else WORKTREE
    drift = measure_drift(repository, asked.base, revision, narrate, index=asked.index)
    told = [_with_intent(item) for item in drift_items(drift) if claims_something(item.signal)]
    report = CycleReport(
        cycle=_cycle(repository, drift, asked.scope),
        signals_total=len(told),
        findings=(),
        other_hypotheses=(),
        backlog=(),
        backlog_total=0,
        memory=MemorySection(past_cycles=0, used=()),
        coverage=_coverage(repository, drift),
        cost=Cost(wall_s=round(time.monotonic() - started, 3), tool_calls=0, test_runs=0, tokens_used=0),
        validity=Validity(synthesized=0, ran=0, admissible=0, corroborated=0),
        envelope=_envelope(),
        unproven=tuple(told),
    )
    words = Words(repository.state.memory, drift.after.tree.oid)
    quick = QuickCheck(report, drift, len(drift.changed), words)
    return replace(quick, report=with_words(report, quick))


def with_words(report: CycleReport, quick: QuickCheck) -> CycleReport:
    """The report with each signal that a human's word holds for as the hypothesis that the word is on.

    Raises:
        MemoryStoreError, StateDirError: there is a memory, and it cannot be read.
    """
    words = quick.words.of([signal.key for signal in report.unproven])
    said = {key: word for key, word in words.items() if word.current}
    if not said:
        return report
    spoken = tuple(_spoken_for(report.unproven, said))
    return report.model_copy(
        update={
            "other_hypotheses": (*report.other_hypotheses, *spoken),
            "unproven": tuple(signal for signal in report.unproven if signal.key not in said),
        }
    )


def _with_intent(item: DriftItem) -> SignalItem:
    """The signal, with what speaks for it being meant among its detail."""
    intent = "announced" if item.intent.announced else "followed" if item.intent.followed else ""
    if not intent:
        return item.signal
    return item.signal.model_copy(update={"detail": {**item.signal.detail, "intent": intent}})


def _spoken_for(signals: Iterable[SignalItem], words: dict[str, HumanWord]) -> Iterable[ReportedHypothesis]:
    """What a human has a word on, as the hypotheses that the word is on."""
    for signal in signals:
        word = words.get(signal.key)
        if word is None:
            continue
        draft = draft_for(signal)
        yield ReportedHypothesis(
            id=f"s{signal.key[:8]}",
            key=signal.key,
            grade=Grade.CONJECTURE,
            claim=draft.claim,
            consequence=draft.consequence,
            remedy=draft.remedy,
            origin=Origin.SIGNAL,
            locus=draft.locus,
            signals=(signal,),
            history=(),
            trace=(),
            recurrence_of=None,
            word=word,
        )


def _cycle(repository: Repository, drift: Drift, scope: Scope) -> ReportedCycle:
    base = drift.before.tree.commit
    return ReportedCycle(
        number=0,
        repository_id=repository.source.repository_id,
        source=repository.source.location,
        commit=drift.after.tree.label,
        subject=SUBJECTS[scope],
        committed_at=instant(drift.committed),
        base=base,
        policy="graphs",
        model=None,
        exit_reason=ExitReason.SUBMITTED,
        exit_explanation=EXIT_EXPLANATIONS[ExitReason.SUBMITTED],
        degraded=False,
        limitations=_limitations(repository, drift),
        interrupted=(),
        scope=scope,
    )


def _limitations(repository: Repository, drift: Drift) -> tuple[str, ...]:
    found = []
    if repository.mirror.is_shallow:
        found.append("the history is shallow: commits beyond the cut count for nothing")
    if drift.left_out:
        named = (f"{x.path.decode(errors='surrogateescape')} ({x.reason})" for x in drift.left_out)
        first = ", ".join(name for name, _ in zip(named, range(_PATHS_NAMED), strict=False))
        found.append(f"{len(drift.left_out)} paths were not compared and count as unchanged: {first}")
    return tuple(found)


def _coverage(repository: Repository, drift: Drift) -> Coverage:
    status = view_status(handle(repository.state.root, drift.after.tree.label), drift.after.graph)
    return Coverage(
        files_seen=status.files_seen,
        files_covered=status.files_covered,
        skipped=status.skipped,
        skipped_total=status.skipped_total,
        graph_digest=status.digest,
    )


def _envelope() -> Envelope:
    return Envelope(
        guardian_version=__version__,
        python_version=platform.python_version(),
        git_version=".".join(map(str, git_version())),
        sandbox_backend=None,
        sandbox_python=None,
        sandbox_image="",
        sandbox_checks=(),
        toolchain=(),
        toolchain_digest=None,
        toolchain_problems=(),
        extractor=", ".join(f"{name} {version}" for name, version in builder_versions().items()),
        limits={},
    )
