"""The records of behavioural drift: what is replayed, within which bounds, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from repo_guardian.sandbox.interface import Limits
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS

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


@dataclass(frozen=True, slots=True)
class BehaviourLimits:
    """Bounds of one comparison.

    Attributes:
        targets: functions that are watched.
        inputs: distinct calls kept of each function.
        mutations: calls made of each kept one, besides itself.
        few: own inputs of a function below which some are made from its annotations.
        examples: inputs made so.
        generate_s: seconds for making those of one function.
        input_bytes, total_bytes: size of one kept call, and of all.
        record_s: seconds after which the instrumented run begins no further test.
        call_s, target_s: seconds for one call, and for one function in one order.
        first_s, each_s, total_s: seconds of one replay: for up to ten functions, for each further one, and
            at most.
        commands: what the instrumented run and each replay may use.
    """

    targets: int = 200
    inputs: int = 20
    mutations: int = 24
    few: int = 3
    examples: int = 40
    generate_s: float = 3.0
    input_bytes: int = 64 * 1024
    total_bytes: int = 8 * MIB
    record_s: float = 120.0
    call_s: float = 0.5
    target_s: float = 20.0
    first_s: float = 5.0
    each_s: float = 0.5
    total_s: float = 120.0
    commands: Limits = SUITE_LIMITS

    def replay_s(self, functions: int) -> float:
        """Seconds that one replay of so many functions may take."""
        return min(self.total_s, self.first_s + self.each_s * max(0, functions - 10))


@dataclass(frozen=True, slots=True)
class Recording:
    """What the suite passed to the targets at the base.

    Attributes:
        inputs: symbol id to the kept calls, each a base64 pickle that nothing on the host opens.
        skipped: symbol id to how many calls could not be kept, by reason.
        problem: why nothing was recorded, one line; empty when the run went through.
        duration_s: seconds of the instrumented run.
        path: folders of the tree, as the sandbox sees them, that the suite imports from.
        generated: symbol id to the number of its first input that was made from annotations.
    """

    inputs: dict[str, tuple[str, ...]]
    skipped: dict[str, dict[str, int]]
    problem: str
    duration_s: float
    path: tuple[str, ...] = ()
    generated: Mapping[str, int] = field(default_factory=dict)

    def is_own(self, symbol: str, number: int) -> bool:
        """Whether the suite itself made an input."""
        return number < self.generated.get(symbol, len(self.inputs.get(symbol, ())))


class Outcome(NamedTuple):
    """What one call did, as text without addresses.

    ``value`` is what it returned, and ``literal`` the same as a Python literal where it has one (``iterator``
    says that it is the list of what an iterator gave); ``exception`` type and message of what it raised
    instead. ``arguments`` are its arguments afterwards when it changed them. ``warnings`` are category and
    message of each.
    """

    value: str = ""
    exception: tuple[str, str] | None = None
    arguments: str = ""
    warnings: tuple[tuple[str, str], ...] = ()
    fate: str = ""
    """``overtime`` or ``died`` when the call did not come back by itself."""
    literal: str = ""
    iterator: bool = False

    def render(self) -> str:
        """The outcome as one line for a reader."""
        if self.fate:
            return {"overtime": "does not return in time", "died": "ends the process"}[self.fate]
        head = f"raises {self.exception[0]}: {self.exception[1]}" if self.exception else f"gives {self.value}"
        notes = [f"leaves {self.arguments}"] if self.arguments else []
        notes += [f"warns {category}: {message}" for category, message in self.warnings]
        return "; ".join([head, *notes])


class CallSource(NamedTuple):
    """A call as source text, as the repository's code in the sandbox wrote it: nothing that the host may run.

    ``way`` is ``call``, ``get`` for a property and ``make`` for a constructor; ``receiver`` is the expression
    of ``self``, ``cls`` or the class that is made, empty for a function; ``keywords`` are names and
    expressions.
    """

    imports: tuple[str, ...]
    receiver: str
    positional: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()
    way: str = "call"
    awaited: bool = False


class Check(NamedTuple):
    """An expression that tells two outcomes apart.

    ``template`` has ``{}`` for the value, which is ``result``, or an argument by its position, the receiver
    first where there is one, as it is after the call. ``old`` is the literal that it gives at the base.
    """

    where: str
    template: str
    old: str


class Witness(NamedTuple):
    """A diverging call that may be written as a test; for its fields see ``Divergence`` and ``Check``."""

    arguments: str
    source: CallSource | None
    old: Outcome
    new: Outcome
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Divergence:
    """One function that does something else, shown by its smallest diverging call.

    Attributes:
        target: the function.
        call: its arguments, ``(positional, keywords)``, as text; ``receiver`` is ``self`` or ``cls``.
        arguments: the same pair as a Python literal; empty when it has none, or a receiver is needed.
        mutation: how the call differs from a recorded one; ``as recorded`` when it does not. Inputs that no
            test makes say ``generated``.
        recorded: base64 pickle of the recorded call that it was made from, and ``number`` its mutation's
            index, -1 for none: what a test needs to make the same call.
        old, new: what it does at the base and now.
        diverging, compared: how many of the function's calls differ, of how many that could be compared.
        recorded_diverging, recorded_compared: the same of the suite's own calls.
        witnesses: calls that may be written as a test, the smallest first; its own among them if it can be.
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
    recorded_compared: int = 0
    arguments: str = ""
    witnesses: tuple[Witness, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Calls and functions that could not be compared, counted.

    Attributes:
        unstable: calls to which repetition gave two outcomes.
        effects: calls that reached beyond their arguments, by what they reached: an audit event (PEP 578),
            ``clock``, ``chance`` or ``globals``.
        misfits: calls with recorded objects that the other commit's code sets up with further attributes.
        reshaped: calls whose outcome shows private state that the two commits lay out differently.
        unusable: recorded calls that cannot be read back at one of the commits.
        late: functions whose calls could not all be made in time.
    """

    unstable: int = 0
    effects: tuple[tuple[str, int], ...] = ()
    misfits: int = 0
    reshaped: int = 0
    unusable: int = 0
    late: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BehaviourReport:
    """What a comparison of two commits gave.

    Attributes:
        divergences: by share of the suite's own calls, then by symbol.
        compared: functions of which at least one call was compared.
        calls: calls compared.
        unreached: functions that no test reaches, or none with arguments that can be kept.
        left_out: what else was not compared.
        reaching_out: functions none of whose calls stays within its arguments (files, network, processes,
            the clock, chance, globals).
        missing: functions that cannot be found at one of the commits, with the reason.
        skipped: calls that the instrumented run could not keep, by reason.
        problem: why nothing could be compared; empty otherwise.
    """

    divergences: tuple[Divergence, ...] = ()
    compared: tuple[str, ...] = ()
    calls: int = 0
    unreached: tuple[str, ...] = ()
    left_out: LeftOut = LeftOut()
    reaching_out: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    problem: str = ""

    @property
    def unstable(self) -> int:
        """Calls left out because repetition gave two outcomes."""
        return self.left_out.unstable
