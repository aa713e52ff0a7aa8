"""``views_*``: what is compiled of which commit."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.server.contract.views import ViewsStatus
from repo_guardian.server.session.answers import Page
from repo_guardian.server.session.maintaining import views_status as list_views
from repo_guardian.server.session.reading import watched
from repo_guardian.server.surface.context import READS, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="views_status", title="List the compiled commits", annotations=READS)
    @told
    async def views_status(
        repository: str | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> ViewsStatus:
        """Which commits have views, whole or stale, the latest built first, and how each language is
        resolved. Other tools build what they need: no need to ask first.
        """
        named = watched(context.settings.repositories, repository)
        page = Page(offset, limit)
        return await to_thread.run_sync(lambda: list_views(context.settings.home, named, page))
