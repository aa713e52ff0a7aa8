"""The outer loop of one cycle: begin, refresh, let the policy decide, report, persist.

Code owns the order, the clock and the rendering; what is looked at and claimed is the policy's. The
reports are written before the cycle is persisted and put in place after it, by one rename: a cycle that
is not in the memory leaves no report behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.client.loop.run_folder import DECISION_LOG, render_decisions, staged
from repo_guardian.client.policy.interface import Budget, Policy, PolicyOutcome
from repo_guardian.client.report.build import build_report
from repo_guardian.client.report.interface import ReportWriter
from repo_guardian.client.report.model import CycleReport
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleClose, CycleInfo, CycleState
from repo_guardian.server.contract.signals import SignalItem


@dataclass(frozen=True, slots=True)
class CycleRequest:
    """What to look at: a repository that the server watches, a revision, and what to compare with."""

    repository: str
    commit: str | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class FinishedCycle:
    """A persisted cycle: its report and where the rendered files lie."""

    report: CycleReport
    folder: Path


Narrator = Callable[[str], None]
"""Receives one short sentence when a new step begins."""


async def run_cycle(
    toolbox: Toolbox,
    request: CycleRequest,
    policy: Policy,
    budget: Budget,
    *,
    folder_for: Callable[[CycleInfo], Path],
    writers: Sequence[ReportWriter],
    narrate: Narrator,
) -> FinishedCycle:
    """Run one cycle to its end.

    Args:
        folder_for: where this cycle's reports and decision log go.
        writers: the report formats.

    Raises:
        GuardianError: the cycle could not begin, a required view is unusable, or the memory could not be
            written; nothing of the cycle remains then but the mark that it was interrupted.
    """
    started = time.monotonic()

    def clock() -> float:
        return time.monotonic() - started

    narrate("bringing the mirror up to date")
    cycle = await toolbox.begin(request.repository, request.commit, request.since)
    narrate("linking the symbol graphs of both commits")
    refreshed = await toolbox.refresh(cycle)
    narrate("measuring what changed, and deciding")
    outcome = await policy.run(toolbox, cycle, budget, clock)
    state = await toolbox.state(cycle)
    signals = await _cited_signals(toolbox, cycle, state)
    timeline = await toolbox.memory_timeline(cycle)
    report = build_report(
        state,
        refreshed,
        signals,
        policy,
        outcome,
        wall_s=clock(),
        tool_calls=len(toolbox.decisions),
        timeline=timeline,
    )
    narrate("writing the report and the memory")
    folder = folder_for(cycle)
    files = {writer.file_name: writer.render(report) for writer in writers}
    files[DECISION_LOG] = render_decisions(toolbox.decisions)
    with staged(folder, files):
        await toolbox.persist(cycle, _close(policy, outcome, clock(), toolbox))
    return FinishedCycle(report, folder)


async def _cited_signals(toolbox: Toolbox, cycle: CycleInfo, state: CycleState) -> list[SignalItem]:
    """The signals that hypotheses refer to, read page by page until all are there."""
    wanted = {key for hypothesis in state.hypotheses for key in hypothesis.draft.signal_keys}
    found: list[SignalItem] = []
    offset: int | None = 0
    while wanted and offset is not None:
        page = await toolbox.signals(cycle, offset=offset)
        found += [item for item in page.items if item.key in wanted]
        wanted -= {item.key for item in page.items}
        offset = page.next_offset
    return found


def _close(policy: Policy, outcome: PolicyOutcome, wall_s: float, toolbox: Toolbox) -> CycleClose:
    return CycleClose(
        policy=policy.name,
        model=policy.model,
        exit_reason=outcome.exit_reason,
        degraded=outcome.degraded,
        wall_s=wall_s,
        decisions=toolbox.decisions,
    )
