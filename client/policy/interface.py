"""The policy contract: everything that decides in a cycle stands behind this one method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleInfo, ExitReason
from repo_guardian.server.contract.executed import ExecutedSignals


@dataclass(frozen=True, slots=True)
class Budget:
    """What one cycle may spend.

    Attributes:
        wall_s: seconds of wall clock after which nothing is begun any more.
        proofs: how many hypotheses it may try to prove.
        probes: how many entries of the probe ledger after which no further proof is begun.
        execute: whether both commits may be run to measure what they do, before anything is proven.
    """

    wall_s: float = 600.0
    proofs: int = 5
    probes: int = 100
    execute: bool = True


@dataclass(frozen=True, slots=True)
class BacklogItem:
    """A signal that was seen and not acted upon, and why."""

    line: str
    reason: str
    signal_key: str


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """One row of an earlier cycle that a decision rested on."""

    cycle: int
    key: str
    text: str
    effect: str


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """How a policy ended its cycle.

    ``backlog`` lists what was read and left alone, ``backlog_total`` counts what was left alone in all.
    ``past_cycles`` says how many earlier cycles were there to be read; ``signals_seen`` counts signals.
    ``executed`` says what measuring by running gave; None when nothing was run for that.
    """

    exit_reason: ExitReason
    backlog: tuple[BacklogItem, ...]
    backlog_total: int
    memory_used: tuple[MemoryUse, ...]
    past_cycles: int
    signals_seen: int
    degraded: bool = False
    executed: ExecutedSignals | None = None


class Policy(Protocol):
    """One way of deciding."""

    name: str
    model: str | None

    async def run(
        self, toolbox: Toolbox, cycle: CycleInfo, budget: Budget, clock: Callable[[], float]
    ) -> PolicyOutcome:
        """Decide until there is nothing left to do or the budget ends.

        Args:
            toolbox: the only way to see or do anything.
            cycle: the opened and refreshed cycle.
            budget: what may be spent.
            clock: seconds since the cycle began.

        Raises:
            GuardianError: the server failed in a way that no decision can mend.
        """
        ...
