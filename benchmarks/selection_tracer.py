"""A pytest plugin that notes which tests execute which of some functions.

Loaded inside the sandbox (``-p selection_tracer``) by the interpreter that runs the suite; needs Python 3.11
and nothing but pytest. ``SELECTION_TRACER`` names a JSON file: ``{"root": folder, "functions": {path:
[qualified name, ...]}, "out": path}``. What is written at the end: ``{"tests": {id: seconds}, "executed":
{id: [[path, name], ...]}}``. An inner function counts for the outermost one that holds it. What runs while
modules are imported, or in a fixture of wider scope after its first test, belongs to no test and is not seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest


class Tracer:
    """Watches the functions of a task while tests run."""

    def __init__(self, task: dict[str, Any]) -> None:
        root = str(task["root"]).rstrip("/") + "/"
        self._wanted = {root + path: (path, frozenset(names)) for path, names in task["functions"].items()}
        self._out = Path(task["out"])
        self._pid = os.getpid()
        self._codes: dict[CodeType, tuple[str, str] | None] = {}
        self._current: set[tuple[str, str]] | None = None
        self._tests: dict[str, float] = {}
        self._executed: dict[str, list[tuple[str, str]]] = {}

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """One test with its fixtures."""
        self._current = found = set()
        began = time.perf_counter()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        yield
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        self._current = None
        self._tests[item.nodeid] = time.perf_counter() - began
        if found:
            self._executed[item.nodeid] = sorted(found)

    def pytest_sessionfinish(self) -> None:
        """Write what was seen; not in a process that a test has forked."""
        if os.getpid() == self._pid:
            self._out.write_text(json.dumps({"tests": self._tests, "executed": self._executed}))

    def _profile(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or self._current is None:
            return
        code = frame.f_code
        if code not in self._codes:
            self._codes[code] = self._function(code)
        function = self._codes[code]
        if function is not None:
            self._current.add(function)

    def _function(self, code: CodeType) -> tuple[str, str] | None:
        path, names = self._wanted.get(code.co_filename, ("", frozenset()))
        name = code.co_qualname.partition(".<locals>")[0]
        return (path, name) if name in names else None


def pytest_configure(config: pytest.Config) -> None:
    """Watch, when there is a task."""
    task = os.environ.get("SELECTION_TRACER", "")
    if task:
        config.pluginmanager.register(Tracer(json.loads(Path(task).read_text())), "selection-tracer")
