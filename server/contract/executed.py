"""What measuring a cycle by running both commits gave, in numbers; the signals are in the signal pages."""

from __future__ import annotations

from pydantic import Field

from repo_guardian.server.contract.wire import Wire


class ExecutedSignals(Wire):
    """What ``signals_execute`` did. Signals that it added are ranked among the others by ``signals_observe``.

    Where nothing could be measured, all is 0 and ``problems`` says why.

    Attributes:
        added: signals that running added.
        functions_changed, functions_compared, calls_compared: of behavioural drift.
        tests_compared: tests that ran on both commits; ``whole_suite`` says whether all were meant to.
        left_out: what could not be compared, counted by reason in plain words.
        problems: why nothing may be concluded from a part, one line each.
    """

    added: int = 0
    functions_changed: int = 0
    functions_compared: int = 0
    calls_compared: int = 0
    tests_compared: int = 0
    whole_suite: bool = False
    left_out: dict[str, int] = Field(default_factory=dict)
    problems: tuple[str, ...] = ()
