"""Runs one test on one side of a cycle, as often as asked, and judges what the runs are worth."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from anyio import to_thread

from repo_guardian.server.ledger.evidence import Judgement, judge
from repo_guardian.server.session.focus import (
    Focus,
    absent_at_base,
    expected,
    run_plan,
    tree_claim,
    unlike_at_base,
)
from repo_guardian.server.session.locus import Sides
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.own_tests import run_in_repository
from repo_guardian.tools.probes.interface import Edit, TestRun, TestSource
from repo_guardian.vocabulary import EvidenceStatus, Side

_MISSING = ("ImportError", "ModuleNotFoundError", "AttributeError", "NameError")


@dataclass(frozen=True, slots=True)
class Ran:
    """The repetitions of one test on one side, judged; ``duration_s`` is wall clock over all of them."""

    runs: Sequence[TestRun]
    judgement: Judgement
    duration_s: float = 0.0

    def output(self, chars: int) -> str:
        """The end of what the last repetition printed, at most ``chars`` characters."""
        if not self.runs:
            return ""
        return self.runs[-1].result.stderr.decode("utf-8", "backslashreplace")[-chars:]


@dataclass(frozen=True, slots=True)
class Runner:
    """``checkout`` says where each side's tree lies; it may block while one is written."""

    sides: Sides
    checkout: Callable[[Side], Checkout]

    async def run(
        self,
        bench: Bench,
        test: TestSource,
        focus: Focus,
        side: Side,
        edit: Edit,
        *,
        repetitions: int,
        known: Ran | None = None,
    ) -> Ran:
        """Run and judge. A test that is not the same at the base is not run there.

        Args:
            bench: the suite's for a test in the repository; see ``bench_for``.
            edit: put in place in the overlay.
            repetitions: how many runs are judged.
            known: earlier ones of the same test, side and edit that count among them.

        Raises:
            SandboxError: the sandbox could not be opened or written.
            MaterializeError: the tree cannot be checked out.
        """
        unlike = unlike_at_base(test, self.sides) if side is Side.BASE else ""
        if unlike:
            reason = f"{unlike} is not the same at the base, so this would be another test there"
            return Ran((), Judgement(EvidenceStatus.INVALID, reason))
        claim = tree_claim(focus, test, self.sides, side, edit)
        checkout = await to_thread.run_sync(self.checkout, side)
        started = time.monotonic()
        runs = list(known.runs) if known is not None else []
        missing = repetitions - len(runs)
        if test.in_repository:
            modules, files = sorted(claim.modules), sorted(claim.digests)
            where = partial(run_in_repository, bench, test, checkout, edit, modules=modules, files=files)
        else:
            plan = run_plan(focus, self.sides, claim, bench.site)
            where = partial(bench.run, test, plan, checkout, edit)
        runs += await where(repetitions=missing)
        duration_s = time.monotonic() - started + (known.duration_s if known is not None else 0.0)
        judgement = judge(runs, test, expected(focus, self.sides, side), claim)
        return Ran(runs, self._compared(judgement, focus) if side is Side.BASE else judgement, duration_s)

    def _compared(self, judgement: Judgement, focus: Focus) -> Judgement:
        """A failure at the base that only says that something is new is nothing to compare with."""
        kind, _, said = judgement.failure.partition(":")
        if judgement.status is not EvidenceStatus.VALID or not kind.endswith(_MISSING):
            return judgement
        for name in absent_at_base(focus, self.sides):
            if name.rpartition(".")[2] in re.findall(r"\w+", said):
                reason = f"{name} does not exist at the base, so there is nothing to compare with"
                return replace(judgement, status=EvidenceStatus.INVALID, reason=reason)
        return judgement
