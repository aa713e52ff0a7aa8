"""``guardian views``: build, list, verify and collect the compiled views of a repository's commits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repo_guardian.client.cli.home import guardian_home, home_option

if TYPE_CHECKING:
    from repo_guardian.server.contract.wire import Wire

VIEWS = ("symbol_graph", "lexical", "vector")
MAX_COMMITS = 10_000

repository_argument = click.argument("repository", metavar="PATH_OR_URL")
json_option = click.option("--json", "as_json", is_flag=True, help="Print as JSON.")


@click.group()
def command() -> None:
    """Compile commits into views: a symbol graph, an index of words, an index of meanings."""


@command.command()
@repository_argument
@click.argument("revisions", metavar="[REV]...", nargs=-1)
@click.option("--last", type=click.IntRange(1, MAX_COMMITS), default=1, show_default=True, metavar="N",
              help="Build N commits up to each REV, along first parents, the oldest first.")  # fmt: skip
@click.option("--view", "names", type=click.Choice(VIEWS), multiple=True,
              help="Build this view only; may be given more than once.  [default: all]")  # fmt: skip
@json_option
@home_option
def build(
    repository: str,
    revisions: tuple[str, ...],
    *,
    last: int,
    names: tuple[str, ...],
    as_json: bool,
    home: Path | None,
) -> None:
    """Build the views of each REV of PATH_OR_URL, HEAD unless named; what is there already is kept."""
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_views import print_built
    from repo_guardian.server.session.maintaining import build_commits
    from repo_guardian.server.session.reading import open_repository

    with Progress() as progress:
        progress.narrate("bringing the mirror up to date")
        opened = open_repository((home or guardian_home()).absolute(), repository)
        answer = build_commits(opened, revisions, last=last, views=names or VIEWS, narrate=progress.narrate)
    _show(answer, print_built, as_json=as_json)


@command.command()
@repository_argument
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Commits to show.")
@json_option
@home_option
def status(repository: str, *, limit: int, as_json: bool, home: Path | None) -> None:
    """List the commits of PATH_OR_URL that have views, the latest built first."""
    from repo_guardian.client.cli.render_views import print_status
    from repo_guardian.server.session.answers import Page
    from repo_guardian.server.session.maintaining import views_status

    answer = views_status((home or guardian_home()).absolute(), repository, Page(0, limit, None))
    _show(answer, print_status, as_json=as_json)


@command.command()
@repository_argument
@click.argument("revision", metavar="[REV]", required=False)
@json_option
@home_option
def verify(repository: str, revision: str | None, *, as_json: bool, home: Path | None) -> int:
    """Compute every digest again of REV's views, or of all; exit with 3 when one is not what was written."""
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_views import print_verified
    from repo_guardian.errors import EXIT_ENVIRONMENT
    from repo_guardian.server.session.maintaining import verify_views

    with Progress() as progress:
        answer = verify_views(
            (home or guardian_home()).absolute(), repository, revision, narrate=progress.narrate
        )
    _show(answer, print_verified, as_json=as_json)
    return 0 if answer.whole else EXIT_ENVIRONMENT


@command.command()
@repository_argument
@click.option("--keep", type=click.IntRange(0, MAX_COMMITS), default=20, show_default=True, metavar="N",
              help="Commits whose views stay, the latest built first.")  # fmt: skip
@json_option
@home_option
def gc(repository: str, *, keep: int, as_json: bool, home: Path | None) -> None:
    """Remove the views of older commits of PATH_OR_URL, and the packs and facts that nothing needs any more.

    Whatever is removed can be built again.
    """
    from repo_guardian.client.cli.render_views import print_collected
    from repo_guardian.server.session.maintaining import collect_views

    answer = collect_views((home or guardian_home()).absolute(), repository, keep=keep)
    _show(answer, print_collected, as_json=as_json)


def _show(answer: Wire, show: Callable[[Any], None], *, as_json: bool) -> None:
    if as_json:
        click.echo(answer.model_dump_json(indent=2))
    else:
        show(answer)
