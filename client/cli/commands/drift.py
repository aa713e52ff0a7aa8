"""``guardian drift``: what changed between two commits, or since HEAD, and who has not followed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from repo_guardian.client.cli.home import guardian_home, home_option


@click.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("base", metavar="[BASE]", required=False)
@click.argument("revision", metavar="[REV]", required=False)
@click.option("--all", "announced", is_flag=True, help="Tell in full what was announced, too.")
@click.option(
    "--run",
    "execute",
    is_flag=True,
    help="Also run tests in the sandbox: changed behaviour, changed outcomes.",
)
@click.option("--whole-suite", is_flag=True, help="With --run: all tests, not only those in reach.")
@click.option(
    "--sandbox", default="auto", show_default=True, metavar="NAME", help="With --run: where to run."
)
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
    execute: bool,
    whole_suite: bool,
    sandbox: str,
    limit: int,
    as_json: bool,
    home: Path | None,
) -> int:
    """Tell what changed in PATH_OR_URL from BASE to REV: contracts, names, defaults, values, overrides.

    REV is HEAD unless named, and BASE its first parent. WORKTREE as REV compares the uncommitted work tree
    (staged, unstaged and untracked files) with BASE, or with HEAD; STAGED compares the index. Nothing is
    changed, and without --run nothing is run. What neither a changelog, a document, a test nor a commit
    message mentions comes first.
    """
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_drift import print_drift, print_executed
    from repo_guardian.server.contract.drift import DriftReport
    from repo_guardian.server.session.answers import Page
    from repo_guardian.server.session.drift import drift_answer, measure_drift
    from repo_guardian.server.session.reading import open_repository
    from repo_guardian.server.session.uncommitted import SCOPES

    if base in SCOPES and revision is None:
        base, revision = None, base
    with Progress() as progress:
        progress.narrate("bringing the mirror up to date")
        watched = open_repository((home or guardian_home()).absolute(), repository)
        drift = measure_drift(watched, base, revision, narrate=progress.note)
        answer = drift_answer(drift, Page(0, limit, None))
        executed = None
        if execute:
            import anyio

            from repo_guardian.server.session.executed import execute_drift

            run = partial(execute_drift, sandbox=sandbox, whole_suite=whole_suite, narrate=progress.narrate)
            executed = anyio.run(run, watched, drift)
    if as_json:
        click.echo(
            (
                answer if executed is None else DriftReport(structure=answer, executed=executed)
            ).model_dump_json(indent=2)
        )
        return 0
    print_drift(answer, announced=announced)
    if executed is not None:
        print_executed(executed)
    return 0
