"""Calls one function with recorded and mutated arguments and says what came of each call.

A process of its own: ``driver`` starts it, writes one JSON task to its standard input and reads JSON lines
from the descriptor that the task names. What the function prints goes nowhere.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import inspect
import json
import os
import pickle
import random
import signal
import sys
import warnings
from typing import Any, Callable, Sequence, TextIO

from .describe import blank, describe, name_of
from .mutate import Call, Mutation, mutations

_EFFECTS = (
    "open", "os.", "shutil.", "socket.", "subprocess.", "tempfile.", "sqlite3.connect", "urllib.", "ftplib.",
    "smtplib.", "pty.", "signal.", "ctypes.", "webbrowser.", "time.sleep", "glob.",
)  # fmt: skip
"""Audit events (PEP 578) of what reaches outside of the function."""
_HARMLESS = frozenset(("os.scandir", "os.listdir", "os.fspath"))


class _OvertimeError(BaseException):
    """Not an ``Exception``: what the function catches must not stop it."""


class _Watch:
    """Notes audit events while a call runs."""

    def __init__(self) -> None:
        self.effects: list[str] | None = None
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        effects = self.effects
        if effects is None or not event.startswith(_EFFECTS) or event in _HARMLESS:
            return
        if event == "open" and str(args[0]).endswith((".py", ".pyc", ".so")):
            return  # an import that the function makes
        if event not in effects and len(effects) < 5:
            effects.append(event)


def find(module: str, qualname: str) -> tuple[Callable[..., Any], bool]:
    """The function whose own code ``qualname`` names, below decorators, and whether its first argument binds.

    Raises:
        LookupError: there is none in this version.
    """
    owner: Any = importlib.import_module(module)
    *parents, name = qualname.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    found = inspect.getattr_static(owner, name)
    bound = bool(parents) and not isinstance(found, staticmethod)
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    if isinstance(found, property):
        found = found.fget
    found = getattr(found, "func", found) if type(found).__name__ == "cached_property" else found
    found = inspect.unwrap(found)
    if not inspect.isfunction(found) or found.__code__.co_name != name:
        raise LookupError(qualname + " is no plain function here")
    return found, bound


def outcome_of(function: Callable[..., Any], call: Call, call_s: float, watch: _Watch) -> dict[str, Any]:
    """What one call does: value or exception, warnings, changed arguments, and reaches outside."""
    before = describe((call.args, call.kwargs))
    result: dict[str, Any] = {}
    random.seed(0)
    loop = asyncio.new_event_loop() if inspect.iscoroutinefunction(function) else None  # opens a socket pair
    effects: list[str] = []
    watch.effects = effects
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        signal.setitimer(signal.ITIMER_REAL, call_s)
        try:
            value = function(*call.args, **call.kwargs)
            if loop is not None:
                value = loop.run_until_complete(value)
            result["value"] = describe(value)
        except _OvertimeError:
            result["overtime"] = True
        except BaseException as error:
            result["exception"] = [name_of(type(error)), blank(str(error))[:500]]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            watch.effects = None
    after = describe((call.args, call.kwargs))
    if after != before:
        result["arguments"] = after
    if caught:
        result["warnings"] = [[name_of(w.category), blank(str(w.message))[:300]] for w in caught[:5]]
    if effects:
        result["effects"] = effects
    return result


def _unpickled(data: bytes) -> Call:
    """Arguments that no earlier call has touched."""
    return Call(*pickle.loads(data))  # noqa: S301  this runs in a sandbox, where it may do what it likes


class _Session:
    """One function and the calls to make."""

    def __init__(self, task: dict[str, Any], out: TextIO) -> None:
        self._task = task
        self._out = out
        self._watch = _Watch()

    def run(self) -> None:
        """Make all calls, in the order asked for."""
        try:
            function, bound = find(self._task["module"], self._task["qualname"])
        except BaseException as error:  # importing a stranger's module may raise anything
            self._say(missing=f"{type(error).__name__}: {str(error)[:300]}")
            return
        inputs = [(number, base64.b64decode(text)) for number, text in enumerate(self._task["inputs"])]
        for number, data in self._ordered(inputs):
            self._replay(function, bound, number, data)
        self._say(done=True)

    def _replay(self, function: Callable[..., Any], bound: bool, number: int, data: bytes) -> None:
        """All calls that one recorded input gives, each with arguments made anew from the pickle."""
        try:
            listed = mutations(_unpickled(data), bound, self._task["mutations"])
        except BaseException as error:
            self._say(input=number, mutation=-1, unusable=type(error).__name__)
            return
        for index in self._ordered(range(-1, len(listed))):
            if [number, index] in self._task["without"]:
                continue
            self._say(input=number, mutation=index, begun=True)
            mutation = listed[index] if index >= 0 else None
            self._say(input=number, mutation=index, **self._call(function, bound, data, mutation))

    def _call(
        self, function: Callable[..., Any], bound: bool, data: bytes, mutation: Mutation | None
    ) -> dict[str, Any]:
        try:
            call = _unpickled(data)
            if mutation is not None:
                call = mutation.apply(call)
            receiver = describe(call.args[0]) if bound and call.args else ""
            shown = describe((call.args[int(bound) :], call.kwargs))
        except BaseException as error:
            return {"unusable": type(error).__name__}
        outcome = outcome_of(function, call, self._task["call_s"], self._watch)
        label = mutation.label if mutation is not None else "as recorded"
        return {"label": label, "call": shown, "receiver": receiver, "outcome": outcome}

    def _ordered(self, items: Sequence[Any]) -> Sequence[Any]:
        return items[::-1] if self._task["reverse"] else items

    def _say(self, **fields: Any) -> None:
        self._out.write(json.dumps(fields) + "\n")
        self._out.flush()


def main() -> None:
    """Run the task from standard input."""
    task = json.load(sys.stdin)
    out = os.fdopen(task["fd"], "w")
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(devnull, descriptor)

    def overtime(_number: int, _frame: Any) -> None:
        raise _OvertimeError

    signal.signal(signal.SIGALRM, overtime)
    _Session(task, out).run()
    os._exit(0)  # no exit handler of the repository's is worth waiting for


if __name__ == "__main__":
    main()
