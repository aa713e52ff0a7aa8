"""``guardian callers``: who calls a symbol at a commit."""

from __future__ import annotations

from pathlib import Path

import click

from repo_guardian.client.cli.home import guardian_home, home_option


@click.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("name")
@click.option("--at", metavar="REV", default=None, help="The commit to look at.  [default: HEAD]")
@click.option("--possible", is_flag=True, help="List calls of that name whose target is not known, too.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=200, show_default=True,
              help="Callers to show.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def command(
    repository: str,
    name: str,
    *,
    at: str | None,
    possible: bool,
    limit: int,
    as_json: bool,
    home: Path | None,
) -> int:
    """List who calls NAME in PATH_OR_URL: a dotted id (package.module.Class.method) or the end of one.

    Committed code only: the work tree is not looked at, and the answer says whether it differs. Exits with 2
    when NAME is not one definition; the answer then lists the ones that it may mean.
    """
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_reading import print_callers
    from repo_guardian.errors import EXIT_USAGE
    from repo_guardian.server.session.answers import Page
    from repo_guardian.server.session.reading import open_repository
    from repo_guardian.server.session.views import find_callers

    with Progress() as progress:
        progress.narrate("bringing the mirror up to date")
        reading = open_repository((home or guardian_home()).absolute(), repository).at(at)
        answer = find_callers(reading, name, Page(0, limit, None), possible=possible, narrate=progress.note)
    if as_json:
        click.echo(answer.model_dump_json(indent=2))
    else:
        print_callers(answer)
    return 0 if answer.symbol is not None or answer.possible else EXIT_USAGE
