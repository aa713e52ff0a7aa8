"""The probes of one cycle: each call does one thing, keeps one ledger entry, and returns it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from anyio import to_thread

from repo_guardian.errors import AdmissionError, SandboxError, UsageError
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.probes import ProbeEntry, ProbeTool, RevertInfo, TestResult
from repo_guardian.server.ledger.evidence import FLAKY, Judgement
from repo_guardian.server.ledger.ledger import ProbeLedger, fails
from repo_guardian.server.session.fixing import FixSearch, FoundEdit, objection
from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.running import Ran, Runner
from repo_guardian.server.session.sources import Bound, Choice, find_test, pick, template_tests
from repo_guardian.server.settings import ProbeLimits
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.git.objects import DiffStat
from repo_guardian.tools.probes.interface import Edit
from repo_guardian.tools.signals.interface import Signal
from repo_guardian.vocabulary import EvidenceStatus, Side

_RUNS = (ProbeTool.RUN_TEST, ProbeTool.RUN_EXISTING_TESTS)
NO_REVERT = "no restoration of base text at the suspected cause makes the test pass"


class Prober:
    """Carries the probes out and keeps the ledger.

    A test is run on the bench that is passed in; see ``in_repository`` for which one it has to be.

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
        self._runner = Runner(sides, checkout)
        self._tests: dict[tuple[str, str], Bound] = {}
        self._written: dict[str, tuple[Bound, ...]] = {}
        self._made: dict[str, _Made] = {}

    def variants(self, hypothesis: Hypothesis) -> int:
        """How many template tests there are for a hypothesis' signals."""
        return len(self._templates(hypothesis))

    def synthesize(self, hypothesis: Hypothesis, choice: Choice | None = None) -> ProbeEntry:
        """Keep a test for a hypothesis; a ``source`` entry, whose ``failure`` says what stands against it."""
        asked = choice or Choice()
        bound, failure = None, ""
        try:
            if asked.by_template:
                bound = pick(self._templates(hypothesis), asked.variant)
            else:
                bound = find_test(asked, hypothesis, self._signals, self._sides)
            # The first binding stays: what a test that has run is about cannot change afterwards.
            self._tests.setdefault((hypothesis.id, bound.test.digest), bound)
        except UsageError as error:
            failure = str(error)
        return self._ledger.append(
            ProbeEntry(
                id=self._ledger.next_id(),
                tool=ProbeTool.SYNTHESIZE_TEST,
                hypothesis_id=hypothesis.id,
                parent=None,
                side=Side.CURRENT,
                commit=self._sides.current.commit,
                evidence=EvidenceStatus.SOURCE,
                evidence_reason=failure or "a test was written; nothing has run yet",
                failure=failure,
                test_source=_readable(bound.test.text if bound is not None else asked.source or ""),
                test_id=bound.test.test_id if bound is not None else "",
                test_digest=bound.test.digest if bound is not None else "",
            )
        )

    def _templates(self, hypothesis: Hypothesis) -> tuple[Bound, ...]:
        """Written once for each hypothesis; a signal that is not there yet is looked for again."""
        found = self._written.get(hypothesis.id) or template_tests(hypothesis, self._signals, self._sides)
        self._written[hypothesis.id] = found
        return found

    def in_repository(self, probe_id: str) -> bool:
        """Whether the test of an entry runs under the repository's own configuration: on the suite's bench.

        Raises:
            AdmissionError: there is no such entry, or it holds no test.
        """
        return self._test_of(self._ledger.get(probe_id)).test.in_repository

    async def run(self, bench: Bench, source_id: str) -> ProbeEntry:
        """Run a stored test at the cycle's commit.

        Raises:
            AdmissionError: there is no such test.
        """
        source = self._ledger.get(source_id)
        if source.tool is not ProbeTool.SYNTHESIZE_TEST or source.failure:
            raise AdmissionError(
                f"{source_id} holds no test", hint="pass the id of a probe_synthesize_test entry"
            )
        return await self._plain_run(bench, ProbeTool.RUN_TEST, source, Side.CURRENT)

    async def differential(self, bench: Bench, run_id: str) -> ProbeEntry:
        """Run the same test at the base; bound to the run at the commit.

        Raises:
            AdmissionError: there is no such run, or the trees were built since.
        """
        parent = self._run_entry(run_id)
        self._need_same(bench, parent)
        return await self._plain_run(bench, ProbeTool.DIFFERENTIAL_RUN, parent, Side.BASE)

    async def fix(self, bench: Bench, run_id: str, diff: str | None = None) -> ProbeEntry:
        """Run the same test again with an edit in the overlay: ``diff``, or the minimal revert.

        Raises:
            AdmissionError: the run it is bound to is no admissible failure, or the trees were built since.
        """
        parent = self._run_entry(run_id)
        if not fails(parent):
            raise AdmissionError(
                f"{run_id} is no admissible failure, so there is nothing to fix: {parent.evidence_reason}",
                hint="first have a test that fails at this commit for the stated reason",
            )
        self._need_same(bench, parent)
        bound = self._test_of(parent)

        tried: list[tuple[Edit, Ran]] = []

        async def passes(edit: Edit) -> bool:
            ran = await self._execute(bench, bound, Side.REVERTED, edit, repetitions=1)
            tried.append((edit, ran))
            return ran.judgement.passed

        search = FixSearch(self._sides, self._limits.fix_attempts, passes)
        try:
            found = await search.search(bound.focus) if diff is None else await search.given(diff)
            if found is None:
                return self._fixless(parent, NO_REVERT, EvidenceStatus.INVALID)
            known = next((ran for edit, ran in tried if edit == found.edit), None)
            ran = await self._execute(
                bench, bound, Side.REVERTED, found.edit, repetitions=self._limits.repetitions, known=known
            )
            ran = await self._lasting(bench, parent, ran)
        except UsageError as error:
            return self._fixless(parent, str(error), EvidenceStatus.INVALID)
        except SandboxError as error:
            return self._fixless(parent, str(error), EvidenceStatus.ENVIRONMENT)
        revert = await to_thread.run_sync(self._revert_info, found, bound)
        return self._append(ProbeTool.FIX_PROBE, parent, Side.REVERTED, ran, revert=revert)

    def _need_same(self, bench: Bench, parent: ProbeEntry) -> None:
        """Both sides of a comparison share what was built and installed around them."""
        made = self._made.get(parent.id)
        if made is not None and made.built != _built(bench):
            raise AdmissionError(
                f"the trees were built for the repository's own tests since {parent.id} ran",
                hint="run the test again with probe_run_test, and compare with that run",
            )

    async def _lasting(self, bench: Bench, parent: ProbeEntry, ran: Ran) -> Ran:
        """A pass counts when the test still fails at the commit afterwards, as it did before.

        What else changed between two runs, the time first of all, is no cause then.
        """
        if not (fails(parent) and ran.judgement.passed):
            return ran
        again = await self._execute(bench, self._test_of(parent), Side.CURRENT, {}, repetitions=1)
        if again.judgement == self._made[parent.id].judgement:
            return ran
        reason = f"{FLAKY}: afterwards the test does not end at the commit as in {parent.id}"
        return replace(
            ran, judgement=Judgement(EvidenceStatus.INVALID, f"{reason}: {again.judgement.reason}")
        )

    def _test_of(self, entry: ProbeEntry) -> Bound:
        bound = self._tests.get((entry.hypothesis_id, entry.test_digest))
        if bound is None:
            raise AdmissionError(f"{entry.id} holds no test", hint="pass the id of an entry that ran one")
        return bound

    def _run_entry(self, probe_id: str) -> ProbeEntry:
        entry = self._ledger.get(probe_id)
        if entry.tool not in _RUNS or entry.side is not Side.CURRENT:
            raise AdmissionError(
                f"{probe_id} is not a run at the commit", hint="pass the id of a probe_run_test entry"
            )
        self._test_of(entry)
        return entry

    async def _plain_run(self, bench: Bench, tool: ProbeTool, parent: ProbeEntry, side: Side) -> ProbeEntry:
        try:
            repetitions = self._limits.repetitions
            ran = await self._execute(bench, self._test_of(parent), side, {}, repetitions=repetitions)
            if side is Side.BASE:
                ran = await self._lasting(bench, parent, ran)
        except SandboxError as error:
            ran = Ran((), Judgement(EvidenceStatus.ENVIRONMENT, str(error)))
            return self._append(tool, parent, side, ran, failure=str(error))
        entry = self._append(tool, parent, side, ran)
        self._made[entry.id] = _Made(_built(bench), ran.judgement)
        return entry

    async def _execute(
        self,
        bench: Bench,
        bound: Bound,
        side: Side,
        edit: Edit,
        *,
        repetitions: int,
        known: Ran | None = None,
    ) -> Ran:
        run = partial(self._runner.run, bench, bound.test, bound.focus, side, edit)
        return await run(repetitions=repetitions, known=known)

    def _fixless(self, parent: ProbeEntry, failure: str, status: EvidenceStatus) -> ProbeEntry:
        ran = Ran((), Judgement(status, failure))
        return self._append(ProbeTool.FIX_PROBE, parent, Side.REVERTED, ran, failure=failure)

    def _append(
        self,
        tool: ProbeTool,
        parent: ProbeEntry,
        side: Side,
        ran: Ran,
        *,
        failure: str = "",
        revert: RevertInfo | None = None,
    ) -> ProbeEntry:
        judgement, test = ran.judgement, self._test_of(parent).test
        last = ran.runs[-1] if ran.runs else None
        outcomes: tuple[TestResult, ...] = ()
        if judgement.outcome is not None:
            result = TestResult(test_id=test.test_id, outcome=judgement.outcome, reason=judgement.failure)
            outcomes = (result,)
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
                repetitions=len(ran.runs),
                evidence=judgement.status,
                evidence_reason=judgement.reason,
                failure=failure,
                test_source=parent.test_source,
                test_id=test.test_id,
                test_digest=parent.test_digest,
                revert=revert,
                duration_s=round(ran.duration_s, 3),
                output=ran.output(self._limits.output_chars),
            )
        )

    def _revert_info(self, found: FoundEdit, bound: Bound) -> RevertInfo:
        change = self._change()
        return RevertInfo(
            description=found.description,
            files=tuple(sorted(found.edit)),
            changed_lines=found.changed_lines,
            commit_changed_lines=change.added + change.deleted,
            commit_hunks=change.hunks,
            minimal=found.minimal,
            attempts=found.attempts,
            evidence_diff=found.evidence_diff,
            restores_base=found.restores_base,
            objection=objection(found.edit, bound.test, bound.focus, self._sides),
        )


@dataclass(frozen=True, slots=True)
class _Made:
    """What a later run has to share with the one that it is compared with."""

    built: tuple[object, ...]
    judgement: Judgement


def _built(bench: Bench) -> tuple[object, ...]:
    """What names the dependencies and the builds that a test runs on."""
    builds = sorted((label, str(build.path)) for label, build in bench.projects.items())
    return bench.toolchains.digest, *builds


def _readable(text: str) -> str:
    """Text for a wire: what is not UTF-8 in a file is shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
