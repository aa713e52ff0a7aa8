"""A whole investigation in one call: a test, red now, green before, green with the cause reverted, a grade.

The order is from cheap to dear, and it ends as soon as the answer is known. The tests that could show a
claim are tried one after the other until one is corroborated. One that passes shows that it saw nothing, not
that there is nothing: a claim is refuted when none of the others fails either. The grade is proposed to the
same rules that judge everybody's proposals, and falls back to the next weaker one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from repo_guardian.errors import AdmissionError, SandboxError, UsageError
from repo_guardian.server.contract.hypotheses import GradeDecision, GradeProposal, Hypothesis
from repo_guardian.server.contract.probes import ProbeEntry, Proof, Transition
from repo_guardian.server.ledger.ledger import fails, outcome_of, passes
from repo_guardian.server.session.capability import bench_for
from repo_guardian.server.session.grading import propose
from repo_guardian.server.session.reading import Narrate
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.sources import Choice
from repo_guardian.server.session.views import quietly
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.vocabulary import Grade, Verdict

MOST_VARIANTS = 4
"""Tests of one claim that are tried before it is deferred."""

_REASON_CHARS = 2000
_LESS = {Grade.SUPPORTED: (Grade.DEFERRED,), Grade.FINDING: (Grade.DEFERRED, Grade.SUPPORTED)}
"""What a proof that came to nothing leaves as it is, by the grade that stands."""


GATES = ("", "written", "ran", "admissible", "fails_now", "corroborated")
"""What a test has to survive, in order; "" for one that could not even be written."""


@dataclass
class _Attempt:
    """The probes of one test, in the order in which they were made."""

    source: ProbeEntry
    red: ProbeEntry | None = None
    before: ProbeEntry | None = None
    reverted: list[ProbeEntry] = field(default_factory=list)

    @property
    def probes(self) -> list[ProbeEntry]:
        """All of them."""
        return [e for e in (self.source, self.red, self.before, *self.reverted) if e is not None]

    @property
    def runs(self) -> list[ProbeEntry]:
        """Those that ran the test: at the commit, at the base, with edits."""
        return self.probes[1:]

    @property
    def fails_now(self) -> bool:
        """It fails at the commit, for the stated reason."""
        return self.red is not None and fails(self.red)

    @property
    def pre_existing(self) -> bool:
        """It fails at the base too."""
        return self.before is not None and fails(self.before)

    @property
    def passes_now(self) -> bool:
        """It passes at the commit: what it claims is broken works."""
        return self.red is not None and passes(self.red)

    @property
    def decides(self) -> bool:
        """No other test of the claim is needed."""
        return bool(self.corroborations)

    @property
    def corroborations(self) -> list[ProbeEntry]:
        """The runs in which the same test passes without the suspected cause, by the rules."""
        return [entry for entry in self.probes if entry.transition is not None]

    @property
    def validity(self) -> str:
        """The last gate that the test survived; see ``Proof``."""
        if self.source.failure:
            return ""
        if self.red is None or not self.red.outcomes:
            return "written"
        if outcome_of(self.red) is None:
            return "ran"
        if not self.fails_now:
            return "admissible"
        return "corroborated" if self.corroborations else "fails_now"


@dataclass
class _Investigation:
    """One hypothesis under investigation."""

    session: CycleSession
    settings: ServerSettings
    hypothesis: Hypothesis
    choice: Choice
    edit: str | None
    narrate: Narrate
    attempts: list[_Attempt] = field(default_factory=list)

    async def investigate(self) -> GradeDecision:
        """Make the probes and propose what they carry."""
        try:
            await self._probe()
        except (AdmissionError, SandboxError) as error:
            return self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, str(error))
        return self._conclude()

    async def _probe(self) -> None:
        prober = self.session.need_prober()
        variants = prober.variants(self.hypothesis) if self.choice.by_template else 1
        for variant in range(max(1, min(MOST_VARIANTS, variants))):
            choice = replace(self.choice, variant=self.choice.variant + variant)
            attempt = _Attempt(prober.synthesize(self.hypothesis, choice))
            self.attempts.append(attempt)
            if attempt.source.failure:
                self._refuse(attempt.source.failure)
                continue
            self.narrate("preparing the toolchain")
            in_repository = prober.in_repository(attempt.source.id)
            bench = await bench_for(self.session, self.settings, in_repository=in_repository)
            await self._try(attempt, bench)
            if attempt.decides:
                return

    def _refuse(self, failure: str) -> None:
        """A test asked for by name or text can be mended by whoever asked; the claim stays as it is."""
        if not self.choice.by_template:
            raise UsageError(failure)

    async def _try(self, attempt: _Attempt, bench: Bench) -> None:
        prober = self.session.need_prober()
        self.narrate("running the test at this commit")
        attempt.red = await prober.run(bench, attempt.source.id)
        if not attempt.fails_now:
            return
        self.narrate("running the same test at the base")
        attempt.before = await prober.differential(bench, attempt.red.id)
        if attempt.pre_existing:
            return
        if self.edit is not None:
            self.narrate("running it with the edit in place")
            attempt.reverted.append(await prober.fix(bench, attempt.red.id, self.edit))
        if self.edit is None or not attempt.corroborations:
            self.narrate("running it with the suspected cause reverted")
            attempt.reverted.append(await prober.fix(bench, attempt.red.id))

    def _conclude(self) -> GradeDecision:
        """The strongest thing that any of the tests says."""
        told = [attempt for attempt in self.attempts if attempt.red is not None]
        broken = [attempt for attempt in told if attempt.fails_now and not attempt.pre_existing]
        broken.sort(key=lambda attempt: not attempt.corroborations)
        for attempt in broken[:1]:
            return self._confirm(attempt)
        for attempt in told:
            if attempt.passes_now:
                reason = "The test passes at this commit: what it claims is broken works."
                return self._refute(reason, *attempt.runs[:1])
        for attempt in told:
            if attempt.pre_existing:
                reason = "Pre-existing: the test fails at the base too, so this change did not bring it."
                return self._refute(reason, *attempt.runs[:2])
        first = self.attempts[0]
        reason = first.source.failure if first.red is None else first.red.evidence_reason
        return self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, reason)

    def _refute(self, reason: str, *cited: ProbeEntry) -> GradeDecision:
        """Refuted, or deferred with what the rules say against that."""
        decision = self._propose(Grade.REFUTED, Verdict.REFUTED, reason, *cited)
        if not decision.admitted:
            decision = self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, decision.reason)
        return decision

    def _confirm(self, attempt: _Attempt) -> GradeDecision:
        """The strongest grade that the rules admit, with what they said of the next stronger one."""
        red = attempt.runs[0]
        decision = self._propose(
            Grade.FINDING, Verdict.CONFIRMED, _summary(attempt), red, *attempt.corroborations
        )
        if not decision.admitted:
            decision = self._propose(Grade.SUPPORTED, Verdict.INCONCLUSIVE, decision.reason, red)
        if not decision.admitted:
            decision = self._propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, decision.reason)
        return decision

    def _propose(self, grade: Grade, verdict: Verdict, reason: str, *cited: ProbeEntry) -> GradeDecision:
        """Have it decided; less than what an earlier proof came to is not even asked for."""
        standing = self.session.hypotheses.get(self.hypothesis.id).grade
        if grade in _LESS.get(standing, ()):
            return GradeDecision(admitted=False, grade=standing, reason=reason[:_REASON_CHARS])
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
        gates = [attempt.validity for attempt in self.attempts]
        return Proof(
            hypothesis_id=self.hypothesis.id,
            probes=tuple(entry for attempt in self.attempts for entry in attempt.probes),
            grade=decision.grade,
            admitted=decision.admitted,
            reason=decision.reason,
            validity=max(gates, key=GATES.index, default=""),
        )


async def prove(
    session: CycleSession,
    settings: ServerSettings,
    hypothesis: Hypothesis,
    choice: Choice | None = None,
    *,
    edit: str | None = None,
    narrate: Narrate = quietly,
) -> Proof:
    """Investigate one hypothesis and have it graded by the rules.

    What cannot be executed or prepared is a deferral with its reason, not an error.

    Args:
        choice: which test; the templates of the hypothesis' signals when None.
        edit: a unified diff to try as the fix; the minimal revert when None.
        narrate: is told of each step.

    Raises:
        AdmissionError: nothing was measured in this cycle yet.
        UsageError: the test that was asked for is not there, or is no fair witness; says what would be right.
        GuardianError: the cycle's own state cannot be used (a checkout, the state directory).
    """
    session.need_prober()
    investigation = _Investigation(session, settings, hypothesis, choice or Choice(), edit, narrate)
    decision = await investigation.investigate()
    return investigation.proof(decision)


def _summary(attempt: _Attempt) -> str:
    parts = ["The test fails at this commit"]
    if attempt.before is not None and attempt.before.transition is Transition.PASS_TO_FAIL:
        parts.append("passes at the base")
    for entry in attempt.reverted:
        if entry.revert is not None and passes(entry):
            how = "restored" if entry.revert.restores_base else "in place"
            parts.append(f"passes with {entry.revert.description} {how}")
    return ", ".join(parts) + "."
