"""A pytest plugin that records the arguments which the suite passes to some functions.

``GUARDIAN_RECORD`` names a JSON file: ``{"targets": [[file, first line, key], ...], "inputs": int,
"input_bytes": int, "total_bytes": int, "seconds": float, "root": path, "out": path}``. A function is told by
its file and first line: most are armed (``arming``), and what pytest itself has loaded before is watched
by the profiler. Arguments are pickled at the moment of the call, before the function can change them. When
enough is kept of each function, or the time is up, no further test begins. What is written at the end:
``{"recorded": {key: [base64 pickle, ...]}, "skipped": {key: {reason: count}}, "path": [folder, ...]}``,
the last being where the suite imports from within ``root``.
"""

from __future__ import annotations

import base64
import dis
import json
import os
import sys
import threading
import time
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from .arming import Arming
from .inputs import Bare, dumps

_VARARGS, _VARKEYWORDS = 0x04, 0x08
_ALL_UP_TO = 200
_PATIENCE, _GRACE_S = 1.5, 15.0
"""A test that runs so much longer than the time is stuck: as many times as long, and so many seconds more."""


class Recorder:
    """Watches calls while tests run."""

    def __init__(self, task: dict[str, Any]) -> None:
        self._keys: dict[tuple[str, int], str] = {(file, line): key for file, line, key in task["targets"]}
        self._names = {Path(file).name for file, _ in self._keys}
        self._watched = set(self._keys.values())
        self._seconds: float = task["seconds"]
        self._until = time.monotonic() + self._seconds
        self._arming = Arming(self._keys, self.called)
        self._inputs: int = task["inputs"]
        self._input_bytes: int = task["input_bytes"]
        self._left: int = task["total_bytes"]
        self._out: str = task["out"]
        self._root: str = task["root"]
        self._codes: dict[CodeType, str] = {}
        self._starts: dict[CodeType, int] = {}
        self._recorded: dict[str, list[bytes]] = {}
        self._seen: set[tuple[str, bytes]] = set()
        self._calls: dict[str, int] = {}
        self._skipped: dict[str, dict[str, int]] = {}
        self._busy = threading.local()
        self._pid = os.getpid()

    def key_of(self, code: CodeType) -> str:
        """The target that a code object is; empty for any other."""
        known = self._codes.get(code)
        if known is None:
            key = ""
            if code.co_filename.rpartition("/")[2] in self._names:
                key = self._keys.get((str(Path(code.co_filename).absolute()), code.co_firstlineno), "")
            known = self._codes[code] = key
            if key:
                self._starts[code] = _start(code)
        return known

    def on_profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        """The hook of ``sys.setprofile``."""
        if event == "call":
            key = self.key_of(frame.f_code)
            if key and frame.f_lasti <= self._starts[frame.f_code]:  # else a generator goes on
                self.record(key, frame)

    def record(self, key: str, frame: FrameType) -> None:
        """Keep the arguments of one call, unless there are enough, or they cannot be kept."""
        if getattr(self._busy, "now", False) or os.getpid() != self._pid:
            return
        kept = self._recorded.setdefault(key, [])
        if self._is_full(key) or not self._is_due(key):
            return
        self._busy.now = True
        try:
            data = dumps(_arguments(frame), self._input_bytes)
        except BaseException as error:  # whatever the pickling of a stranger's object may raise
            self._skip(key, f"cannot be pickled: {type(error).__name__}: {str(error)[:80]}")
        else:
            if data is None:
                self._skip(key, "too large")
            elif (key, data) not in self._seen and len(data) <= self._left:
                self._seen.add((key, data))
                self._left -= len(data)
                kept.append(data)
        finally:
            self._busy.now = False

    def _is_full(self, key: str) -> bool:
        return len(self._recorded.get(key, ())) >= self._inputs

    def _is_due(self, key: str) -> bool:
        """Whether to look at this call: each of the first few hundred, then ever fewer of more."""
        count = self._calls[key] = self._calls.get(key, 0) + 1
        return count < _ALL_UP_TO or not count % (1 << (count.bit_length() - 7))

    def _skip(self, key: str, reason: str) -> None:
        reasons = self._skipped.setdefault(key, {})
        reasons[reason] = reasons.get(reason, 0) + 1

    def start(self) -> None:
        """Begin to watch, with the cheapest means that this Python has."""
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None:
            threading.setprofile(self.on_profile)
            sys.setprofile(self.on_profile)
            return
        monitoring.use_tool_id(monitoring.PROFILER_ID, "guardian")

        def on_start(code: CodeType, _offset: int) -> Any:
            key = self.key_of(code)
            if not key:
                return monitoring.DISABLE
            frame = sys._getframe(1)
            if frame.f_code is code:
                self.record(key, frame)
            return monitoring.DISABLE if self._is_full(key) else None

        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.PY_START, on_start)
        monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.PY_START)

    def called(self, key: str) -> None:
        """An armed function has begun; its frame is the caller's."""
        self.record(key, sys._getframe(1))

    def pytest_collection_finish(self) -> None:
        """Watch what could not be armed: modules that pytest itself uses, or that a plugin loads."""
        files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        loaded = {str(Path(file).absolute()) for file in files if isinstance(file, str)}
        unarmed = self._arming.unarmed(loaded)
        self._keys = {place: key for place, key in self._keys.items() if place[0] in unarmed}
        self._names = {Path(file).name for file, _ in self._keys}
        if self._keys:
            self.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Begin no further test when there is nothing left to learn."""
        yield
        if time.monotonic() > self._until or all(map(self._is_full, self._watched)):
            item.session.shouldstop = "enough is recorded"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Any:
        """Take the hook back from a test that set one of its own."""
        if self._keys and not hasattr(sys, "monitoring"):
            sys.setprofile(self.on_profile)
        yield

    def pytest_sessionstart(self) -> None:
        """End the run by force, with what was kept, when a test is stuck long after the time is up."""
        self._stuck = threading.Timer(_PATIENCE * self._seconds + _GRACE_S, self._give_up)
        self._stuck.daemon = True
        self._stuck.start()

    def _give_up(self) -> None:
        self._write()
        os._exit(4)

    def pytest_sessionfinish(self) -> None:
        """Write what was kept."""
        if os.getpid() != self._pid:
            return
        self._stuck.cancel()
        self._write()

    def _write(self) -> None:
        self._busy.now = True
        recorded = {
            key: [base64.b64encode(data).decode("ascii") for data in inputs]
            for key, inputs in sorted(list(self._recorded.items()))
            if inputs
        }
        path = [entry for entry in sys.path if entry.startswith(self._root)]
        Path(self._out).write_text(json.dumps({"recorded": recorded, "skipped": self._skipped, "path": path}))


def _start(code: CodeType) -> int:
    """``f_lasti`` of a frame that begins: before all instructions, from Python 3.11 at its first RESUME."""
    offsets = (step.offset for step in dis.get_instructions(code) if step.opname == "RESUME")
    return next(offsets, -1)


def _arguments(frame: FrameType) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a frame that has just begun, as they bind again: by position, then by keyword."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames
    positional, keywords = code.co_argcount, code.co_kwonlyargcount
    args = [values[name] for name in names[:positional]]
    if code.co_name == "__init__" and args and not getattr(args[0], "__dict__", None):
        args[0] = Bare(type(args[0]))
    kwargs = {name: values[name] for name in names[positional : positional + keywords]}
    place = positional + keywords
    if code.co_flags & _VARARGS:
        args.extend(values[names[place]])
        place += 1
    if code.co_flags & _VARKEYWORDS:
        kwargs.update(values[names[place]])
    return args, kwargs


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Register the recorder when a task is given, before anything of the suite is imported."""
    path = os.environ.pop("GUARDIAN_RECORD", None)
    if path is not None:
        task = json.loads(Path(path).read_text())
        early_config.pluginmanager.register(Recorder(task), "guardian-recorder")
