"""One open cycle: its lock, trees, views, signals, claims and probes, from begin to persist or discard."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime

from repo_guardian.errors import AdmissionError
from repo_guardian.memory_store.interface import MemoryStore
from repo_guardian.server.contract.cycles import CycleInfo
from repo_guardian.server.ledger.ledger import ProbeLedger
from repo_guardian.server.session.checkouts import Checkouts
from repo_guardian.server.session.hypotheses import HypothesisBook
from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.probing import Prober
from repo_guardian.server.session.state_dir import StateDir
from repo_guardian.server.session.trees import Tree
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.capability import Capability
from repo_guardian.tools.execution.override import Override
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.signals.interface import Signal
from repo_guardian.tools.views.interface import ViewHandle
from repo_guardian.vocabulary import Side


@dataclass
class CycleSession:
    """What the steps of a cycle leave for one another; each field is set once, by the step named.

    ``held`` releases the lock and removes the checkouts when it is closed. ``began``: info, state, mirror,
    memory, trees, checkouts, override. ``refreshed``: sides and views. ``observed``: signals, prober.
    ``bench`` is set when something is first run, ``suite_bench`` when the repository's own tests are, and
    ``executed`` by the signals that come of running both commits; ``signals`` are then ranked anew. ``known``
    holds every signal by key, for the prober; ``intents`` what speaks for it being meant
    (``ranking.spoken_for``), by the same key.
    """

    info: CycleInfo
    state: StateDir
    mirror: Mirror
    memory: MemoryStore
    base: Tree
    current: Tree
    capability: Capability
    held: ExitStack
    checkouts: Checkouts
    hypotheses: HypothesisBook
    override: Override
    ledger: ProbeLedger = field(default_factory=ProbeLedger)
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    sides: Sides | None = None
    views: tuple[ViewHandle, ViewHandle] | None = None
    signals: tuple[Signal, ...] | None = None
    prober: Prober | None = None
    bench: Bench | None = None
    suite_bench: Bench | None = None
    executed: tuple[Signal, ...] | None = None
    known: dict[str, Signal] = field(default_factory=dict)
    intents: dict[str, str] = field(default_factory=dict)

    @property
    def before_cycle(self) -> int | None:
        """What the memory is asked for: what lies before this cycle; all for a check, which has no number."""
        return self.info.number or None

    def discard(self, reason: str) -> None:
        """Mark the cycle as given up; there is nothing to mark of a check. Blocking."""
        if self.before_cycle is not None:
            self.memory.discard(self.before_cycle, reason)

    def need_sides(self) -> Sides:
        """The linked trees.

        Raises:
            AdmissionError: the views were not refreshed yet.
        """
        if self.sides is None:
            raise AdmissionError("the views are not loaded yet", hint="call cycle_refresh first")
        return self.sides

    def need_prober(self) -> Prober:
        """The probes.

        Raises:
            AdmissionError: nothing was observed yet.
        """
        if self.prober is None:
            raise AdmissionError("nothing was measured yet", hint="call signals_observe first")
        return self.prober

    def checkout(self, side: Side) -> Checkout:
        """The checkout that a side's sandbox is opened over. Blocking when it is first asked for."""
        return self.checkouts.of(self.base if side is Side.BASE else self.current)


class Sessions:
    """The open cycles of one server, by their handle."""

    def __init__(self) -> None:
        self._open: dict[str, CycleSession] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """Handles of the open cycles."""
        return tuple(self._open)

    def add(self, session: CycleSession) -> None:
        """Keep a begun cycle."""
        self._open[session.info.cycle_id] = session

    def get(self, cycle_id: str) -> CycleSession:
        """One open cycle.

        Raises:
            AdmissionError: there is none with that handle, or it has ended.
        """
        session = self._open.get(cycle_id)
        if session is None:
            raise AdmissionError(f"no cycle {cycle_id!r} is open", hint="begin one with cycle_begin")
        return session

    def remove(self, cycle_id: str) -> None:
        """Forget a cycle and release what it holds."""
        session = self._open.pop(cycle_id, None)
        if session is not None:
            session.held.close()

    def close(self) -> None:
        """Release everything: cycles that were not persisted count as discarded."""
        for cycle_id, session in list(self._open.items()):
            session.discard("the server ended before the cycle was persisted")
            self.remove(cycle_id)
