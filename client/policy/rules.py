"""The ``rules`` policy: deterministic, free, needs no model.

Goes through the ranked signals, leaves alone what memory already knows, turns the rest into hypotheses
and has each proven by its template test, until the budget is spent. Same commit, same memory, same
decisions.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_guardian.client.loop.prove import prove
from repo_guardian.client.policy.interface import BacklogItem, Budget, MemoryUse, PolicyOutcome
from repo_guardian.client.policy.wording import draft_for
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleInfo, ExitReason
from repo_guardian.server.contract.memory import MemoryRow
from repo_guardian.server.contract.signals import SignalItem, SignalPage
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
        summary = await toolbox.memory_summary(cycle)
        used = await self._open_findings(toolbox, cycle) if summary.cycles else []
        ledger = _Decisions(backlog=[], used=used)
        exit_reason = ExitReason.SUBMITTED if cycle.can_execute else ExitReason.NO_EXECUTION
        proofs = 0
        offset: int | None = 0
        total = 0
        while offset is not None:
            page = await toolbox.signals(cycle, offset=offset, limit=PAGE)
            total = page.total
            for signal in page.items:
                if not await self._wanted(toolbox, cycle, signal, ledger):
                    continue
                spent = _spent(budget, proofs, clock)
                if spent is not None:
                    exit_reason = spent
                    ledger.leave(signal, "the budget was spent on higher-ranked signals")
                    continue
                proofs += 1
                hypothesis = await toolbox.write_hypothesis(cycle, draft_for(signal))
                await prove(toolbox, cycle, hypothesis)
            offset = page.next_offset if _worth_reading_on(page) else None
        return PolicyOutcome(
            exit_reason=exit_reason,
            backlog=tuple(ledger.backlog),
            memory_used=tuple(ledger.used),
            past_cycles=summary.cycles,
            signals_seen=total,
        )

    async def _wanted(
        self, toolbox: Toolbox, cycle: CycleInfo, signal: SignalItem, ledger: _Decisions
    ) -> bool:
        if not signal.provable:
            ledger.leave(signal, "a measurement without a template test")
            return False
        page = await toolbox.recall(cycle, symbols=signal.symbols, files=())
        for row in page.rows:
            if row.key == signal.key and row.kind == "hypothesis":
                effect = SETTLED.get(row.detail.get("grade", ""))
                if effect is not None:
                    ledger.recall(row, effect)
                    return False
        for row in page.rows:
            ledger.recall(row, f"read before examining {signal.symbols[0]}")
        return True

    async def _open_findings(self, toolbox: Toolbox, cycle: CycleInfo) -> list[MemoryUse]:
        page = await toolbox.open_findings(cycle)
        return [MemoryUse(row.cycle, row.key, row.text, "open finding") for row in page.rows]


class _Decisions:
    """What the policy left alone, and what it remembered, in the order it came up."""

    def __init__(self, backlog: list[BacklogItem], used: list[MemoryUse]) -> None:
        self.backlog = backlog
        self.used = used

    def leave(self, signal: SignalItem, reason: str) -> None:
        self.backlog.append(BacklogItem(signal.line, reason, signal.key))

    def recall(self, row: MemoryRow, effect: str) -> None:
        self.used = [use for use in self.used if use.key != row.key or use.cycle != row.cycle]
        self.used.append(MemoryUse(row.cycle, row.key, row.text, effect))


def _spent(budget: Budget, proofs: int, clock: Callable[[], float]) -> ExitReason | None:
    if proofs >= budget.proofs:
        return ExitReason.BUDGET
    return ExitReason.WALL_CLOCK if clock() >= budget.wall_s else None


def _worth_reading_on(page: SignalPage) -> bool:
    """Signals are ranked and measurements come last: stop at a page without anything provable."""
    return any(signal.provable for signal in page.items)
