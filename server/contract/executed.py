"""What measuring a cycle by running both commits gave, in numbers; the signals are in the signal pages."""

from __future__ import annotations

from repo_guardian.server.contract.wire import Wire


class ExecutedSignals(Wire):
    """What ``signals_execute`` did. Signals that it added are ranked among the others by ``signals_observe``.

    Attributes:
        added: signals that running added.
        functions_changed, functions_compared, calls_compared: of behavioural drift.
        tests_compared: tests that ran on both commits; ``whole_suite`` says whether all were meant to.
        left_out: what could not be compared, counted by reason in plain words.
        problems: why nothing may be concluded from a part, one line each.
    """

    added: int
    functions_changed: int
    functions_compared: int
    calls_compared: int
    tests_compared: int
    whole_suite: bool
    left_out: dict[str, int]
    problems: tuple[str, ...] = ()
