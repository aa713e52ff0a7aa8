"""What a call reaches besides its arguments: files and network, the clock, chance, the package's globals.

Nothing is patched. Reaches outside are audit events (PEP 578), reads of the clock and of chance are calls of
builtins that the profiler sees, and changed globals are told by a shallow fingerprint of the package's
modules. Event loops, locks and log records read the clock without an effect on what is computed: reads from
inside those modules do not count.
"""

from __future__ import annotations

import contextlib
import datetime
import random
import sys
from types import FrameType
from typing import Any, Iterator

_EVENTS = (
    "open", "os.", "shutil.", "socket.", "subprocess.", "tempfile.", "sqlite3.connect", "urllib.", "ftplib.",
    "smtplib.", "pty.", "signal.", "ctypes.", "webbrowser.", "time.sleep", "glob.",
)  # fmt: skip
"""Audit events of what reaches outside of the function, by their beginnings."""
_HARMLESS = frozenset(("os.scandir", "os.listdir", "os.fspath"))
_CLOCK = frozenset((
    "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time",
    "process_time_ns", "thread_time", "thread_time_ns", "clock_gettime", "clock_gettime_ns", "sleep",
))  # fmt: skip
_NOW = frozenset(("now", "today", "utcnow"))
_CHANCE = frozenset(("urandom", "getrandom", "getpid", "times"))
_OWN_CLOCK = ("asyncio", "threading", "selectors", "logging", "queue", "concurrent", "anyio", "trio")
_MOST_EFFECTS = 5
_MOST_MODULES = 100
_MOST_ELEMENTS = 200
_SCALARS = (bool, int, float, complex, str, bytes, type(None))


class Watch:
    """Notes effects while a call runs; one for each process, since audit hooks stay."""

    def __init__(self) -> None:
        self._effects: list[str] | None = None
        sys.addaudithook(self._audited)

    @contextlib.contextmanager
    def during(self, package: str) -> Iterator[list[str]]:
        """Watch a block; the list is whole after it. ``package`` names the modules whose globals count."""
        effects: list[str] = []
        before = _fingerprint(package)
        self._effects = effects
        sys.setprofile(self._profiled)
        try:
            yield effects
        finally:
            sys.setprofile(None)
            self._effects = None
            after = _fingerprint(package)
            if any(after.get(name) != mark for name, mark in before.items()):
                effects.append("globals")

    def _audited(self, event: str, args: Any) -> None:
        if self._effects is None or not event.startswith(_EVENTS) or event in _HARMLESS:
            return
        if event == "open" and str(args[0]).endswith((".py", ".pyc", ".so")):
            return  # an import that the function makes
        self._note(event)

    def _profiled(self, frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call":
            return
        module, name = getattr(called, "__module__", None), called.__name__
        if module == "time" and name in _CLOCK:
            self._clock(frame)
        elif module == "posix" and name in _CHANCE:
            self._note("chance")
        elif module is None:
            owner = getattr(called, "__self__", None)
            if owner is random._inst:
                self._note("chance")
            elif name in _NOW and isinstance(owner, type) and issubclass(owner, datetime.date):
                self._clock(frame)

    def _clock(self, frame: FrameType) -> None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _OWN_CLOCK:
            self._note("clock")

    def _note(self, effect: str) -> None:
        effects = self._effects
        if effects is not None and effect not in effects and len(effects) < _MOST_EFFECTS:
            effects.append(effect)


def _fingerprint(package: str) -> dict[str, Any]:
    """Simple globals of the package's modules: scalars by value, containers by their elements' identities."""
    marks: dict[str, Any] = {}
    inside = package + "."
    names = [name for name in list(sys.modules) if name == package or name.startswith(inside)]
    for name in names[:_MOST_MODULES]:
        for variable, value in list(getattr(sys.modules[name], "__dict__", {}).items()):
            if variable.startswith("__"):
                continue
            kind = type(value)
            if kind in _SCALARS:
                marks[f"{name}.{variable}"] = value
            elif kind in (list, set, bytearray):
                marks[f"{name}.{variable}"] = (len(value), *map(id, list(value)[:_MOST_ELEMENTS]))
            elif kind is dict:
                marks[f"{name}.{variable}"] = (len(value), *map(id, list(value.values())[:_MOST_ELEMENTS]))
    return marks
