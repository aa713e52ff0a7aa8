"""``repository_*``: files of a watched repository at a commit, as text."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.server.contract.reading import FileSlice
from repo_guardian.server.session.files import SLICE_LINES, file_slice
from repo_guardian.server.surface.context import READS, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="repository_read", title="Read a file", annotations=READS)
    @told
    async def repository_read(
        path: str,
        *,
        start_line: Annotated[int, Field(ge=1)] = 1,
        lines: Annotated[int, Field(ge=1, le=SLICE_LINES)] = 200,
        repository: str | None = None,
        revision: str | None = None,
    ) -> FileSlice:
        """Lines of a text file at HEAD, or at the commit that `revision` names. Secrets are masked; a
        directory is answered with what it holds.
        """
        return await to_thread.run_sync(
            lambda: file_slice(context.reading(repository, revision), path, start_line, lines)
        )
