"""``retrieval_*``: search a commit by words, by meaning and by name."""

from __future__ import annotations

from typing import Annotated, Literal

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.server.contract.retrieval import SearchAnswer
from repo_guardian.server.session.answers import Page
from repo_guardian.server.session.views import find_places
from repo_guardian.server.surface.context import READS, ServerContext, told

Routes = Annotated[list[Literal["lexical", "vector", "graph"]], Field(max_length=3)]


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="retrieval_search", title="Search a repository", annotations=READS)
    @told
    async def retrieval_search(
        query: str,
        *,
        repository: str | None = None,
        revision: str | None = None,
        routes: Routes | None = None,
        offset: Annotated[int, Field(ge=0, le=1000)] = 0,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> SearchAnswer:
        """Places in the code and documents that are about `query` (words, a question or a name), best first,
        at HEAD unless `revision` names a commit. No hits means that nothing there is about it.
        """
        page = Page(offset, limit)
        return await to_thread.run_sync(
            lambda: find_places(context.reading(repository, revision), query, page, routes=routes or ())
        )
