"""Drift that shows when something runs: changed behaviour and changed test outcomes, in the sandbox."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from anyio import to_thread

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.server.contract.drift import CallsLeftOut, DivergenceItem, ExecutedDrift, TestDeltaItem
from repo_guardian.server.session.drift import Drift, Side, intent_item
from repo_guardian.server.session.left_out import calls_left_out
from repo_guardian.server.session.reading import Narrate, Repository
from repo_guardian.server.session.views import quietly
from repo_guardian.tools.behaviour.generate import with_generator
from repo_guardian.tools.behaviour.interface import Divergence
from repo_guardian.tools.behaviour.proof import render
from repo_guardian.tools.behaviour.ranking import rank_key
from repo_guardian.tools.deltas.interface import TestDelta
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.capability import find_capability
from repo_guardian.tools.execution.override import load_override
from repo_guardian.tools.execution.projects import with_projects
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.git.materialize import materialize, remove_checkout
from repo_guardian.tools.intent.interface import IntentEvidence, Subject
from repo_guardian.tools.signals.running import Executed, Tree, run_both

_LISTED = 50
_REASON_CHARS = 300


async def execute_drift(
    repository: Repository,
    drift: Drift,
    *,
    sandbox: str = "auto",
    whole_suite: bool = False,
    narrate: Narrate = quietly,
) -> ExecutedDrift:
    """Replay what tests pass to changed functions, and compare the suites, of the two sides of ``drift``.

    Args:
        sandbox: a name of the sandbox registry, or ``auto``.
        whole_suite: compare all tests rather than those that the change can reach.
        narrate: is told of each step.

    Raises:
        SandboxUnavailableError: nothing here isolates what would run.
        EnvironmentFault: the sandbox failed, or a tree cannot be written.
    """
    async with drift_bench(repository, drift, sandbox=sandbox, narrate=narrate) as ready:
        bench, base, current = ready.bench, ready.base, ready.current
        before, after = (
            Tree(checkout, side.graph, side.tree.read)
            for checkout, side in ((base, drift.before), (current, drift.after))
        )
        executed = await run_both(
            bench, before, after, drift.changed, whole_suite=whole_suite, narrate=narrate
        )
        return _answer(drift, ready.sandbox, bench, executed)


@dataclass(frozen=True)
class DriftBench:
    """Both sides written out, a bench to run them on, and the name of its sandbox."""

    bench: Bench
    base: Checkout
    current: Checkout
    sandbox: str


@asynccontextmanager
async def drift_bench(
    repository: Repository, drift: Drift, *, sandbox: str = "auto", narrate: Narrate = quietly
) -> AsyncIterator[DriftBench]:
    """Checkouts of both sides and what they need to run; the checkouts are removed at the end.

    Raises:
        SandboxUnavailableError: nothing here isolates what would run.
        EnvironmentFault: the sandbox failed, or a tree cannot be written.
    """
    capability = await find_capability(sandbox)
    if capability.backend is None:
        raise SandboxUnavailableError(
            f"nothing can be executed here: {capability.note}", hint="see guardian sandbox selftest"
        )
    with ExitStack() as held:
        sides = (drift.before, drift.after)
        checkouts = [await to_thread.run_sync(_checkout, repository, side, held) for side in sides]
        narrate("preparing the toolchain")
        toolchains = await prepare_toolchains(
            capability.backend,
            declared_dependencies(drift.after.tree.read),
            as_of=_as_of(repository, drift),
            harness_root=repository.state.harness,
            site_root=repository.state.toolchain,
            override=load_override(
                repository.state.root,
                repository=Path(repository.source.location) if repository.source.local else None,
            ),
        )
        bench = await with_projects(
            Bench(capability.backend, toolchains, SUITE_LIMITS),
            checkouts,
            root=repository.state.toolchain / "projects",
            always=True,
        )
        bench = await with_generator(bench, root=repository.state.harness)
        base, current = checkouts
        yield DriftBench(bench, base, current, capability.name or "")


def _checkout(repository: Repository, side: Side, held: ExitStack) -> Checkout:
    folder = repository.state.root / "checkouts" / f"drift-{os.getpid()}_{side.tree.commit or 'empty'}"
    materialize(side.git, side.tree.treeish, folder)
    held.callback(remove_checkout, folder)
    return Checkout(folder, side.tree.label, side.tree.version)


def _as_of(repository: Repository, drift: Drift) -> datetime:
    commit = drift.before.tree.commit if drift.work_tree else drift.after.tree.commit
    info = repository.mirror.commit_info(commit or repository.mirror.resolve("HEAD"))
    return datetime.fromtimestamp(info.committer_time, UTC)


def _answer(drift: Drift, sandbox: str, bench: Bench, executed: Executed) -> ExecutedDrift:
    behaviour, suites = executed.behaviour, executed.suites
    report = behaviour.report
    items = [_divergence(drift, found, evidence) for found, evidence in ranked(drift, report.divergences)]
    problems = [*bench.toolchains.problems, report.problem, suites.problem if suites is not None else ""]
    return ExecutedDrift(
        sandbox=sandbox,
        divergences=tuple(items[:_LISTED]),
        functions_changed=len(behaviour.targets),
        functions_compared=len(report.compared),
        calls_compared=report.calls,
        unreached=report.unreached[:_LISTED],
        reaching_out=report.reaching_out[:_LISTED],
        missing=tuple(f"{symbol}: {reason}"[:_REASON_CHARS] for symbol, reason in report.missing[:_LISTED]),
        unstable_calls=report.unstable,
        left_out=CallsLeftOut(
            effects=dict(report.left_out.effects),
            misfits=report.left_out.misfits,
            reshaped=report.left_out.reshaped,
            unusable=report.left_out.unusable,
            late=report.left_out.late[:_LISTED],
        ),
        not_kept=dict(report.skipped[:_LISTED]),
        left_out_counts=calls_left_out(report),
        tests=tuple(_test(delta) for delta in suites.deltas[:_LISTED]) if suites is not None else (),
        tests_compared=suites.compared if suites is not None else 0,
        tests_selected=executed.selection.files if suites is not None else (),
        problems=tuple(problem[:_REASON_CHARS] for problem in problems if problem),
    )


def ranked(drift: Drift, divergences: Sequence[Divergence]) -> list[tuple[Divergence, IntentEvidence]]:
    """Divergences with what speaks for intent, in the order in which they are told."""
    judged = []
    for found in divergences:
        subject = Subject(found.target.symbol, found.target.qualname, found.target.path)
        judged.append((found, drift.intent.of(subject, drift.before.graph, drift.after.graph)))
    return sorted(judged, key=lambda pair: rank_key(pair[0], pair[1], drift.before.graph))


def _divergence(drift: Drift, found: Divergence, evidence: IntentEvidence) -> DivergenceItem:
    target = found.target
    return DivergenceItem(
        symbol=target.symbol,
        path=target.path,
        line=target.line,
        call=found.call,
        receiver=found.receiver,
        mutation=found.mutation,
        before=found.old.render(),
        after=found.new.render(),
        diverging=found.diverging,
        compared=found.compared,
        recorded_diverging=found.recorded_diverging,
        recorded_compared=found.recorded_compared,
        callers=drift.before.graph.used_in(target.symbol),
        provable=render(found) is not None,
        intent=intent_item(evidence),
    )


def _test(delta: TestDelta) -> TestDeltaItem:
    reports = (delta.before, delta.after)
    before, after = (report.outcome.value if report is not None else "absent" for report in reports)
    exception = delta.after.exception if delta.after is not None else None
    return TestDeltaItem(
        test_id=delta.test_id,
        kind=delta.kind.value,
        before=before,
        after=after,
        confirmed=delta.confirmed,
        reason=exception.line[:_REASON_CHARS] if exception is not None else "",
        ratio=delta.ratio,
    )
