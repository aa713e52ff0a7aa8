"""The ``bubblewrap`` backend: one keeper per open sandbox, one ``bwrap`` per command."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
import anyio.to_thread

from repo_guardian.sandbox.bubblewrap.namespace import Layout, find_program
from repo_guardian.sandbox.bubblewrap.session import BubblewrapSandbox
from repo_guardian.sandbox.interface import PythonRuntime, Sandbox, SandboxSpec, SelfCheck
from repo_guardian.sandbox.interpreter import (
    MOUNT,
    Interpreter,
    choose,
    current_interpreter,
    host_interpreters,
)
from repo_guardian.sandbox.mounts import checked_mounts

NAME = "bubblewrap"


class BubblewrapBackend:
    """Isolation with user namespaces and an overlay.

    As root, commands run as an unprivileged user of the host; for an ordinary user, as that user without
    any right. The disk limits of ``SandboxSpec.limits`` hold for a sandbox as a whole; every other limit
    may differ by command.
    """

    name = NAME
    isolates = True

    def __init__(self) -> None:
        self._proof: SelfCheck | None = None

    @property
    def image_digest(self) -> str:
        """Empty: the host's own programs are run."""
        return ""

    @property
    def python(self) -> str:
        """The host path of the interpreter that sandboxes run by default."""
        return str(current_interpreter().host)

    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of that interpreter."""
        return current_interpreter().version

    def interpreters(self) -> tuple[PythonRuntime, ...]:
        """Every usable CPython of the host, the running one first; see ``host_interpreters``."""
        return tuple(interpreter.runtime() for interpreter in host_interpreters())

    async def self_check(self) -> SelfCheck:
        """Try, inside a real sandbox, that each promised limit is enforced; remembered once it passes."""
        from repo_guardian.sandbox.conformance.suite import self_check

        if self._proof is None or not self._proof.passed:
            self._proof = await self_check(self)
        return self._proof

    def open(self, spec: SandboxSpec) -> AbstractAsyncContextManager[Sandbox]:
        """Open a sandbox over ``spec.checkout``; see ``Backend.open``."""
        return self._open(spec)

    @asynccontextmanager
    async def _open(self, spec: SandboxSpec) -> AsyncIterator[Sandbox]:
        for program in ("bwrap", "unshare", "nsenter"):
            find_program(program)
        interpreter = current_interpreter()
        if spec.python not in (None, interpreter.version):
            interpreter = choose(await anyio.to_thread.run_sync(host_interpreters), spec.python)
        sandbox = BubblewrapSandbox(spec, interpreter, _layout(spec, interpreter))
        await sandbox.start()
        try:
            yield sandbox
        finally:
            with anyio.CancelScope(shield=True):
                await sandbox.close()


def _layout(spec: SandboxSpec, interpreter: Interpreter) -> Layout:
    # Under /usr the interpreter is visible already, and only its bytecode has to be offered.
    library = f"lib/python{interpreter.version[0]}.{interpreter.version[1]}"
    own = ("", interpreter.prefix / library) if interpreter.under_usr else (MOUNT, interpreter.prefix)
    return Layout(spec.checkout, spec.limits, (own, *checked_mounts(spec)))
