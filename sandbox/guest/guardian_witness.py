"""A pytest plugin that streams what each test did to a supervisor outside this interpreter.

Runs inside the sandbox with the repository's interpreter (3.8 or later) and imports only the standard
library and pytest. One JSON object per line goes to the file descriptor in ``GUARDIAN_WITNESS_FD``.
The tests share this process and can forge what is written; the host compares it with two other
accounts and labels the result as reported by untrusted code.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from typing import Any

import pytest

_MESSAGE_CHARS = 2000
_FRAMES = 50
_IDS_IN_A_RECORD = 200
_LIBRARY = os.__file__.rpartition(os.sep)[0] + os.sep
_LOADS = ("_find_and_load", "exec_module", "_call_with_frames_removed")


class Witness:
    """Writes numbered records to the supervisor's pipe; only the process that created it may."""

    def __init__(self, fd: int, modules: list[str]) -> None:
        self._fd = fd
        self._pid = os.getpid()
        self._sequence = 0
        self._modules = modules
        self._read: set[str] = set()

    def emit(self, kind: str, **fields: Any) -> None:
        """Write one record. ``pid`` lets the supervisor tell a forked child's records apart."""
        self._sequence += 1
        record = {"kind": kind, "n": self._sequence, "pid": os.getpid(), "owner": self._pid}
        record.update(fields)
        line = (json.dumps(record, ensure_ascii=True) + "\n").encode("ascii")
        while line:  # a signal handler of the suite's may interrupt a long write
            line = line[os.write(self._fd, line) :]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Report the ids that were collected, in order; of a large suite in several records."""
        ids = [item.nodeid for item in session.items]
        while len(ids) > _IDS_IN_A_RECORD:
            self.emit("collected_part", ids=ids[:_IDS_IN_A_RECORD])
            ids = ids[_IDS_IN_A_RECORD:]
        self.emit("collected", ids=ids)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, None]:
        """Report a module that could not be collected, with its exception."""
        outcome = yield
        report = outcome.get_result()
        if report.failed:
            call = getattr(report, "call", None)
            excinfo = getattr(call, "excinfo", None)
            self.emit("collect_error", id=collector.nodeid, exception=_exception(_root(excinfo)))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, None]:
        """Report each phase of each test, and tag the test for the final report."""
        if call.when == "setup":
            item.user_properties.append(("guardian_id", item.nodeid))
        outcome = yield
        report = outcome.get_result()
        if report.passed and report.when != "call":
            return  # says nothing that the call's own record does not; half of a large suite's account
        exception = _exception(call.excinfo and call.excinfo.value) if report.failed else None
        self.emit(
            "phase",
            id=item.nodeid,
            when=report.when,
            outcome=report.outcome,
            xfail=hasattr(report, "wasxfail"),
            exception=exception,
            duration=round(report.duration, 4),
        )

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Report where the modules under test were loaded from, and the status as pytest sees it."""
        loaded = {name: _origin(module) for name, module in self._watched()}
        self.emit("finish", status=int(exitstatus), loaded=loaded, read=sorted(self._read)[:_FRAMES])

    def watch(self, repository: str, own: str) -> None:
        """Note what code below the folder ``own`` reads of how the code in ``repository`` is written.

        By Python's audit events (PEP 578), which no import or alias hides: a source or bytecode file that is
        opened on its behalf otherwise than by importing, and the code object of a function that it asks for.
        """

        def noted(event: str, arguments: Any) -> None:
            if event == "open" and _is_written(arguments[0], repository):
                asked, what = _asks(sys._getframe(1), own), os.fsdecode(arguments[0])
            elif event == "object.__getattr__" and arguments[1] == "__code__":
                asked = sys._getframe(1).f_code.co_filename.startswith(own)
                what = f"the code object of {getattr(arguments[0], '__name__', 'a function')}"
            else:
                return
            if asked:
                self._read.add(what)

        sys.addaudithook(noted)

    def _watched(self) -> list[tuple[str, Any]]:
        """The loaded modules that were asked for; ``name.*`` asks for a package with all below it."""
        found = []
        for name, module in sorted(sys.modules.items()):
            top = name.partition(".")[0] + ".*"
            if module is not None and (name in self._modules or top in self._modules):
                found.append((name, module))
        return found


def _is_written(path: Any, repository: str) -> bool:
    """Whether a path is code of the repository, or tells where it lies."""
    if not isinstance(path, (str, bytes)):
        return False
    name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  what a link leads to is not asked for
    is_code = name.startswith(repository) and name.endswith((".py", ".pyc", ".pyi"))
    return is_code or name.startswith("/proc/")


def _asks(frame: Any, own: str) -> bool:
    """Whether the innermost frame outside of the standard library is below ``own``, and imports nothing."""
    while frame is not None:
        name = frame.f_code.co_filename
        inside = name.startswith(("<frozen", _LIBRARY)) and "site-packages" not in name
        if not inside:
            return bool(name.startswith(own))
        if name.startswith("<frozen") and frame.f_code.co_name in _LOADS:
            return False
        frame = frame.f_back
    return False


def _origin(module: Any) -> str:
    try:
        return str(getattr(module, "__file__", None) or "")
    except Exception:  # a module object of the suite's own making
        return ""


def _root(excinfo: Any) -> BaseException | None:
    """The error of a failed collection; what a module's import raised where pytest only wraps it."""
    if excinfo is None:
        return None
    value: BaseException = excinfo.value
    cause = value.__cause__
    return cause if isinstance(value, pytest.Collector.CollectError) and cause is not None else value


def _exception(value: BaseException | None) -> dict[str, Any] | None:
    if value is None:
        return None
    frames = []
    traceback = value.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append([code.co_filename, traceback.tb_lineno, code.co_name])
        traceback = traceback.tb_next
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(value).__mro__]
    return {
        "types": kinds,
        "message": _text(value),
        "name": _attribute(value, "name"),
        "owner": _owner(value),
        "frames": frames[-_FRAMES:],
    }


def _text(value: BaseException) -> str:
    try:
        return str(value)[:_MESSAGE_CHARS]
    except Exception as error:
        return f"<unprintable: {type(error).__name__}>"


def _attribute(value: BaseException, name: str) -> str | None:
    found = getattr(value, name, None)
    return found if isinstance(found, str) else None


def _owner(value: BaseException) -> str | None:
    """For an AttributeError: the dotted name of the module or class that lacks the attribute."""
    if not isinstance(value, AttributeError):
        return None
    target = getattr(value, "obj", None)
    if target is None:
        return None
    if isinstance(target, type(sys)):
        return getattr(target, "__name__", None)
    kind = target if isinstance(target, type) else type(target)
    return f"{kind.__module__}.{kind.__qualname__}"


def pytest_configure(config: pytest.Config) -> None:
    """Register the witness when a supervisor is listening."""
    fd = os.environ.pop("GUARDIAN_WITNESS_FD", None)
    modules = os.environ.pop("GUARDIAN_WITNESS_MODULES", "")
    apart = os.environ.pop("GUARDIAN_WITNESS_APART", None)
    if fd is not None:
        witness = Witness(int(fd), modules.split(",") if modules else [])
        if apart is not None:
            witness.watch(*apart.split(":"))
        config.pluginmanager.register(witness, "guardian")
