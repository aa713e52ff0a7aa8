"""What this machine can execute: the chosen sandbox with its self-check, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.interface import Backend, SelfCheck
from repo_guardian.sandbox.registry import AUTO, select


@dataclass(frozen=True, slots=True)
class Capability:
    """``backend`` and ``check`` are None together; ``note`` then says why nothing can be executed."""

    backend: Backend | None
    check: SelfCheck | None
    note: str = ""

    @property
    def name(self) -> str | None:
        """The backend's name, None without one."""
        return self.backend.name if self.backend is not None else None


async def find_capability(name: str = AUTO) -> Capability:
    """Choose a sandbox by name; with ``auto`` none at all is an answer, not an error.

    Raises:
        UsageError: no backend has that name.
        SandboxUnavailableError: the backend that was named does not work here.
    """
    try:
        backend = await select(name)
    except SandboxUnavailableError as error:
        if name != AUTO:
            raise
        return Capability(None, None, str(error))
    return Capability(backend, await backend.self_check())


async def self_check(name: str = AUTO) -> SelfCheck:
    """Try what a backend promises and return every check, failed ones included.

    Raises:
        UsageError: no backend has that name.
        SandboxUnavailableError: ``auto`` finds none that works.
    """
    from repo_guardian.sandbox.registry import load

    backend = await select(name) if name == AUTO else load(name)
    return await backend.self_check()
