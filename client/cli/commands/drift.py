"""``guardian drift``: what changed between two commits, or since HEAD, and who has not followed."""

from __future__ import annotations

from pathlib import Path

import click

from repo_guardian.client.cli.home import guardian_home, home_option


@click.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("base", metavar="[BASE]", required=False)
@click.argument("revision", metavar="[REV]", required=False)
@click.option("--all", "announced", is_flag=True, help="Tell in full what was announced, too.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True,
              help="Changes to show.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def command(
    repository: str,
    base: str | None,
    revision: str | None,
    *,
    announced: bool,
    limit: int,
    as_json: bool,
    home: Path | None,
) -> int:
    """Tell what changed in PATH_OR_URL from BASE to REV: contracts, names, defaults, values, overrides.

    REV is HEAD unless named, and BASE its first parent. WORKTREE as REV compares the uncommitted work tree
    (staged, unstaged and untracked files) with BASE, or with HEAD. Nothing is run and nothing is changed.
    What neither a changelog, a document, a test nor a commit message mentions comes first.
    """
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_drift import print_drift
    from repo_guardian.server.session.answers import Page
    from repo_guardian.server.session.drift import WORKTREE, find_drift
    from repo_guardian.server.session.reading import open_repository

    if base == WORKTREE and revision is None:
        base, revision = None, WORKTREE
    with Progress() as progress:
        progress.narrate("bringing the mirror up to date")
        watched = open_repository((home or guardian_home()).absolute(), repository)
        answer = find_drift(watched, base, revision, Page(0, limit, None), narrate=progress.note)
    if as_json:
        click.echo(answer.model_dump_json(indent=2))
    else:
        print_drift(answer, announced=announced)
    return 0
