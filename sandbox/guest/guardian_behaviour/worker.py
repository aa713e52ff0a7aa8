"""Calls functions with recorded and mutated arguments and says what came of each call.

A server process: ``driver`` starts it and writes JSON lines to its standard input, first ``{"fd", "path",
"mutations", "call_s"}``, then one order for each function and direction. The function's module is imported
here, once; each order is then carried out in a fork, so that every one begins with what the import left and
nothing else. Records are JSON lines on the descriptor ``fd``. What a function prints goes nowhere.
"""

from __future__ import annotations

import base64
import importlib
import inspect
import json
import os
import sys
import time
from typing import Any, Callable, Iterator, Sequence, TextIO

from .calling import Caller, find, way
from .describe import describe_whole, literal
from .inputs import Input
from .mutate import Call, mutations

_BALLAST = 300
"""Objects of each size."""


_WRITING_CALLS = 4
"""How many times the limit of one call writing the calls of one function as source may take."""
_BLOCK = 40
_OVERTIMES = 3
"""Calls that do not return in time after which no mutated ones are made; after twice as many none at all."""


class _Session:
    """One function and the calls to make, in a process of its own."""

    def __init__(self, task: dict[str, Any], out: TextIO) -> None:
        self._task = task
        self._out = out
        self._overtimes = 0
        self._caller = Caller(task["call_s"])

    def run(self) -> None:
        """Make all calls, in the order asked for.

        A fork finds memory as the other one did, and would give objects the same addresses. The ballast
        moves them, so that what hangs on an address shows as two outcomes.
        """
        ballast = [_weights() for _ in range(_BALLAST if self._task["reverse"] else 0)]
        try:
            function, bound = find(self._task["module"], self._task["qualname"])
        except BaseException as error:  # a stranger's module may raise anything
            self._say(missing=f"{type(error).__name__}: {str(error)[:300]}")
            return
        inputs = [(number, base64.b64decode(text)) for number, text in enumerate(self._task["inputs"])]
        for number, index, data, mutation in self._planned(inputs, bound):
            if self._overtimes >= 2 * _OVERTIMES:
                break
            late = index >= 0 and self._overtimes >= _OVERTIMES
            if late or [number, index] in self._task["without"]:
                continue
            self._say(input=number, mutation=index, begun=True)
            self._say(input=number, mutation=index, **self._call(function, bound, data, mutation))
        if not self._task["reverse"]:
            self._write(function, bound, inputs)
        self._say(done=True)
        del ballast

    def _planned(
        self, inputs: Sequence[tuple[int, bytes]], bound: bool
    ) -> Iterator[tuple[int, int, bytes, Any]]:
        """All calls: the recorded ones, then mutated ones in blocks, each block in the order asked for.

        So both orders have made the same calls when the time is up, but for a block.
        """
        listed: dict[int, list[Any]] = {}
        for number, data in inputs:
            try:
                listed[number] = mutations(Input(data).call, bound, self._task["mutations"])
            except BaseException as error:
                self._say(input=number, mutation=-1, unusable=f"{type(error).__name__}: {str(error)[:200]}")
        usable = [(number, data) for number, data in inputs if number in listed]
        longest = max(map(len, listed.values()), default=0)
        mutated = [
            (number, index, data, listed[number][index])
            for index in range(longest)
            for number, data in usable
            if index < len(listed[number])
        ]
        blocks = [mutated[start : start + _BLOCK] for start in range(0, len(mutated), _BLOCK)]
        for block in ([(number, -1, data, None) for number, data in usable], *blocks):
            yield from self._ordered(block)

    def _call(self, function: Callable[..., Any], bound: bool, data: bytes, mutation: Any) -> dict[str, Any]:
        """One call; what is shown of its arguments is a second copy, since showing uses iterators up."""
        try:
            told = {} if self._task["reverse"] else _shown(_mutated(Input(data).call, mutation), bound)
            made = Input(data)
            call = _mutated(made.call, mutation)
        except BaseException as error:
            return {"unusable": f"{type(error).__name__}: {str(error)[:200]}"}
        outcome = self._caller.outcome(function, made, call)
        self._overtimes += "overtime" in outcome
        label = mutation.label if mutation is not None else "as recorded"
        return {"label": label, **told, "outcome": outcome}

    def _listed(self, data: bytes, bound: bool) -> list[Any]:
        """The mutations of one recorded call; none where it cannot be read back."""
        try:
            return mutations(Input(data).call, bound, self._task["mutations"])
        except BaseException:  # a stranger's objects
            return []

    def _write(self, function: Callable[..., Any], bound: bool, inputs: Sequence[tuple[int, bytes]]) -> None:
        """Say how each call is written as source, recorded ones first, while there is time.

        It runs constructors, and so comes after every call.
        """
        until = time.monotonic() + _WRITING_CALLS * self._task["call_s"]
        made = way(self._task["module"], self._task["qualname"])
        awaited = inspect.iscoroutinefunction(function)
        known = [(number, data, self._listed(data, bound)) for number, data in inputs]
        longest = max((len(mutants) for *_, mutants in known), default=0)
        for index in range(-1, longest):
            for number, data, mutants in known:
                if time.monotonic() > until:
                    return
                if index >= len(mutants):
                    continue
                source = self._source(data, mutants[index] if index >= 0 else None, bound, made)
                if source is not None:
                    said = {**source, "way": made, "awaited": awaited}
                    self._say(input=number, mutation=index, source=said)

    def _source(self, data: bytes, mutation: Any, bound: bool, made: str) -> dict[str, Any] | None:
        package = self._task["module"].partition(".")[0]
        try:
            return self._caller.source(_mutated(Input(data).call, mutation), bound, made, package)
        except BaseException:  # reading back is a stranger's code
            return None

    def _ordered(self, items: Sequence[Any]) -> Sequence[Any]:
        return items[::-1] if self._task["reverse"] else items

    def _say(self, **fields: Any) -> None:
        _say(self._out, **fields)


def _weights() -> list[Any]:
    """One object of each size that the small-object allocator tells apart (16 bytes to 512)."""
    return [object(), float(os.getpid()), *(bytes(size) for size in range(1, 480, 16))]


def _shown(call: Call, bound: bool) -> dict[str, str]:
    """A call as text, and as a literal where it has one."""
    return {
        "receiver": describe_whole(call.args[0]).text if bound and call.args else "",
        "call": describe_whole((call.args[int(bound) :], call.kwargs)).text,
        "literal": _literal(call, bound),
    }


def _literal(call: Call, bound: bool) -> str:
    """The arguments as source; empty where the receiver is an object that would have to be made."""
    if bound and not (call.args and isinstance(call.args[0], type)):
        return ""
    return literal((call.args[int(bound) :], call.kwargs))


def _mutated(call: Call, mutation: Any) -> Call:
    return call if mutation is None else mutation.apply(call)


def _say(out: TextIO, **fields: Any) -> None:
    out.write(json.dumps(fields) + "\n")
    out.flush()


def _serve(task: dict[str, Any], out: TextIO) -> None:
    """Import the module here, carry the order out in a fork, and tell when that is gone."""
    try:
        importlib.import_module(task["module"])
    except BaseException as error:  # importing a stranger's module may raise anything
        _say(out, missing=f"{type(error).__name__}: {str(error)[:300]}")
        return
    pid = os.fork()
    if not pid:
        os.setsid()
        _say(out, pid=os.getpid())
        _Session(task, out).run()
        os._exit(0)  # no exit handler of the repository's is worth waiting for
    os.waitpid(pid, 0)
    _say(out, gone=pid)


def main() -> None:
    """Carry out orders from standard input until it ends."""
    orders = os.fdopen(os.dup(0))
    settings = json.loads(orders.readline())
    out = os.fdopen(settings["fd"], "w")
    sys.path.extend(settings["path"])
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(devnull, descriptor)
    for line in orders:
        _serve({**settings, **json.loads(line)}, out)


if __name__ == "__main__":
    main()
