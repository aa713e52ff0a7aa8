"""The ``rules`` policy: deterministic, free, needs no model.

Goes through the ranked signals, leaves alone what memory already knows, turns the rest into hypotheses
and has each proven by its template test, until the budget is spent. Same commit, same memory, same
decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from repo_guardian.client.loop.prove import prove
from repo_guardian.client.policy.interface import BacklogItem, Budget, MemoryUse, PolicyOutcome
from repo_guardian.client.policy.wording import draft_for
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleInfo, ExitReason
from repo_guardian.server.contract.memory import MemoryRow
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.vocabulary import Grade

PAGE = 20
SETTLED = {
    Grade.FINDING.value: "recurring: already proven, not proven again",
    Grade.REFUTED.value: "already refuted, not examined again without new evidence",
    Grade.RESOLVED.value: "already resolved",
}


class RulesPolicy:
    """See the module docstring."""

    name = "rules"
    model: str | None = None

    async def run(
        self, toolbox: Toolbox, cycle: CycleInfo, budget: Budget, clock: Callable[[], float]
    ) -> PolicyOutcome:
        """Decide; see ``Policy.run``."""
        run = _Run(toolbox, cycle, budget, clock)
        past_cycles = await run.remember()
        total = await run.go_through_signals()
        return PolicyOutcome(
            exit_reason=run.exit_reason if cycle.can_execute else ExitReason.NO_EXECUTION,
            backlog=tuple(run.backlog),
            backlog_total=total - run.settled,
            memory_used=tuple(run.used.values()),
            past_cycles=past_cycles,
            signals_seen=total,
        )


@dataclass
class _Run:
    """One run of the policy: what it may spend, what it left alone, and what it remembered.

    ``settled`` counts the signals that were examined, now or by an earlier cycle.
    """

    toolbox: Toolbox
    cycle: CycleInfo
    budget: Budget
    clock: Callable[[], float]
    exit_reason: ExitReason = ExitReason.SUBMITTED
    proofs: int = 0
    settled: int = 0
    backlog: list[BacklogItem] = field(default_factory=list)
    used: dict[tuple[int, str], MemoryUse] = field(default_factory=dict)

    async def remember(self) -> int:
        """Read how much past there is and what stands open; returns the number of earlier cycles."""
        summary = await self.toolbox.memory_summary(self.cycle)
        if summary.cycles:
            page = await self.toolbox.open_findings(self.cycle)
            for row in page.rows:
                self._use(row, "open finding")
        return summary.cycles

    async def go_through_signals(self) -> int:
        """Examine page by page until nothing provable is left or the budget is spent; returns the total.

        Signals are ranked and measurements without a proof come last, so a page that holds nothing
        provable ends it, as does the page on which the budget ran out.
        """
        offset: int | None = 0
        total = 0
        while offset is not None:
            page = await self.toolbox.signals(self.cycle, offset=offset, limit=PAGE)
            total = page.total
            for signal in page.items:
                await self._consider(signal)
            read_on = any(signal.provable for signal in page.items) and not self._spent()
            offset = page.next_offset if read_on else None
        return total

    async def _consider(self, signal: SignalItem) -> None:
        if not signal.provable:
            self._leave(signal, "a measurement without a template test")
        elif not signal.public and not signal.lagging_total:
            self._leave(signal, "private, and every use in the repository followed")
        elif self._spent():
            self._leave(signal, "the budget was spent on higher-ranked signals")
        elif await self._is_settled(signal):
            self.settled += 1
        else:
            self.proofs += 1
            self.settled += 1
            hypothesis = await self.toolbox.write_hypothesis(self.cycle, draft_for(signal))
            await prove(self.toolbox, self.cycle, hypothesis)

    async def _is_settled(self, signal: SignalItem) -> bool:
        """Whether an earlier cycle answered the same question; what it wrote about the locus is noted."""
        page = await self.toolbox.recall(self.cycle, symbols=signal.symbols, files=())
        for row in page.rows:
            effect = SETTLED.get(row.detail.get("grade", ""))
            if row.kind == "hypothesis" and row.key == signal.key and effect is not None:
                self._use(row, effect)
                return True
        for row in page.rows:
            if row.kind != "symbol":
                self._use(row, f"read before examining {signal.symbols[0]}")
        return False

    def _spent(self) -> bool:
        if self.proofs >= self.budget.proofs:
            self.exit_reason = ExitReason.BUDGET
        elif self.clock() >= self.budget.wall_s:
            self.exit_reason = ExitReason.WALL_CLOCK
        else:
            return False
        return True

    def _leave(self, signal: SignalItem, reason: str) -> None:
        self.backlog.append(BacklogItem(signal.line, reason, signal.key))

    def _use(self, row: MemoryRow, effect: str) -> None:
        self.used[row.cycle, row.key] = MemoryUse(row.cycle, row.key, row.text, effect)
