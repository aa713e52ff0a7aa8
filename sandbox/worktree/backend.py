"""The ``worktree`` backend: a private copy of the checkout, and commands on the host itself.

It is chosen by name only, says on standard error that it isolates nothing, and its self-check fails. Since
nothing can be mounted, a path such as ``/repo/a.py`` is replaced by that of the copy where it is an
argument, a working directory or an element of a variable, and nowhere else: not in the text of a script,
and not in what a command prints. Time, CPU, memory by process, file size and output are limited; processes,
disk and the read-only tree of a tool's profile are not, and a daemon that leaves its process group survives.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from repo_guardian.sandbox.interface import Check, PythonRuntime, Sandbox, SandboxSpec, SelfCheck
from repo_guardian.sandbox.interpreter import choose, current_interpreter, host_interpreters
from repo_guardian.sandbox.worktree.session import WorktreeSandbox

_WARNING = """\
WARNING: the worktree sandbox isolates NOTHING. Code of the watched repository runs on this machine as you,
with your files and your network. Use it only to debug Repository Guardian on code that you trust.
"""


class WorktreeBackend:
    """Runs commands on the host; see the module."""

    name = "worktree"
    isolates = False

    @property
    def image_digest(self) -> str:
        """Empty: the host's own programs are run."""
        return ""

    @property
    def python(self) -> str:
        """The host path of the interpreter that commands run by default."""
        return str(current_interpreter().host)

    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of that interpreter."""
        return current_interpreter().version

    def interpreters(self) -> tuple[PythonRuntime, ...]:
        """Every usable CPython of the host, the running one first; see ``host_interpreters``."""
        return tuple(one.runtime(path=str(one.host)) for one in host_interpreters())

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
        interpreter = current_interpreter()
        if spec.python not in (None, interpreter.version):
            interpreter = choose(await anyio.to_thread.run_sync(host_interpreters), spec.python)
        folder = Path(tempfile.mkdtemp(prefix="guardian-worktree-"))
        sandbox = WorktreeSandbox(spec, interpreter, folder)
        try:
            await anyio.to_thread.run_sync(sandbox.fill)
            yield sandbox
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(sandbox.remove)
