"""A whole investigation in one call: a test, red now, green before, green with the cause reverted, a grade.

The order is from cheap to dear, and it ends as soon as the answer is known. The tests that could show a
claim are tried one after the other until one is admissible evidence; the first that is decides. The grade is
proposed to the same rules that judge everybody's proposals, and falls back to the next weaker one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from repo_guardian.errors import AdmissionError, SandboxError
from repo_guardian.server.contract.hypotheses import GradeDecision, GradeProposal, Hypothesis
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, Proof, Transition
from repo_guardian.server.ledger.ledger import outcome_of
from repo_guardian.server.session.capability import need_bench
from repo_guardian.server.session.grading import propose
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.vocabulary import Grade, Verdict

Narrate = Callable[[str], Awaitable[None]]
"""Receives one short sentence when a new step begins."""

MOST_VARIANTS = 4
"""Tests of one claim that are tried before it is deferred."""

_REASON_CHARS = 2000


@dataclass
class _Attempt:
    """The probes of one test, in the order in which they were made."""

    source: ProbeEntry
    red: ProbeEntry | None = None
    before: ProbeEntry | None = None
    reverted: ProbeEntry | None = None

    @property
    def outcome(self) -> Outcome | None:
        """What the test does at the commit, where that is admissible."""
        return outcome_of(self.red) if self.red is not None else None

    @property
    def pre_existing(self) -> bool:
        """It fails at the base too."""
        return self.before is not None and outcome_of(self.before) is Outcome.FAILED

    @property
    def corroborations(self) -> list[ProbeEntry]:
        return [e for e in (self.before, self.reverted) if e is not None and e.transition is not None]

    @property
    def validity(self) -> str:
        """The last gate that the test survived; see ``Proof``."""
        if self.source.failure:
            return ""
        if self.red is None or not self.red.outcomes:
            return "written"
        if self.outcome is None:
            return "ran"
        if self.outcome is Outcome.PASSED:
            return "admissible"
        return "corroborated" if self.corroborations else "fails_now"


@dataclass
class _Investigation:
    """One hypothesis under investigation."""

    session: CycleSession
    hypothesis: Hypothesis
    narrate: Narrate
    attempts: list[_Attempt] = field(default_factory=list)

    async def investigate(self, settings: ServerSettings) -> GradeDecision:
        """Make the probes and propose what they carry."""
        try:
            await self._probe(settings)
        except (AdmissionError, SandboxError) as error:
            return self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, str(error))
        return self._conclude()

    async def _probe(self, settings: ServerSettings) -> None:
        prober = self.session.need_prober()
        bench: Bench | None = None
        for variant in range(min(MOST_VARIANTS, max(1, prober.variants(self.hypothesis)))):
            attempt = _Attempt(prober.synthesize(self.hypothesis, variant=variant))
            self.attempts.append(attempt)
            if attempt.source.failure:
                continue
            if bench is None:
                await self.narrate("preparing the toolchain")
                bench = await need_bench(self.session, settings)
            await self._try(attempt, bench)
            if attempt.outcome is not None and not attempt.pre_existing:
                return

    async def _try(self, attempt: _Attempt, bench: Bench) -> None:
        prober = self.session.need_prober()
        await self.narrate("running the test at this commit")
        attempt.red = await prober.run(bench, attempt.source.id)
        if attempt.outcome is not Outcome.FAILED:
            return
        await self.narrate("running the same test at the base")
        attempt.before = await prober.differential(bench, attempt.red.id)
        if attempt.pre_existing:
            return
        await self.narrate("running it with the suspected cause reverted")
        attempt.reverted = await prober.fix(bench, attempt.red.id)

    def _conclude(self) -> GradeDecision:
        last = self.attempts[-1]
        red = last.red
        if red is not None and last.outcome is Outcome.PASSED:
            reason = "The test passes at this commit: what it claims is broken works."
            return self._propose(Grade.REFUTED, Verdict.REFUTED, reason, red)
        if red is not None and last.outcome is Outcome.FAILED and not last.pre_existing:
            return self._confirm(last, red)
        for attempt in self.attempts:
            if attempt.pre_existing and attempt.red is not None and attempt.before is not None:
                reason = "Pre-existing: the test fails at the base too, so this change did not bring it."
                return self._propose(Grade.REFUTED, Verdict.REFUTED, reason, attempt.red, attempt.before)
        first = self.attempts[0]
        reason = first.source.failure if first.red is None else first.red.evidence_reason
        return self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, reason)

    def _confirm(self, attempt: _Attempt, red: ProbeEntry) -> GradeDecision:
        """The strongest grade that the rules admit, with what they said of the next stronger one."""
        decision = self._propose(
            Grade.FINDING, Verdict.CONFIRMED, _summary(attempt), red, *attempt.corroborations
        )
        if not decision.admitted:
            decision = self._propose(Grade.SUPPORTED, Verdict.INCONCLUSIVE, decision.reason, red)
        if not decision.admitted:
            decision = self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, decision.reason)
        return decision

    def _propose(self, grade: Grade, verdict: Verdict, reason: str, *cited: ProbeEntry) -> GradeDecision:
        proposal = GradeProposal(
            hypothesis_id=self.hypothesis.id,
            grade=grade,
            verdict=verdict,
            reason=reason[:_REASON_CHARS],
            citations=tuple(entry.id for entry in cited),
        )
        return propose(self.session, proposal)

    def proof(self, decision: GradeDecision) -> Proof:
        """Everything that was done, and what came of it."""
        probes = [
            entry
            for attempt in self.attempts
            for entry in (attempt.source, attempt.red, attempt.before, attempt.reverted)
            if entry is not None
        ]
        gates = [attempt.validity for attempt in self.attempts]
        return Proof(
            hypothesis_id=self.hypothesis.id,
            probes=tuple(probes),
            grade=decision.grade,
            admitted=decision.admitted,
            reason=decision.reason,
            validity=max(gates, key=GATES.index, default=""),
        )


GATES = ("", "written", "ran", "admissible", "fails_now", "corroborated")
"""What a test has to survive, in order; "" for one that could not even be written."""


async def prove(
    session: CycleSession, settings: ServerSettings, hypothesis: Hypothesis, *, narrate: Narrate
) -> Proof:
    """Investigate one hypothesis and have it graded by the rules.

    What cannot be executed or prepared is a deferral with its reason, not an error.

    Raises:
        AdmissionError: nothing was measured in this cycle yet.
        GuardianError: the cycle's own state cannot be used (a checkout, the state directory).
    """
    session.need_prober()
    investigation = _Investigation(session, hypothesis, narrate)
    decision = await investigation.investigate(settings)
    return investigation.proof(decision)


def _summary(attempt: _Attempt) -> str:
    parts = ["The test fails at this commit"]
    before, reverted = attempt.before, attempt.reverted
    if before is not None and before.transition is Transition.PASS_TO_FAIL:
        parts.append("passes at the base")
    if reverted is not None and reverted.transition is Transition.FAIL_TO_PASS and reverted.revert:
        parts.append(f"passes with {reverted.revert.description} restored")
    return ", ".join(parts) + "."
