"""Behavioural drift from end to end: choose the functions, record, replay on both commits, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from repo_guardian.tools.behaviour.compare import compare
from repo_guardian.tools.behaviour.generate import generate
from repo_guardian.tools.behaviour.interface import BehaviourLimits, BehaviourReport, Recording, Target
from repo_guardian.tools.behaviour.record import record
from repo_guardian.tools.behaviour.replay import Replay, replay
from repo_guardian.tools.behaviour.select import Read, changed_functions
from repo_guardian.tools.deltas.select import TestSelection, tests_reaching
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite import plan_suite
from repo_guardian.tools.execution.suite_model import Selection, SuitePlan
from repo_guardian.tools.views.symbol_graph.interface import Graph


@dataclass(frozen=True)
class Tree:
    """One side: where it lies on the host, its linked graph, and how its files are read."""

    checkout: Checkout
    graph: Graph
    read: Read


@dataclass(frozen=True, slots=True)
class BehaviourRun:
    """A report, the functions that changed, and the seconds of the clock that each phase took."""

    report: BehaviourReport
    targets: tuple[Target, ...]
    phases_s: dict[str, float] = field(default_factory=dict)


async def behavioural_drift(
    bench: Bench,
    base: Tree,
    current: Tree,
    *,
    limits: BehaviourLimits | None = None,
    narrate: Callable[[str], None] = lambda _: None,
) -> BehaviourRun:
    """Compare what the changed functions do at ``base`` and at ``current``.

    Args:
        bench: with whatever builds both checkouts need.
        limits: the bounds; the usual ones when None.
        narrate: is told of each step.

    Raises:
        SandboxError: a sandbox could not be opened or written.
    """
    bounds = limits or BehaviourLimits()
    clock = _Clock()
    targets = tuple(changed_functions(base.graph, current.graph, base.read, current.read))
    watched = targets[: bounds.targets]
    clock.lap("select")
    if not watched:
        return BehaviourRun(BehaviourReport(), targets, clock.laps)
    tests = tests_reaching(base.graph, [target.symbol for target in watched])
    plan = plan_suite(base.checkout.path, bench.site_packages, Selection(arguments=tests.arguments))
    recording = Recording({}, {}, "", 0.0)
    if tests.files or tests.everything:
        narrate(f"recording what tests pass to {len(watched)} changed functions")
        plan, recording = await _recorded(bench, base.checkout, tests, watched, bounds)
        clock.lap("record")
    recording = await generate(bench, base.checkout, plan, watched, recording=recording, limits=bounds)
    clock.lap("generate")
    if not recording.inputs:
        return BehaviourRun(compare(watched, recording, Replay(), Replay()), targets, clock.laps)
    narrate("replaying on both commits")
    old = await replay(bench, base.checkout, plan, watched, recording=recording, limits=bounds)
    clock.lap("replay the base")
    now = plan_suite(current.checkout.path, bench.site_packages)
    new = await replay(bench, current.checkout, now, watched, recording=recording, limits=bounds)
    clock.lap("replay the current commit")
    report = compare(watched, recording, old, new)
    clock.lap("compare")
    return BehaviourRun(report, targets, clock.laps)


async def _recorded(
    bench: Bench, base: Checkout, tests: TestSelection, watched: Sequence[Target], bounds: BehaviourLimits
) -> tuple[SuitePlan, Recording]:
    """What tests pass: those that reach, then their files, then the suite as it is, where pytest refuses."""
    plan = plan_suite(base.path, bench.site_packages, Selection(arguments=tests.arguments))
    recording = await record(bench, base, plan, watched, bounds)
    if not recording.inputs and tests.arguments != tests.files:
        # pytest runs nothing at all when it does not know one of the ids that it is asked for.
        plan = replace(plan, selection=Selection(arguments=tests.files))
        recording = await record(bench, base, plan, watched, bounds)
    if recording.problem and plan.selection.arguments:
        # nor when a folder that the suite itself leaves out cannot be imported
        plan = plan_suite(base.path, bench.site_packages)
        recording = await record(bench, base, plan, watched, bounds)
    return plan, recording


class _Clock:
    """Seconds between one lap and the next."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = now - self._last
        self._last = now
