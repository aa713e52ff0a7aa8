"""``guardian advisories``: known vulnerabilities in what a repository depends on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from repo_guardian.client.cli.home import guardian_home, home_option

if TYPE_CHECKING:
    from repo_guardian.tools.advisories.interface import AdvisoryReport

FAIL_ON = ("advisory", "inconclusive")


@click.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("revision", metavar="[REV]", required=False)
@click.option(
    "--database",
    type=click.Path(path_type=Path),
    required=True,
    help="A clone of the PyPA advisory database, a folder of OSV records, or OSV's all.zip.",
)
@click.option("--resolve", is_flag=True, help="Scan what is not pinned as what the commit's toolchain holds.")
@click.option("--everywhere", is_flag=True, help="Read requirements and lock files in every folder.")
@click.option("--offline", is_flag=True, help="Ask no package index what clears an advisory.")
@click.option(
    "--max-age",
    type=click.IntRange(0, 36_500),
    metavar="DAYS",
    default=7,
    show_default=True,
    help="How old a database may be to prove that nothing is known.",
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    metavar="DATE",
    help="The moment (UTC) of which to speak: later releases do not exist.  [default: now]",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    help="Exit with 1 when a package is affected; or also when one is not known to be unaffected.",
)
@click.option("--sandbox", default="auto", show_default=True, metavar="NAME", help="Where the scanner runs.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def command(
    repository: str,
    revision: str | None,
    *,
    database: Path,
    resolve: bool,
    everywhere: bool,
    offline: bool,
    max_age: int,
    as_of: datetime | None,
    fail_on: str | None,
    sandbox: str,
    as_json: bool,
    home: Path | None,
) -> int:
    """Tell which dependencies of PATH_OR_URL at REV have known vulnerabilities, and what clears them.

    REV is HEAD unless named. A pinned scanner looks every pinned or locked version up in the local DATABASE,
    in the sandbox and without a network. What cannot be known is inconclusive, never "none found". For each
    advisory the lowest eligible version that clears it is named. Nothing is ever changed.
    """
    import anyio

    from repo_guardian.client.cli.advisories import Wanted, look_up
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.client.cli.render_advisories import as_data, print_report

    wanted = Wanted(
        repository=repository,
        revision=revision,
        database=database,
        home=(home or guardian_home()).absolute(),
        sandbox=sandbox,
        resolve=resolve,
        everywhere=everywhere,
        offline=offline,
        max_age=timedelta(days=max_age),
        as_of=datetime.now(UTC) if as_of is None else as_of.replace(tzinfo=UTC),
    )
    with Progress() as progress:
        report = anyio.run(look_up, wanted, progress.narrate)
    if as_json:
        import json

        click.echo(json.dumps(as_data(report), indent=2))
    else:
        print_report(report)
    return _exit_code(report, fail_on)


def _exit_code(report: AdvisoryReport, fail_on: str | None) -> int:
    """3 when the scanner gave no answer; 1 for what ``fail_on`` names; else 0."""
    from repo_guardian.errors import EXIT_ENVIRONMENT
    from repo_guardian.tools.advisories.interface import Status

    if report.failure:
        return EXIT_ENVIRONMENT
    bad = {"advisory": {Status.AFFECTED}, "inconclusive": {Status.AFFECTED, Status.INCONCLUSIVE}}
    statuses = {judgement.status for judgement in report.judgements}
    return int(fail_on is not None and bool(statuses & bad[fail_on]))
