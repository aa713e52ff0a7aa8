"""Measuring by running both sides, and the policy that does nothing else."""

from __future__ import annotations

from collections.abc import Callable

from repo_guardian.client.policy.interface import Budget, PolicyOutcome
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.errors import SandboxError
from repo_guardian.server.contract.cycles import CycleInfo, ExitReason
from repo_guardian.server.contract.executed import ExecutedSignals


class MeasuringPolicy:
    """Measures by running both sides and claims nothing: ``guardian check --no-investigate``."""

    name = "measures"
    model: str | None = None

    async def run(
        self, toolbox: Toolbox, cycle: CycleInfo, budget: Budget, clock: Callable[[], float]
    ) -> PolicyOutcome:
        """Measure; see ``Policy.run``. A sandbox that fails is told, and the graphs' part stays.

        Raises:
            GuardianError: the server failed otherwise.
        """
        executed = await measured(toolbox, cycle) if cycle.can_execute and budget.execute else None
        page = await toolbox.signals(cycle, limit=1)
        return PolicyOutcome(
            exit_reason=ExitReason.SUBMITTED if cycle.can_execute else ExitReason.NO_EXECUTION,
            backlog=(),
            backlog_total=0,
            memory_used=(),
            past_cycles=0,
            signals_seen=page.total,
            executed=executed,
        )


async def measured(toolbox: Toolbox, cycle: CycleInfo, wall_s: float | None = None) -> ExecutedSignals:
    """What running both sides showed; a sandbox that fails is told as a problem, and costs no cycle.

    Args:
        wall_s: seconds for running; no bound when None.

    Raises:
        GuardianError: the server failed otherwise.
    """
    try:
        return await toolbox.execute_signals(cycle, wall_s=wall_s)
    except SandboxError as error:
        return ExecutedSignals(problems=(str(error),))
