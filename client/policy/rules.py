"""The ``rules`` policy: deterministic, free, needs no model.

Measures by running both commits where that is allowed, goes through the ranked signals, those that nobody
announced before those that somebody did, leaves alone what memory or a human has settled, and has the rest
proven as hypotheses until the budget is spent. Same commit, same memory, same decisions; only a wall clock
that runs out makes a difference, and the exit reason says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from repo_guardian.client.policy.consequences import explained_by
from repo_guardian.client.policy.interface import BacklogItem, Budget, MemoryUse, PolicyOutcome
from repo_guardian.client.policy.measuring import measured
from repo_guardian.client.policy.wording import claims_something, draft_for
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleInfo, ExitReason
from repo_guardian.server.contract.executed import ExecutedSignals
from repo_guardian.server.contract.hypotheses import GradeProposal, Hypothesis, Word
from repo_guardian.server.contract.memory import MemoryRow
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.vocabulary import Grade, Verdict

PAGE = 20
MEASURING_SHARE = 0.5
"""Of a cycle's seconds, for measuring by running; a fixed share, so that the call is the same each time."""
SETTLED = {
    Grade.FINDING.value: "recurring: already proven, not proven again",
    Grade.REFUTED.value: "already refuted, not examined again without new evidence",
    Grade.RESOLVED.value: "already resolved",
}
SAID = {
    Word.DISMISSED: "dismissed by a human, and nothing of it has changed since",
    Word.ACCEPTED: "accepted by a human as known",
}
MEASURED_BY_RUNNING = frozenset({"behaviour_changed", "test_changed"})


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
        executed = await run.measure()
        total = await run.go_through_signals()
        return PolicyOutcome(
            exit_reason=run.exit_reason if cycle.can_execute else ExitReason.NO_EXECUTION,
            backlog=tuple(run.backlog),
            backlog_total=total - run.settled,
            memory_used=tuple(run.used.values()),
            past_cycles=past_cycles,
            signals_seen=total,
            executed=executed,
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
    probes: int = 0
    settled: int = 0
    backlog: list[BacklogItem] = field(default_factory=list)
    announced: list[SignalItem] = field(default_factory=list)
    proven: list[Hypothesis] = field(default_factory=list)
    used: dict[tuple[int, str], MemoryUse] = field(default_factory=dict)

    async def remember(self) -> int:
        """Read what this cycle has proven already, how much past there is, and what of it stands open.

        Returns the number of earlier cycles.
        """
        state = await self.toolbox.state(self.cycle)
        self.proven = [known for known in state.hypotheses if known.grade is Grade.FINDING]
        summary = await self.toolbox.memory_summary(self.cycle)
        if summary.cycles:
            page = await self.toolbox.open_findings(self.cycle)
            for row in page.rows:
                self._use(row, "open finding")
        return summary.cycles

    async def measure(self) -> ExecutedSignals | None:
        """Run both commits for signals of what they do; a sandbox that fails is told and costs no cycle."""
        if not (self.cycle.can_execute and self.budget.execute) or self.clock() >= self.budget.wall_s:
            return None
        return await measured(self.toolbox, self.cycle, max(1.0, MEASURING_SHARE * self.budget.wall_s))

    async def go_through_signals(self) -> int:
        """Examine page by page until nothing provable is left or the budget is spent; returns the total.

        Signals are ranked and measurements without a proof come last, so a page that holds nothing
        provable ends it, as does the page on which the budget ran out. What was announced waits until the
        rest has had its turn.
        """
        offset: int | None = 0
        total = 0
        while offset is not None:
            page = await self.toolbox.signals(self.cycle, offset=offset, limit=PAGE)
            total = page.total
            for signal in page.items:
                if _is_announced(signal):
                    self.announced.append(signal)
                else:
                    await self._consider(signal)
            read_on = any(signal.provable for signal in page.items) and not self._spent()
            offset = page.next_offset if read_on else None
        for signal in self.announced:
            await self._consider(signal)
        return total

    async def _consider(self, signal: SignalItem) -> None:
        reason = _not_worth_it(signal) or self._follows(signal)
        if reason:
            self._leave(signal, reason)
        elif self._spent():
            self._leave(signal, "the budget was spent on what came before")
        elif await self._is_settled(signal):
            self.settled += 1
        else:
            self.settled += 1
            hypothesis = await self.toolbox.write_hypothesis(self.cycle, draft_for(signal))
            if hypothesis.grade is Grade.CONJECTURE and not self._is_spoken_for(hypothesis):
                self.proofs += 1
                await self._examine(hypothesis)

    def _follows(self, signal: SignalItem) -> str:
        """Why a changed test needs no proof of its own: all that it may fail for is proven; else empty."""
        finding = explained_by(signal, {h.id: h.draft.locus for h in self.proven})
        return f"it reaches what {finding} proves" if finding else ""

    async def _is_settled(self, signal: SignalItem) -> bool:
        """Whether an earlier cycle answered the same question; what it wrote about the locus is noted."""
        files = () if signal.symbols else signal.paths
        page = await self.toolbox.recall(self.cycle, symbols=signal.symbols, files=files)
        for row in page.rows:
            effect = SETTLED.get(row.detail.get("grade", ""))
            if row.kind == "hypothesis" and row.key == signal.key and effect is not None:
                self._use(row, effect)
                return True
        for row in page.rows:
            if row.kind != "symbol":
                self._use(row, f"read before examining {(signal.symbols or signal.paths)[0]}")
        return False

    def _is_spoken_for(self, hypothesis: Hypothesis) -> bool:
        """Whether a human's word on the hypothesis stands; it is part of the past that was used."""
        word = hypothesis.word
        if word is None or not word.current:
            return False
        cycle = hypothesis.recurrence_of or 0
        said = f"{SAID[word.word]}: {word.reason}"
        self.used[cycle, hypothesis.key] = MemoryUse(cycle, hypothesis.key, hypothesis.draft.claim, said)
        return True

    async def _examine(self, hypothesis: Hypothesis) -> None:
        """Have the hypothesis proven; where nothing can be executed, write its test and defer it."""
        if not self.cycle.can_execute:
            await self.toolbox.synthesize_test(self.cycle, hypothesis)
            reason = f"nothing can be executed on this machine: {self.cycle.sandbox_note}"
            deferred = GradeProposal(
                hypothesis_id=hypothesis.id,
                grade=Grade.DEFERRED,
                verdict=Verdict.INCONCLUSIVE,
                reason=reason[:2000],
            )
            await self.toolbox.propose_grade(self.cycle, deferred)
            return
        proof = await self.toolbox.prove(self.cycle, hypothesis)
        self.probes += len(proof.probes)
        if proof.grade is Grade.FINDING:
            self.proven.append(hypothesis)

    def _spent(self) -> bool:
        if self.proofs >= self.budget.proofs or self.probes >= self.budget.probes:
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


def _not_worth_it(signal: SignalItem) -> str:
    """Why a signal is left alone whatever the budget; empty when it is not."""
    if not claims_something(signal):
        return "a measurement that claims nothing"
    if not signal.provable:
        return "no template can write a test that shows it"
    if signal.kind in MEASURED_BY_RUNNING or signal.public or signal.lagging_total:
        return ""
    return "private, and every use in the repository followed"


def _is_announced(signal: SignalItem) -> bool:
    return signal.detail.get("intent") == "announced"
