"""The records of behavioural drift: what is replayed, within which bounds, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from repo_guardian.sandbox.interface import Limits

MIB = 1024**2


class Target(NamedTuple):
    """One function to watch at the base and to call on both commits.

    ``path`` and ``line`` (of its first decorator, 1-based) say where it stands at the base; ``module`` and
    ``qualname`` how it is imported. ``symbol`` is its id in the graph.
    """

    symbol: str
    path: str
    line: int
    module: str
    qualname: str


COMMAND_LIMITS = Limits(
    wall_s=900.0,
    cpu_s=1800,
    memory_bytes=4096 * MIB,
    processes=256,
    file_size_bytes=256 * MIB,
    disk_bytes=1024 * MIB,
    disk_inodes=100_000,
    output_bytes=96 * MIB,
)


@dataclass(frozen=True, slots=True)
class BehaviourLimits:
    """Bounds of one comparison.

    Attributes:
        targets: functions that are watched.
        inputs: distinct calls kept of each function.
        mutations: calls made of each kept one, besides itself.
        input_bytes, total_bytes: size of one kept call, and of all.
        call_s, target_s, total_s: seconds for one call, one function in one order, and one replay.
        commands: what the instrumented run and each replay may use.
    """

    targets: int = 200
    inputs: int = 20
    mutations: int = 24
    input_bytes: int = 64 * 1024
    total_bytes: int = 8 * MIB
    call_s: float = 1.0
    target_s: float = 20.0
    total_s: float = 120.0
    commands: Limits = COMMAND_LIMITS


@dataclass(frozen=True, slots=True)
class Recording:
    """What the suite passed to the targets at the base.

    Attributes:
        inputs: symbol id to the kept calls, each a base64 pickle that nothing on the host opens.
        skipped: symbol id to how many calls could not be kept, by reason.
        problem: why nothing was recorded, one line; empty when the run went through.
        duration_s: seconds of the instrumented run.
    """

    inputs: dict[str, tuple[str, ...]]
    skipped: dict[str, dict[str, int]]
    problem: str
    duration_s: float


class Outcome(NamedTuple):
    """What one call did, as text without addresses.

    ``value`` is what it returned; ``exception`` type and message of what it raised instead. ``arguments``
    are its arguments afterwards when it changed them. ``warnings`` are category and message of each.
    """

    value: str = ""
    exception: tuple[str, str] | None = None
    arguments: str = ""
    warnings: tuple[tuple[str, str], ...] = ()
    fate: str = ""
    """``overtime`` or ``died`` when the call did not come back by itself."""

    def render(self) -> str:
        """The outcome as one line for a reader."""
        if self.fate:
            return {"overtime": "does not return in time", "died": "ends the process"}[self.fate]
        head = f"raises {self.exception[0]}: {self.exception[1]}" if self.exception else f"gives {self.value}"
        notes = [f"leaves {self.arguments}"] if self.arguments else []
        notes += [f"warns {category}: {message}" for category, message in self.warnings]
        return "; ".join([head, *notes])


@dataclass(frozen=True, slots=True)
class Divergence:
    """One function that does something else, shown by its smallest diverging call.

    Attributes:
        target: the function.
        call: its arguments, ``(positional, keywords)``, as text; ``receiver`` is ``self`` or ``cls``.
        mutation: how the call differs from a recorded one; ``as recorded`` when it does not.
        recorded: base64 pickle of the recorded call that it was made from, and ``number`` its mutation's
            index, -1 for none: what a test needs to make the same call.
        old, new: what it does at the base and now.
        diverging, compared: how many of the function's calls differ, of how many that could be compared.
        recorded_diverging: how many of the suite's own calls differ.
    """

    target: Target
    call: str
    receiver: str
    mutation: str
    recorded: str
    number: int
    old: Outcome
    new: Outcome
    diverging: int
    compared: int
    recorded_diverging: int


@dataclass(frozen=True, slots=True)
class BehaviourReport:
    """What a comparison of two commits gave.

    Attributes:
        divergences: by share of the suite's own calls, then by symbol.
        compared: functions of which at least one call was compared.
        calls: calls compared.
        unreached: functions that no test reaches, or none with arguments that can be kept.
        unstable: calls left out because repetition gave two outcomes.
        reaching_out: functions left out because a call reached outside (files, network, processes, …).
        missing: functions that cannot be found at one of the commits, with the reason.
        problem: why nothing could be compared; empty otherwise.
    """

    divergences: tuple[Divergence, ...] = ()
    compared: tuple[str, ...] = ()
    calls: int = 0
    unreached: tuple[str, ...] = ()
    unstable: int = 0
    reaching_out: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    problem: str = ""
