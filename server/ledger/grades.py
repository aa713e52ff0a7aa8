"""Which grade the cited ledger entries carry; every refusal says what would be admitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from repo_guardian.server.contract.hypotheses import GradeDecision, GradeProposal, Hypothesis
from repo_guardian.server.contract.probes import ProbeEntry
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.ledger.ledger import fails, flaky, outcome_of, passes, same_failure, same_test
from repo_guardian.server.ledger.reverts import revert_refusal
from repo_guardian.vocabulary import EvidenceStatus, Grade, Side, Verdict


@dataclass(frozen=True, slots=True)
class _Case:
    """What a rule looks at: the hypothesis, what is proposed, what is cited, what is known, what exists.

    ``known`` are all probes of the hypothesis: what speaks against a grade counts without being cited.
    """

    hypothesis: Hypothesis
    proposal: GradeProposal
    cited: Sequence[ProbeEntry]
    known: Sequence[ProbeEntry]
    exists: Callable[[Locus], bool]

    @property
    def failing(self) -> list[ProbeEntry]:
        """The cited runs in which a test fails at the cycle's commit for the stated reason."""
        return [entry for entry in self.cited if entry.side is Side.CURRENT and fails(entry)]


def decide(
    hypothesis: Hypothesis,
    proposal: GradeProposal,
    cited: Sequence[ProbeEntry],
    *,
    exists: Callable[[Locus], bool],
    ledger: Sequence[ProbeEntry] = (),
) -> GradeDecision:
    """Admit or reject a proposed grade.

    Args:
        hypothesis: as it stands.
        proposal: what the client asks for.
        cited: the ledger entries named in the proposal, in that order.
        ledger: all entries of the cycle; what contradicts the cited ones counts without being cited.
        exists: whether a remedy's locus exists at the cycle's commit.
    """
    foreign = [entry.id for entry in cited if entry.hypothesis_id != hypothesis.id]
    if foreign:
        return _no(hypothesis, f"{', '.join(foreign)} belong to another hypothesis; cite its own probes")
    known = [entry for entry in ledger if entry.hypothesis_id == hypothesis.id]
    refusal = _RULES[proposal.grade](_Case(hypothesis, proposal, cited, known, exists))
    if refusal:
        return _no(hypothesis, refusal)
    return GradeDecision(admitted=True, grade=proposal.grade, reason=proposal.reason)


def _no(hypothesis: Hypothesis, reason: str) -> GradeDecision:
    return GradeDecision(admitted=False, grade=hypothesis.grade, reason=reason)


def _supported(case: _Case) -> str:
    if not case.failing:
        return _explain(case.cited) or (
            "supported needs a cited run at the cycle's commit in which the test fails for the stated reason"
        )
    refusals = [_contradicted(entry, case.known) for entry in case.failing]
    return "; ".join(refusals) if all(refusals) else ""


def _contradicted(failing: ProbeEntry, known: Sequence[ProbeEntry]) -> str:
    """What another run of the same test says against a failing one."""
    for entry in known:
        if not same_test(failing, entry):
            continue
        if entry.side is Side.BASE and fails(entry):
            return f"pre-existing: in {entry.id} the same test fails at the base too, so propose refuted"
        if flaky(entry):
            return f"flaky: in {entry.id} the same test did not end as it did in {failing.id}"
        if entry.side is Side.CURRENT and passes(entry):
            return f"flaky: in {entry.id} the same test passes at the same commit as it fails in {failing.id}"
    return ""


def _finding(case: _Case) -> str:
    if case.proposal.verdict is not Verdict.CONFIRMED:
        return "a finding needs the verdict confirmed"
    refusal = _supported(case)
    if refusal:
        return refusal
    good = {entry.id for entry in case.failing if not _contradicted(entry, case.known)}
    if not any(entry.transition is not None and entry.parent in good for entry in case.cited):
        return _uncorroborated(case.cited)
    if not case.exists(case.hypothesis.draft.remedy.locus):
        return "the remedy names no file or symbol that exists at this commit; name one that does"
    return ""


def _uncorroborated(cited: Sequence[ProbeEntry]) -> str:
    """Why nothing that is cited corroborates: an edit that breaks the rules, or nothing of the kind."""
    edits = [(entry.id, revert_refusal(entry.revert)) for entry in cited if entry.revert is not None]
    refusals = [f"the edit in {entry_id} corroborates nothing: {why}" for entry_id, why in edits if why]
    return "; ".join(
        [
            *refusals,
            "a finding needs corroboration: cite, with the failing run, a run of the same test that passes "
            "at the base (differential_run) or with the suspected cause reverted (fix_probe)",
        ]
    )


def _refuted(case: _Case) -> str:
    passing = [entry for entry in case.cited if entry.side is Side.CURRENT and passes(entry)]
    before = [entry for entry in case.cited if entry.side is Side.BASE and fails(entry)]
    if not passing and not before:
        return _explain(case.cited) or (
            "refuted needs a cited run in which the test passes at the cycle's commit, or fails at the base"
        )
    refusals = [_not_pre_existing(entry, case) for entry in before]
    if not passing and all(refusals):
        return "; ".join(refusals)
    standing = [e for e in case.known if e.side is Side.CURRENT and fails(e)]
    standing = [entry for entry in standing if not _contradicted(entry, case.known)]
    if standing:
        return (
            f"{standing[0].id} shows another test that fails at this commit for the stated reason; "
            "a test that passes does not take that back"
        )
    return ""


def _not_pre_existing(before: ProbeEntry, case: _Case) -> str:
    """Why a failure at the base is not the one at the commit: then the change may well be what made it."""
    now = next((entry for entry in (*case.known, *case.cited) if entry.id == before.parent), None)
    if now is None or now.side is not Side.CURRENT or not (fails(now) and same_test(before, now)):
        return f"{before.id} fails at the base, but no run of the same test fails at the commit"
    if not same_failure(before, now):
        return (
            f"the test fails otherwise at the base ({before.id}) than at the commit ({now.id}), which "
            "refutes nothing: write one that passes at the base"
        )
    return ""


def _free(case: _Case) -> str:
    return ""


def _resolved(case: _Case) -> str:
    if case.hypothesis.recurrence_of is None:
        return "only what an earlier cycle claimed can be resolved; use refuted for a claim of this cycle"
    return _refuted(case)


def _explain(cited: Sequence[ProbeEntry]) -> str:
    """Say why the cited runs are no evidence, when that is what stands in the way."""
    return "; ".join(_no_evidence(entry) for entry in cited if outcome_of(entry) is None)


def _no_evidence(entry: ProbeEntry) -> str:
    if entry.evidence is EvidenceStatus.VALID:
        return (
            f"{entry.id} ran tests that nothing binds to this hypothesis; have the one that shows it run by "
            "itself (probe_synthesize_test with its id, then probe_run_test)"
        )
    return f"{entry.id} is {entry.evidence.value}: {entry.evidence_reason}"


_RULES: dict[Grade, Callable[[_Case], str]] = {
    Grade.CONJECTURE: _free,
    Grade.DEFERRED: _free,
    Grade.SUPPORTED: _supported,
    Grade.FINDING: _finding,
    Grade.REFUTED: _refuted,
    Grade.RESOLVED: _resolved,
}
