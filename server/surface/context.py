"""What every tool of a server shares, and how deliberate errors leave it."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from fastmcp.exceptions import ToolError

from repo_guardian.errors import GuardianError
from repo_guardian.server.contract.errors import encode_error
from repo_guardian.server.session.reading import Reading, Repository, open_repository, watched
from repo_guardian.server.session.session import Sessions
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.capability import Capability, find_capability

P = ParamSpec("P")
R = TypeVar("R")

READS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
"""A tool that only reads what is there."""

WRITES = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
"""A tool that writes to Guardian's own state, never to the watched repository."""

EXECUTES = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
"""A tool that runs the watched repository's code, in a sandbox without a network."""


@dataclass
class ServerContext:
    """The settings, the open cycles, and what can be executed here (found out once, when first asked)."""

    settings: ServerSettings
    sessions: Sessions = field(default_factory=Sessions)
    found: Capability | None = None

    async def capability(self) -> Capability:
        """The sandbox of this server."""
        if self.found is None:
            self.found = await find_capability(self.settings.sandbox)
        return self.found

    def reading(self, repository: str | None, revision: str | None) -> Reading:
        """A commit of a watched repository, whose mirror is brought up to date first. Blocking.

        Args:
            repository: as the settings spell it; None for the only one.
            revision: None for HEAD.

        Raises:
            UsageError: the repository is not watched, or ``revision`` names no commit.
            EnvironmentFault: it cannot be read.
        """
        return self.repository(repository).at(revision)

    def repository(self, repository: str | None) -> Repository:
        """A watched repository, whose mirror is brought up to date first. Blocking; raises as ``reading``."""
        return open_repository(self.settings.home, watched(self.settings.repositories, repository))


def told(tool: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Let deliberate errors out as texts that say what to do; anything else is masked by the server."""

    @functools.wraps(tool)
    async def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await tool(*args, **kwargs)
        except GuardianError as error:
            raise ToolError(encode_error(error)) from error

    return wrapper
