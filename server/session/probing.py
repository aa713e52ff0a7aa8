"""The probes of one cycle: each call does one thing, keeps one ledger entry, and returns it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from repo_guardian.errors import AdmissionError, SandboxError
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, ProbeTool, RevertInfo, TestResult
from repo_guardian.server.ledger.evidence import Judgement, judge
from repo_guardian.server.ledger.ledger import ProbeLedger, outcome_of
from repo_guardian.server.session.fixing import FixSearch, FoundRevert
from repo_guardian.server.session.locus import (
    Sides,
    expectation,
    resolve,
    run_plan,
    tree_claim,
)
from repo_guardian.server.settings import ProbeLimits
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout
from repo_guardian.tools.git.objects import DiffStat
from repo_guardian.tools.probes.interface import Edit, TestRun, TestSource
from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.signals.interface import Signal, SymbolDetail
from repo_guardian.vocabulary import EvidenceStatus, Side


@dataclass(frozen=True, slots=True)
class _Ran:
    """The repetitions of one test on one side, judged."""

    runs: Sequence[TestRun]
    judgement: Judgement
    duration_s: float


class Prober:
    """Carries the probes out and keeps the ledger.

    Args:
        ledger: where entries go.
        sides: the two trees.
        signals: all signals of the cycle by key.
        change: measures the whole change between base and commit; asked when a probe needs it.
        limits: repetitions, attempts, output kept.
        checkout: where each side's tree lies.
    """

    def __init__(
        self,
        ledger: ProbeLedger,
        *,
        sides: Sides,
        signals: Mapping[str, Signal],
        change: Callable[[], DiffStat],
        limits: ProbeLimits,
        checkout: Callable[[Side], Checkout],
    ) -> None:
        self._ledger = ledger
        self._sides = sides
        self._signals = signals
        self._change = change
        self._limits = limits
        self._checkout = checkout
        self._tests: dict[str, TestSource] = {}
        self._details: dict[str, SymbolDetail] = {}

    def variants(self, hypothesis: Hypothesis) -> int:
        """How many template tests there are for a hypothesis' signals."""
        return len(self._candidates(hypothesis))

    def synthesize(self, hypothesis: Hypothesis, *, variant: int = 0) -> ProbeEntry:
        """Write a template test of the hypothesis' signals; a ``source`` entry.

        ``variant`` counts from 0, the most telling test.
        """
        test, failure = self._template(hypothesis, variant)
        if test is not None:
            self._tests[test.digest] = test
        return self._ledger.append(
            ProbeEntry(
                id=self._ledger.next_id(),
                tool=ProbeTool.SYNTHESIZE_TEST,
                hypothesis_id=hypothesis.id,
                parent=None,
                side=Side.CURRENT,
                commit=self._sides.current.commit,
                evidence=EvidenceStatus.SOURCE,
                evidence_reason="a test was written; nothing has run yet",
                failure=failure,
                test_source=test.text if test is not None else "",
                test_digest=test.digest if test is not None else "",
            )
        )

    async def run(self, bench: Bench, source_id: str) -> ProbeEntry:
        """Run a stored test at the cycle's commit."""
        source = self._ledger.get(source_id)
        if source.tool is not ProbeTool.SYNTHESIZE_TEST or source.failure:
            raise AdmissionError(
                f"{source_id} holds no test", hint="pass the id of a probe_synthesize_test entry"
            )
        return await self._plain_run(bench, ProbeTool.RUN_TEST, source, Side.CURRENT)

    async def differential(self, bench: Bench, run_id: str) -> ProbeEntry:
        """Run the same test at the base; bound to the run at the commit."""
        parent = self._run_entry(run_id)
        return await self._plain_run(bench, ProbeTool.DIFFERENTIAL_RUN, parent, Side.BASE)

    async def fix(self, bench: Bench, run_id: str) -> ProbeEntry:
        """Restore base text at the suspected cause in the overlay and run the same test again.

        Raises:
            AdmissionError: the run it is bound to is not an admissible failure.
        """
        parent = self._run_entry(run_id)
        if outcome_of(parent) is not Outcome.FAILED:
            raise AdmissionError(
                f"{run_id} is not an admissible failure, so there is nothing to fix: {parent.evidence_reason}"
            )
        detail = self._details[parent.hypothesis_id]

        async def passes(edit: Edit) -> bool:
            ran = await self._execute(bench, parent, Side.REVERTED, edit, repetitions=1)
            return ran.judgement.outcome is Outcome.PASSED and ran.judgement.status is EvidenceStatus.VALID

        ran: _Ran | None = None
        failure = "no restoration of base text at the suspected cause makes the test pass"
        try:
            found = await FixSearch(detail, self._sides, self._limits.fix_attempts).search(passes)
            if found is not None:
                repetitions = self._limits.repetitions
                ran = await self._execute(bench, parent, Side.REVERTED, found.edit, repetitions=repetitions)
        except SandboxError as error:
            found, failure = None, str(error)
        if found is None:
            return self._append(ProbeTool.FIX_PROBE, parent, Side.REVERTED, None, failure=failure)
        return self._append(ProbeTool.FIX_PROBE, parent, Side.REVERTED, ran, revert=self._revert_info(found))

    def _template(self, hypothesis: Hypothesis, variant: int) -> tuple[TestSource | None, str]:
        found = self._candidates(hypothesis)
        if not found:
            return None, "no template can prove a hypothesis with these signals"
        if variant >= len(found):
            return None, f"there are only {len(found)} template tests for it, counted from 0"
        self._details[hypothesis.id], test = found[variant]
        return test, ""

    def _candidates(self, hypothesis: Hypothesis) -> list[tuple[SymbolDetail, TestSource]]:
        signals = [self._signals[key] for key in hypothesis.draft.signal_keys if key in self._signals]
        sides = self._sides
        found: list[tuple[SymbolDetail, TestSource]] = []
        for signal in signals:
            if not isinstance(signal.detail, SymbolDetail):
                continue
            before = resolve(signal.detail.old_id, sides.base_graph)
            material = Material(
                before=before.signature if before is not None else None,
                base=sides.base_graph,
                current=sides.current_graph,
                read_base=sides.base.read,
                read_current=sides.current.read,
            )
            found += [(signal.detail, test) for test in candidates(signal, material)]
        return found

    def _run_entry(self, probe_id: str) -> ProbeEntry:
        entry = self._ledger.get(probe_id)
        if entry.tool is not ProbeTool.RUN_TEST:
            raise AdmissionError(
                f"{probe_id} is not a run at the commit", hint="pass the id of a probe_run_test entry"
            )
        return entry

    async def _plain_run(self, bench: Bench, tool: ProbeTool, parent: ProbeEntry, side: Side) -> ProbeEntry:
        try:
            ran = await self._execute(bench, parent, side, {}, repetitions=self._limits.repetitions)
        except SandboxError as error:
            return self._append(tool, parent, side, None, failure=str(error))
        return self._append(tool, parent, side, ran)

    async def _execute(
        self, bench: Bench, parent: ProbeEntry, side: Side, edit: Edit, *, repetitions: int
    ) -> _Ran:
        test, detail = self._tests[parent.test_digest], self._details[parent.hypothesis_id]
        claim = tree_claim(detail, self._sides, side, edit)
        plan = run_plan(detail, self._sides, claim, HARNESS, bench.site)
        started = time.monotonic()
        runs = await bench.run(test, plan, self._checkout(side), edit, repetitions=repetitions)
        duration_s = time.monotonic() - started
        judgement = judge(runs, test, expectation(detail, self._sides, side), claim)
        return _Ran(runs, judgement, duration_s)

    def _append(
        self,
        tool: ProbeTool,
        parent: ProbeEntry,
        side: Side,
        ran: _Ran | None,
        *,
        failure: str = "",
        revert: RevertInfo | None = None,
    ) -> ProbeEntry:
        judgement = ran.judgement if ran is not None else Judgement(EvidenceStatus.ENVIRONMENT, failure)
        last = ran.runs[-1] if ran is not None else None
        outcomes: tuple[TestResult, ...] = ()
        if judgement.outcome is not None:
            test_id = self._tests[parent.test_digest].test_id
            outcomes = (TestResult(test_id=test_id, outcome=judgement.outcome, reason=judgement.failure),)
        return self._ledger.append(
            ProbeEntry(
                id=self._ledger.next_id(),
                tool=tool,
                hypothesis_id=parent.hypothesis_id,
                parent=parent.id,
                side=side,
                commit=self._sides.tree(side).commit,
                argv=last.result.argv if last is not None else (),
                process_status=last.result.status.value if last is not None else "",
                exit_code=last.pytest_status if last is not None else None,
                outcomes=outcomes,
                repetitions=len(ran.runs) if ran is not None else 0,
                evidence=judgement.status,
                evidence_reason=judgement.reason,
                failure=failure,
                test_source=parent.test_source,
                test_digest=parent.test_digest,
                revert=revert,
                duration_s=round(ran.duration_s, 3) if ran is not None else 0.0,
                output=_tail(last, self._limits.output_chars),
            )
        )

    def _revert_info(self, found: FoundRevert) -> RevertInfo:
        change = self._change()
        return RevertInfo(
            description=found.revert.description,
            files=found.revert.files,
            changed_lines=found.revert.changed_lines,
            commit_changed_lines=change.added + change.deleted,
            commit_hunks=change.hunks,
            minimal=found.minimal,
            attempts=found.attempts,
            evidence_diff=found.evidence_diff,
        )


def _tail(run: TestRun | None, chars: int) -> str:
    if run is None:
        return ""
    return run.result.stderr.decode("utf-8", "backslashreplace")[-chars:]
