"""Measuring by running: what changed functions do on both commits, and what the tests in reach do.

Everything here comes from untrusted code in a sandbox. ``divergences`` and ``outcomes`` make signals of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from repo_guardian.tools.behaviour.interface import BehaviourLimits
from repo_guardian.tools.behaviour.run import BehaviourRun, Tree, behavioural_drift
from repo_guardian.tools.deltas.interface import DeltaLimits, SuiteDelta
from repo_guardian.tools.deltas.run import suite_delta
from repo_guardian.tools.deltas.select import TestSelection, reachable_tests
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.execution.suite_model import Selection

__all__ = ["Executed", "Tree", "run_both"]


@dataclass(frozen=True, slots=True)
class Executed:
    """What running both commits gave.

    Attributes:
        behaviour: what the changed functions did.
        selection: the tests of the current commit that the change can reach.
        suites: how their outcomes differ; None when the change reaches no test that both commits could have.
    """

    behaviour: BehaviourRun
    selection: TestSelection
    suites: SuiteDelta | None


async def run_both(
    bench: Bench,
    base: Tree,
    current: Tree,
    changed_paths: Collection[str],
    *,
    whole_suite: bool = False,
    behaviour_limits: BehaviourLimits | None = None,
    delta_limits: DeltaLimits | None = None,
    narrate: Callable[[str], None] = lambda _: None,
) -> Executed:
    """Replay the suite's calls of changed functions on both trees, and compare the suites.

    Args:
        bench: with the builds of both trees, and limits that a suite fits in.
        changed_paths: files that differ in any way.
        whole_suite: compare all tests rather than those that the change can reach.
        behaviour_limits, delta_limits: bounds; the usual ones when None.
        narrate: is told of each step.

    Raises:
        SandboxError: a sandbox could not be opened or written.
    """
    behaviour = await behavioural_drift(bench, base, current, limits=behaviour_limits, narrate=narrate)
    narrate("comparing the suites")
    if whole_suite:
        chosen = before = TestSelection((), True)
    else:
        graphs = (base.graph, current.graph)
        chosen = reachable_tests(*graphs, changed_paths, base.read, current.read)
        before = reachable_tests(*graphs, changed_paths, base.read, current.read, at=base.graph)
    suites = None
    if chosen.everything or (chosen.files and before.files):
        suites = await suite_delta(
            bench,
            base.checkout,
            current.checkout,
            Selection(arguments=chosen.arguments),
            delta_limits,
            base_selection=Selection(arguments=before.arguments),
        )
    return Executed(behaviour, chosen, suites)
