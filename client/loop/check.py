"""A check: what is not committed, measured and, if asked for, proven; told in a report, and not kept.

The same steps as a cycle's over the same tools. It ends by discarding: nothing of it enters the memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import anyio

from repo_guardian.client.loop.cycle import Narrator
from repo_guardian.client.policy.interface import Budget, Policy
from repo_guardian.client.policy.wording import claims_something
from repo_guardian.client.report.build import build_report
from repo_guardian.client.report.model import CycleReport
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleInfo, Refreshed, Scope
from repo_guardian.server.contract.signals import SignalItem

PAGE = 100
"""Signals read at once: the most that the server gives."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to look at: a watched repository, what of it is not committed, and what to compare with."""

    repository: str
    scope: Scope = Scope.WORKTREE
    since: str | None = None


async def run_check(
    toolbox: Toolbox,
    request: CheckRequest,
    policy: Policy,
    budget: Budget,
    *,
    narrate: Narrator,
    tell: Callable[[CycleReport], None] | None = None,
) -> CycleReport:
    """Run one check to its end.

    Args:
        tell: is given what the graphs alone led to as soon as it is proven, which takes seconds; then the
            policy goes on with what running both sides shows. None to let it decide once.

    Raises:
        GuardianError: it could not begin, or a required view is unusable.
    """
    started = time.monotonic()
    narrate("taking what is not committed")
    cycle = await toolbox.begin(request.repository, None, request.since, request.scope)
    run = _Run(toolbox, cycle, policy, started)
    try:
        narrate("linking the symbol graphs of both sides")
        refreshed = await toolbox.refresh(cycle)
        narrate("measuring what changed")
        if tell is None:
            return await run.bounded(refreshed, budget)
        first = await run.report(refreshed, replace(budget, execute=False))
        if not (cycle.can_execute and budget.execute) or run.clock() >= budget.wall_s:
            return first
        tell(first)
        return await run.bounded(refreshed, budget)
    finally:
        await toolbox.discard(cycle, "a check is not kept")


@dataclass(frozen=True, slots=True)
class _Run:
    """An open check."""

    toolbox: Toolbox
    cycle: CycleInfo
    policy: Policy
    started: float

    def clock(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

    async def bounded(self, refreshed: Refreshed, budget: Budget) -> CycleReport:
        """The same, stopped when the time is over: suites can take hours, and somebody waits."""
        report: CycleReport | None = None
        with anyio.move_on_after(max(budget.wall_s - self.clock(), 1.0)):
            report = await self.report(refreshed, budget)
        if report is not None:
            return report
        report = await self.report(refreshed, replace(budget, execute=False, wall_s=0.0))
        stopped = f"running both sides was stopped after {budget.wall_s:g} s; what it would show is not told"
        limitations = (*report.cycle.limitations, stopped)
        return report.model_copy(
            update={"cycle": report.cycle.model_copy(update={"limitations": limitations})}
        )

    async def report(self, refreshed: Refreshed, budget: Budget) -> CycleReport:
        """What the policy comes to, and what it left, as a report."""
        outcome = await self.policy.run(self.toolbox, self.cycle, budget, self.clock)
        signals = await all_signals(self.toolbox, self.cycle)
        state = await self.toolbox.state(self.cycle)
        examined = {key for hypothesis in state.hypotheses for key in hypothesis.draft.signal_keys}
        return build_report(
            state,
            refreshed,
            [signal for signal in signals if signal.key in examined],
            self.policy,
            outcome,
            wall_s=self.clock(),
            tool_calls=len(self.toolbox.decisions),
            unproven=[s for s in signals if s.key not in examined and claims_something(s)],
        )


async def all_signals(toolbox: Toolbox, cycle: CycleInfo) -> list[SignalItem]:
    """Every signal of the cycle, in the server's order."""
    found: list[SignalItem] = []
    offset: int | None = 0
    while offset is not None:
        page = await toolbox.signals(cycle, offset=offset, limit=PAGE)
        found += page.items
        offset = page.next_offset
    return found
