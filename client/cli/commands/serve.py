"""``guardian serve``: the tools of a repository over MCP, on standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from repo_guardian.client.cli.home import guardian_home, home_option


@click.command()
@click.argument("repositories", metavar="PATH_OR_URL...", nargs=-1, required=True)
@click.option(
    "--sandbox", default="auto", show_default=True, help="Where tests run: auto, or a backend's name."
)
@home_option
def command(repositories: tuple[str, ...], sandbox: str, home: Path | None) -> None:
    """Serve the tools for the named repositories, and for no others, to an MCP client on stdio."""
    import anyio

    from repo_guardian.server.app import build_server
    from repo_guardian.server.settings import ServerSettings

    settings = ServerSettings(
        home=(home or guardian_home()).absolute(),
        repositories=repositories,
        sandbox=sandbox,
    )
    anyio.run(lambda: build_server(settings).run_stdio_async(show_banner=False))
