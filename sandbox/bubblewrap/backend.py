"""The ``bubblewrap`` backend: one keeper per open sandbox, one ``bwrap`` per command."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio

from repo_guardian.sandbox.bubblewrap.namespace import Layout, find_program
from repo_guardian.sandbox.bubblewrap.session import BubblewrapSandbox
from repo_guardian.sandbox.interface import Sandbox, SandboxSpec, SelfCheck
from repo_guardian.sandbox.interpreter import MOUNT, Interpreter, current_interpreter
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

    def __init__(self, interpreter: Interpreter | None = None) -> None:
        self._interpreter = interpreter
        self._proof: SelfCheck | None = None

    @property
    def interpreter(self) -> Interpreter:
        """The Python that its sandboxes run."""
        return self._interpreter or current_interpreter()

    @property
    def python(self) -> str:
        """The host path of the interpreter inside."""
        return str(self.interpreter.host)

    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of the interpreter inside."""
        return self.interpreter.version

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
        sandbox = BubblewrapSandbox(spec, self.interpreter, self._layout(spec))
        await sandbox.start()
        try:
            yield sandbox
        finally:
            with anyio.CancelScope(shield=True):
                await sandbox.close()

    def _layout(self, spec: SandboxSpec) -> Layout:
        interpreter = self.interpreter
        # Under /usr the interpreter is visible already, and only its bytecode has to be offered.
        library = f"lib/python{interpreter.version[0]}.{interpreter.version[1]}"
        own = ("", interpreter.prefix / library) if interpreter.under_usr else (MOUNT, interpreter.prefix)
        return Layout(spec.checkout, spec.limits, (own, *checked_mounts(spec)))
