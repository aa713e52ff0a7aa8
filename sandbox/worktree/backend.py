"""The ``worktree`` backend: a private copy of the checkout, and commands on the host itself.

It is chosen by name only, says on standard error that it isolates nothing, and its self-check fails. Since
nothing can be mounted, a path such as ``/repo/a.py`` is replaced by that of the copy where it is an
argument, a working directory or an element of a variable, and nowhere else: not in the text of a script,
and not in what a command prints. Time, CPU, memory by process, file size and output are limited; processes
and disk are not, and a daemon that leaves its process group survives.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from repo_guardian.sandbox.interface import Check, Sandbox, SandboxSpec, SelfCheck
from repo_guardian.sandbox.interpreter import Interpreter, current_interpreter
from repo_guardian.sandbox.worktree.session import WorktreeSandbox

_WARNING = """\
WARNING: the worktree sandbox isolates NOTHING. Code of the watched repository runs on this machine as you,
with your files and your network. Use it only to debug Repository Guardian on code that you trust.
"""


class WorktreeBackend:
    """Runs commands on the host; see the module."""

    name = "worktree"
    isolates = False

    def __init__(self, interpreter: Interpreter | None = None) -> None:
        self._interpreter = interpreter

    @property
    def interpreter(self) -> Interpreter:
        """The Python that its commands run."""
        return self._interpreter or current_interpreter()

    @property
    def python(self) -> str:
        """The host path of the interpreter."""
        return str(self.interpreter.host)

    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of the interpreter."""
        return self.interpreter.version

    async def self_check(self) -> SelfCheck:
        """One check, which fails: there is no isolation."""
        return SelfCheck(
            self.name, (Check("isolation", passed=False, detail="none: commands run on the host"),)
        )

    def open(self, spec: SandboxSpec) -> AbstractAsyncContextManager[Sandbox]:
        """Copy the checkout and say that nothing is isolated; see ``Backend.open``."""
        return self._open(spec)

    @asynccontextmanager
    async def _open(self, spec: SandboxSpec) -> AsyncIterator[Sandbox]:
        sys.stderr.write(_WARNING)
        folder = Path(tempfile.mkdtemp(prefix="guardian-worktree-"))
        sandbox = WorktreeSandbox(spec, self.interpreter, folder)
        try:
            await anyio.to_thread.run_sync(sandbox.fill)
            yield sandbox
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(sandbox.remove)
