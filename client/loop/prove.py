"""One deterministic investigation: red now, green before, green with the cause reverted, then a verdict.

The order is from cheap to dear, and it stops as soon as the answer is known. What the grade becomes is
the server's decision; a proposal that it rejects falls back to the next weaker one.
"""

from __future__ import annotations

from typing import Protocol

from repo_guardian.client.toolbox import Toolbox
from repo_guardian.errors import SandboxError
from repo_guardian.server.contract.cycles import CycleInfo
from repo_guardian.server.contract.hypotheses import GradeDecision, GradeProposal, Hypothesis
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, Transition
from repo_guardian.vocabulary import EvidenceStatus, Grade, Verdict


class Propose(Protocol):
    """Asks for a grade, citing ledger entries."""

    async def __call__(
        self, grade: Grade, verdict: Verdict, reason: str, *cited: ProbeEntry
    ) -> GradeDecision:
        """The server's answer."""
        ...


async def prove(toolbox: Toolbox, cycle: CycleInfo, hypothesis: Hypothesis) -> GradeDecision:
    """Investigate ``hypothesis`` with its template test; returns the last decision on its grade.

    Where nothing can be executed, or the sandbox or its toolchain fails, the hypothesis is deferred with
    the reason: one probe that cannot be carried out never costs the cycle.
    """

    async def propose(grade: Grade, verdict: Verdict, reason: str, *cited: ProbeEntry) -> GradeDecision:
        citations = tuple(entry.id for entry in cited)
        return await toolbox.propose_grade(
            cycle,
            GradeProposal(
                hypothesis_id=hypothesis.id,
                grade=grade,
                verdict=verdict,
                reason=reason[:2000],
                citations=citations,
            ),
        )

    source = await toolbox.synthesize_test(cycle, hypothesis)
    if not cycle.can_execute:
        reason = f"nothing can be executed on this machine: {cycle.sandbox_note}"
        return await propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, reason)
    try:
        return await _investigate(toolbox, cycle, source, propose)
    except SandboxError as error:
        return await propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, str(error))


async def _investigate(
    toolbox: Toolbox, cycle: CycleInfo, source: ProbeEntry, propose: Propose
) -> GradeDecision:
    """The probes on a written test, in order, and the proposal that they end in."""
    if source.failure:
        return await propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, source.failure)
    red = await toolbox.run_test(cycle, source)
    if red.evidence is not EvidenceStatus.VALID:
        return await propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, red.evidence_reason)
    if _passed(red):
        return await propose(
            Grade.REFUTED,
            Verdict.REFUTED,
            "The test passes at this commit: what it claims is broken works.",
            red,
        )
    before = await toolbox.differential_run(cycle, red)
    if before.evidence is EvidenceStatus.VALID and not _passed(before):
        reason = "The test fails at the base too: whatever is wrong, this change did not bring it."
        return await propose(Grade.REFUTED, Verdict.REFUTED, reason, red, before)
    reverted = await toolbox.fix_probe(cycle, red)
    cited = [red] + [entry for entry in (before, reverted) if entry.transition is not None]
    decision = await propose(Grade.FINDING, Verdict.CONFIRMED, _summary(before, reverted), *cited)
    if not decision.admitted:
        decision = await propose(Grade.SUPPORTED, Verdict.INCONCLUSIVE, decision.reason, red)
    if not decision.admitted:
        decision = await propose(Grade.DEFERRED, Verdict.INCONCLUSIVE, decision.reason)
    return decision


def _passed(entry: ProbeEntry) -> bool:
    return bool(entry.outcomes) and all(test.outcome is Outcome.PASSED for test in entry.outcomes)


def _summary(before: ProbeEntry, reverted: ProbeEntry) -> str:
    parts = ["The test fails at this commit"]
    if before.transition is Transition.PASS_TO_FAIL:
        parts.append("passes at the base")
    if reverted.transition is Transition.FAIL_TO_PASS and reverted.revert is not None:
        parts.append(f"passes with {reverted.revert.description} restored")
    return ", ".join(parts) + "."
