"""``graph_*``: questions to the symbol graph of a commit."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.server.contract.graph import CallersAnswer, SymbolAnswer
from repo_guardian.server.session.answers import Page
from repo_guardian.server.session.views import find_callers, find_symbol
from repo_guardian.server.surface.context import READS, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="graph_callers", title="Who calls a symbol", annotations=READS)
    @told
    async def graph_callers(
        name: str,
        *,
        possible: bool = False,
        repository: str | None = None,
        revision: str | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
        limit: Annotated[int, Field(ge=1, le=100)] = 30,
    ) -> CallersAnswer:
        """Calls that resolve to a function, method or class, at HEAD unless `revision` names a commit.
        `name` is a dotted id or the end of one. `possible` adds unresolved calls of the same name.
        """
        page = Page(offset, limit)
        return await to_thread.run_sync(
            lambda: find_callers(context.reading(repository, revision), name, page, possible=possible)
        )

    @server.tool(name="graph_symbol", title="Look a symbol up", annotations=READS)
    @told
    async def graph_symbol(
        name: str,
        *,
        repository: str | None = None,
        revision: str | None = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 30,
    ) -> SymbolAnswer:
        """What a definition is at HEAD, or at `revision`: place, signature, members, what it calls, how many
        use it. `name` is a dotted id or the end of one. repository_read shows its source.
        """
        return await to_thread.run_sync(
            lambda: find_symbol(context.reading(repository, revision), name, Page(0, limit))
        )
