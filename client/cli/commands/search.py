"""``guardian search``: what in a repository is about a query."""

from __future__ import annotations

from pathlib import Path

import click

from repo_guardian.client.cli.home import guardian_home, home_option

ROUTES = ("lexical", "vector", "graph")


@click.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("query")
@click.option("--at", metavar="REV", default=None, help="The commit to search.  [default: HEAD]")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Hits to show.")
@click.option("--route", "routes", type=click.Choice(ROUTES), multiple=True,
              help="Search by this route only; may be given more than once.  [default: all]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def command(
    repository: str,
    query: str,
    *,
    at: str | None,
    limit: int,
    routes: tuple[str, ...],
    as_json: bool,
    home: Path | None,
) -> None:
    """Search PATH_OR_URL for QUERY: words, a question, or the name of something.

    Committed files only: the work tree is not looked at, and the answer says whether it differs.
    """
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_reading import print_search
    from repo_guardian.server.session.answers import Page
    from repo_guardian.server.session.reading import open_repository
    from repo_guardian.server.session.views import find_places

    with Progress() as progress:
        progress.narrate("bringing the mirror up to date")
        reading = open_repository((home or guardian_home()).absolute(), repository).at(at)
        answer = find_places(reading, query, Page(0, limit, None), routes=routes, narrate=progress.note)
    if as_json:
        click.echo(answer.model_dump_json(indent=2))
    else:
        print_search(answer)
