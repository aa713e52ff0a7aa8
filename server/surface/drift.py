"""``drift_*``: what changed between two commits, or since HEAD."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.server.contract.drift import DriftAnswer
from repo_guardian.server.session.answers import Page
from repo_guardian.server.session.drift import find_drift
from repo_guardian.server.surface.context import READS, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="drift_between", title="What changed, and who has not followed", annotations=READS)
    @told
    async def drift_between(
        base: str | None = None,
        revision: str | None = None,
        *,
        repository: str | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> DriftAnswer:
        """Contracts, names, defaults, values and overrides that changed from `base` (the first parent unless
        named) to `revision` (HEAD unless named; `WORKTREE` for uncommitted work), with uses that lag behind.
        What nothing announced comes first.
        """
        return await to_thread.run_sync(
            lambda: find_drift(context.repository(repository), base, revision, Page(offset, limit))
        )
