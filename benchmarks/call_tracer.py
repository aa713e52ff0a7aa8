"""A pytest plugin that notes who calls whom in one package, and which of its lines ran.

Loaded inside the sandbox, first of all (``-p call_tracer``), by the interpreter that runs the suite; needs
Python 3.11 and nothing but the standard library. ``CALL_TRACER_ROOTS`` names the package's folders, separated
by colons, ``CALL_TRACER_OUT`` the file that is written at the end. ``call_graph_runtime.py`` reads it.

``sys.setprofile`` sees each entry into a Python function, with the frame below it as the caller: so a
callback from C code (``sorted(key=f)``) has the Python function that called into C as its caller. A generator
is entered by what resumes it. ``sys.settrace`` is used for lines.
"""

from __future__ import annotations

import atexit
import dis
import json
import os
import sys
import threading
from itertools import islice
from types import CodeType, FrameType
from typing import Any

ROOTS = tuple(f"{root}/" for root in os.environ.get("CALL_TRACER_ROOTS", "").split(":") if root)

_Call = tuple[int, int, int, bool]
"""Caller and callee by number, offset of the instruction in the caller, whether C code was in between."""


class Recorder:
    """What was seen so far; ``start`` begins with it in all threads."""

    def __init__(self) -> None:
        self._codes: list[CodeType] = []
        self._numbers: dict[int, int] = {}
        self._calls: dict[_Call, int] = {}
        self._lines: set[tuple[int, int]] = set()
        self._in_c: set[int] = set()

    def start(self) -> None:
        """Record from now on."""
        threading.setprofile(self._profile)
        threading.settrace(self._trace)
        sys.setprofile(self._profile)
        sys.settrace(self._trace)

    def stop(self) -> None:
        """Record no more in this thread."""
        sys.setprofile(None)
        sys.settrace(None)

    def _number(self, code: CodeType) -> int:
        """The number of a code object of the package; -1 for any other. The list keeps the ids valid."""
        number = self._numbers.get(id(code))
        if number is None:
            number = self._numbers[id(code)] = len(self._codes)
            self._codes.append(code)
            if not code.co_filename.startswith(ROOTS):
                number = self._numbers[id(code)] = -1
        return number

    def _profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            callee, below = self._number(frame.f_code), frame.f_back
            if callee < 0 or below is None:
                return
            caller = self._number(below.f_code)
            if caller >= 0:
                key = (caller, callee, below.f_lasti, id(below) in self._in_c)
                self._calls[key] = self._calls.get(key, 0) + 1
        elif event == "c_call":
            if self._number(frame.f_code) >= 0:
                self._in_c.add(id(frame))
        elif event in ("c_return", "c_exception"):
            self._in_c.discard(id(frame))

    def _trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        number = self._number(frame.f_code)
        if number < 0:
            return None
        if event == "line":
            self._lines.add((number, frame.f_lineno))
        return self._trace

    def write(self, path: str) -> None:
        """Write everything as one JSON object; calls with the source position of their instruction."""
        self.stop()
        data = {
            "codes": [
                [code.co_filename, code.co_qualname, code.co_firstlineno, code.co_flags]
                for code in self._codes
            ],
            "calls": [
                [
                    caller,
                    callee,
                    dis.opname[self._codes[caller].co_code[at]],
                    _position(self._codes[caller], at),
                    in_c,
                    count,
                ]
                for (caller, callee, at, in_c), count in self._calls.items()
            ],
            "lines": sorted(self._lines),
        }
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123  nothing of pathlib while tracing
            json.dump(data, file)


def _position(code: CodeType, offset: int) -> tuple[int | None, int | None, int | None, int | None]:
    """First and last line, first and last column (bytes) of what an instruction was compiled from."""
    return next(islice(code.co_positions(), offset // 2, None))


if ROOTS:
    _recorder = Recorder()
    atexit.register(_recorder.write, os.environ["CALL_TRACER_OUT"])
    _recorder.start()
