"""Reading a traceback: which of its frames are the test's own, and what lies below them.

Frames carry paths inside the sandbox, the outermost first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_guardian.server.ledger.locus_files import is_test_or_configuration
from repo_guardian.tools.execution import REPO
from repo_guardian.tools.probes.interface import ExceptionFacts, Frame, TestSource
from repo_guardian.tools.probes.runner import PROBE_DIR

_TEMPORARY = re.compile(r"/tmp/[\w./+-]*")  # noqa: S108  inside the sandbox, whose /tmp is its own

BINDS = "inspect.py"
"""The standard library's module that binds a signature for a test."""


def own_path(test: TestSource) -> str:
    """Where the test's file is inside the sandbox."""
    return f"{REPO if test.in_repository else PROBE_DIR}/{test.place}"


def below(exception: ExceptionFacts, test: TestSource) -> Sequence[Frame] | None:
    """The frames that the test's innermost own frame called; None when no frame is its own."""
    for index in range(len(exception.frames) - 1, -1, -1):
        if _is_own(exception.frames[index].path, test):
            return exception.frames[index + 1 :]
    return None


def _is_own(path: str, test: TestSource) -> bool:
    """The test's own file; for a test of the repository all of its test code, which tests share."""
    inside = path.removeprefix(f"{REPO}/")
    shared = test.in_repository and inside != path and is_test_or_configuration(inside)
    return path == own_path(test) or shared


def own_line(exception: ExceptionFacts, test: TestSource) -> int:
    """The line of the test's innermost own frame; 0 when it has none."""
    path = own_path(test)
    return next((frame.line for frame in reversed(exception.frames) if frame.path == path), 0)


def raised_by_test(exception: ExceptionFacts, test: TestSource) -> bool:
    """True when the test's own frame is the innermost one."""
    inner = below(exception, test)
    return inner is not None and not inner


def asserted_by_test(exception: ExceptionFacts, test: TestSource) -> bool:
    """True when the test, or an assertion helper that it called, raised it.

    Helpers are what the repository keeps among its tests, and code outside of the repository:
    ``pytest.raises``, ``unittest``'s and ``numpy``'s assertions.
    """
    inner = below(exception, test)
    return inner is not None and all(_helps(frame.path) for frame in inner)


def bound_by_test(exception: ExceptionFacts, test: TestSource) -> bool:
    """True when nothing but the test's own frame, and ``inspect`` on its behalf, was at work."""
    inner = below(exception, test)
    return inner is not None and all(frame.path.rpartition("/")[2] == BINDS for frame in inner)


def passes_through(exception: ExceptionFacts, files: Sequence[str]) -> bool:
    """True when a frame is in one of the repository-relative ``files``."""
    places = {f"{REPO}/{path}" for path in files}
    return any(frame.path in places for frame in exception.frames)


def way(exception: ExceptionFacts) -> str:
    """How it failed, equal for equal failures: the exception as one line, and where it left our sight.

    Addresses and the names of temporary files are blanked; any other difference in a message is one.
    """
    seen = [frame for frame in exception.frames if frame.path.startswith((f"{REPO}/", f"{PROBE_DIR}/"))]
    place = f" at {seen[-1].path}:{seen[-1].line}" if seen else ""
    return f"{_TEMPORARY.sub('/tmp/…', exception.line)}{place}"  # noqa: S108  a word, not a file


def _helps(path: str) -> bool:
    inside = path.removeprefix(f"{REPO}/")
    return inside == path or is_test_or_configuration(inside)
