"""Measuring a cycle by running both of its commits: changed behaviour and changed tests become signals."""

from __future__ import annotations

import math

from anyio import to_thread

from repo_guardian.server.contract.executed import ExecutedSignals
from repo_guardian.server.session.capability import need_suite_bench
from repo_guardian.server.session.left_out import calls_left_out, tests_left_out
from repo_guardian.server.session.observe import observe_signals
from repo_guardian.server.session.reading import Narrate
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.views import quietly
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.behaviour.generate import with_generator
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.signals.divergences import behaviour_signals
from repo_guardian.tools.signals.interface import Signal
from repo_guardian.tools.signals.outcomes import outcome_signals
from repo_guardian.tools.signals.running import Executed, Tree, run_both
from repo_guardian.tools.signals.suspects import Suspects, changed_production
from repo_guardian.vocabulary import Side

_PROBLEM_CHARS = 300


async def execute_signals(
    session: CycleSession,
    settings: ServerSettings,
    *,
    whole_suite: bool = False,
    wall_s: float = math.inf,
    narrate: Narrate = quietly,
) -> ExecutedSignals:
    """Run both commits and keep what differs as signals, ranked among the structural ones.

    A second call measures again and takes the place of the first.

    Args:
        whole_suite: compare all tests rather than those that the change can reach.
        wall_s: seconds for running; making both commits ready to run comes on top.
        narrate: is told of each step.

    Raises:
        AdmissionError: the views are not loaded yet, or no sandbox works here.
        EnvironmentFault: the sandbox failed, or a tree cannot be written.
    """
    sides = session.need_sides()
    if session.base.commit is None:
        problem = "there is no base to compare with: the commit is the first one"
        return ExecutedSignals(problems=(problem,))
    narrate("preparing both commits to run")
    bench = await with_generator(await need_suite_bench(session, settings), root=session.state.harness)
    checkouts = [await to_thread.run_sync(session.checkout, side) for side in (Side.BASE, Side.CURRENT)]
    base = Tree(checkouts[0], sides.base_graph, session.base.read)
    current = Tree(checkouts[1], sides.current_graph, session.current.read)
    changed = session.current.differs_from(session.base)
    executed = await run_both(
        bench, base, current, changed, whole_suite=whole_suite, wall_s=wall_s, narrate=narrate
    )
    signals = await to_thread.run_sync(_signals, executed, base, current, changed)
    session.executed, session.signals = signals, None
    await to_thread.run_sync(observe_signals, session, settings)
    return _answer(signals, executed, _problems(bench, executed))


def _signals(executed: Executed, base: Tree, current: Tree, changed: tuple[str, ...]) -> tuple[Signal, ...]:
    found = behaviour_signals(executed.behaviour.report.divergences, base.graph, current.graph)
    if executed.suites is None or not executed.suites.deltas:
        return found
    ids = changed_production(base.graph, current.graph, changed, base.read, current.read)
    suspects = Suspects(base.graph, current.graph, ids)
    return (*found, *outcome_signals(executed.suites, base.graph, current.graph, suspects))


def _answer(signals: tuple[Signal, ...], executed: Executed, problems: tuple[str, ...]) -> ExecutedSignals:
    report, suites = executed.behaviour.report, executed.suites
    return ExecutedSignals(
        added=len(signals),
        functions_changed=len(executed.behaviour.targets),
        functions_compared=len(report.compared),
        calls_compared=report.calls,
        tests_compared=suites.compared if suites is not None else 0,
        whole_suite=executed.selection.everything,
        left_out={**calls_left_out(report), **tests_left_out(suites)},
        problems=problems,
    )


def _problems(bench: Bench, executed: Executed) -> tuple[str, ...]:
    suites = executed.suites
    found = [
        *bench.toolchains.problems,
        executed.behaviour.report.problem,
        suites.problem if suites is not None else "",
        *executed.late,
    ]
    return tuple(dict.fromkeys(problem[:_PROBLEM_CHARS] for problem in found if problem))
