"""``guardian check``: what is not committed, against HEAD: what broke, who relies on it, what shows it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repo_guardian.client.cli.home import guardian_home, home_option
from repo_guardian.errors import UsageError

if TYPE_CHECKING:
    from repo_guardian.client.cli.checking import CheckOptions
    from repo_guardian.client.report.model import CycleReport

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("repository", metavar="[REPO]", default=".")
@click.option("--base", metavar="REV", default=None, help="Compare with REV.  [default: HEAD]")
@click.option("--staged", is_flag=True, help="Look at what is staged rather than at what is on disk.")
@click.option("--fast", is_flag=True, help="Execute nothing: broken contracts and who lags behind.")
@click.option("--no-investigate", is_flag=True, help="Measure by running, and prove nothing.")
@click.option("--write-test", type=click.Path(path_type=Path), default=None, metavar="PATH",
              help="Save the test of the first finding; of all, if PATH is a folder.")  # fmt: skip
@click.option("--sarif", type=_FILE, default=None, help="Write SARIF 2.1.0 to FILE.")
@click.option("--html", type=_FILE, default=None, help="Write a page to FILE.")
@click.option("--summary", type=_FILE, default=None, help="Append Markdown to FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--fail-on", type=click.Choice(["finding", "lagging"]), default=None,
              help="Exit with 1 on findings; or on uses left behind, too.")  # fmt: skip
@click.option("--sandbox", default="auto", show_default=True, metavar="NAME", help="Where code runs.")
@click.option("--wall-s", type=click.FloatRange(1), default=120.0, show_default=True,
              help="Seconds after which measuring stops and no proof is begun.")  # fmt: skip
@home_option
def command(repository: str, **given: Any) -> int:
    """Check what is not committed in REPO against HEAD: which contract broke, who still uses it, what behaves
    differently, with a test that proves it. REPO is the current directory unless named. Nothing in it is
    changed; its code runs in the sandbox only, and with --fast not at all.
    """
    from repo_guardian.client.cli.check_outputs import Outputs
    from repo_guardian.client.cli.checking import CheckOptions, Mode, check

    mode = _mode(fast=given["fast"], measure=given["no_investigate"], fail_on=given["fail_on"])
    options = CheckOptions(
        repository=str(Path(repository).expanduser().absolute()),
        home=(given["home"] or guardian_home()).absolute(),
        mode=Mode(mode),
        base=given["base"],
        staged=given["staged"],
        index=_hook_index(),
        sandbox=given["sandbox"],
        wall_s=given["wall_s"],
        as_json=given["as_json"],
        outputs=Outputs(given["sarif"], given["html"], given["summary"], given["write_test"]),
    )
    return _exit_code(check(options), given["fail_on"], options)


def _mode(*, fast: bool, measure: bool, fail_on: str | None) -> str:
    if fast and measure:
        raise UsageError("--fast and --no-investigate exclude each other", hint="give one of them")
    if fast and fail_on == "finding":
        raise UsageError("--fast proves nothing, so it has no findings", hint="use --fail-on lagging")
    return "fast" if fast else "measure" if measure else "prove"


def _hook_index() -> Path | None:
    """The index that git is about to commit, as it tells its hooks: ``commit -a`` has one of its own."""
    named = os.environ.get("GIT_INDEX_FILE", "")
    return Path(named).absolute() if named else None


def _exit_code(report: CycleReport | None, fail_on: str | None, options: CheckOptions) -> int:
    if fail_on is None or report is None:
        return 0
    lagging = fail_on == "lagging" and options.is_left_behind(report)
    return 1 if report.findings or lagging else 0
