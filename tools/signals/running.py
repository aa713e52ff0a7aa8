"""Measuring by running: what changed functions do on both commits, and what the tests in reach do.

Everything here comes from untrusted code in a sandbox. ``divergences`` and ``outcomes`` make signals of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

import anyio
from anyio import to_thread

from repo_guardian.tools.behaviour.interface import BehaviourLimits, BehaviourReport
from repo_guardian.tools.behaviour.run import BehaviourRun, Tree, behavioural_drift
from repo_guardian.tools.deltas.interface import DeltaLimits, SuiteDelta
from repo_guardian.tools.deltas.run import suite_delta
from repo_guardian.tools.deltas.select import TestSelection, reachable_on_both
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.execution.suite_model import Selection

__all__ = ["REPLAY_SHARE", "Executed", "Tree", "run_both"]

REPLAY_SHARE = 0.6
"""Of the time that there is, for replaying calls; comparing the suites has the rest."""


@dataclass(frozen=True, slots=True)
class Executed:
    """What running both commits gave.

    Attributes:
        behaviour: what the changed functions did.
        selection: the tests of the current commit that the change can reach.
        suites: how their outcomes differ; None when the change reaches no test that both commits could have,
            or when there was no time.
        late: what was not done in time, a line each.
    """

    behaviour: BehaviourRun
    selection: TestSelection
    suites: SuiteDelta | None
    late: tuple[str, ...] = ()


async def run_both(
    bench: Bench,
    base: Tree,
    current: Tree,
    changed_paths: Collection[str],
    *,
    whole_suite: bool = False,
    behaviour_limits: BehaviourLimits | None = None,
    delta_limits: DeltaLimits | None = None,
    wall_s: float = math.inf,
    narrate: Callable[[str], None] = lambda _: None,
) -> Executed:
    """Replay the suite's calls of changed functions on both trees, and compare the suites.

    Args:
        bench: with the builds of both trees, and limits that a suite fits in.
        changed_paths: files that differ in any way.
        whole_suite: compare all tests rather than those that the change can reach.
        behaviour_limits, delta_limits: bounds; the usual ones when None.
        wall_s: seconds for all; the replay may take ``REPLAY_SHARE`` of them. A part that is not done by then
            is given up and gives nothing.
        narrate: is told of each step.

    Raises:
        SandboxError: a sandbox could not be opened or written.
    """
    late: list[str] = []
    end = anyio.current_time() + wall_s
    behaviour = BehaviourRun(BehaviourReport(), ())
    with anyio.move_on_after(wall_s * REPLAY_SHARE) as replaying:
        behaviour = await behavioural_drift(bench, base, current, limits=behaviour_limits, narrate=narrate)
    if replaying.cancelled_caught:
        late.append(f"replaying calls was given up after {wall_s * REPLAY_SHARE:.0f} s")
    narrate("comparing the suites")
    selections = await to_thread.run_sync(
        partial(_selections, base, current, changed_paths, whole_suite=whole_suite)
    )
    suites = None
    with anyio.move_on_after(end - anyio.current_time()) as comparing:
        suites = await _suites(bench, base, current, selections, delta_limits)
    if comparing.cancelled_caught:
        late.append(f"comparing the suites was given up: {wall_s:.0f} s had passed")
    return Executed(behaviour, selections[1], suites, tuple(late))


def _selections(
    base: Tree, current: Tree, changed_paths: Collection[str], *, whole_suite: bool
) -> tuple[TestSelection, TestSelection]:
    """The tests to run at the base and at the current commit."""
    if whole_suite:
        return TestSelection((), True), TestSelection((), True)
    return reachable_on_both(base.graph, current.graph, changed_paths, base.read, current.read)


async def _suites(
    bench: Bench,
    base: Tree,
    current: Tree,
    selections: tuple[TestSelection, TestSelection],
    limits: DeltaLimits | None,
) -> SuiteDelta | None:
    before, now = selections
    if not (now.everything or (now.files and before.files)):
        return None
    return await suite_delta(
        bench,
        base.checkout,
        current.checkout,
        Selection(arguments=now.arguments),
        limits,
        base_selection=Selection(arguments=before.arguments),
    )
