"""``guardian sandbox``: what the sandbox can enforce on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from repo_guardian.client.cli.home import guardian_home, home_option

if TYPE_CHECKING:
    from repo_guardian.tools.execution import SelfCheck


@click.group()
def command() -> None:
    """Ask the sandbox what it can enforce on this machine."""


@command.command()
@click.option("--sandbox", default="auto", show_default=True, help="auto, or a backend's name.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def selftest(sandbox: str, as_json: bool) -> int:
    """Try, inside a real sandbox, that each promised limit is enforced; exit with 3 when one is not."""
    import anyio

    from repo_guardian.errors import EXIT_ENVIRONMENT
    from repo_guardian.tools.execution.capability import self_check

    result: SelfCheck = anyio.run(self_check, sandbox)
    if as_json:
        checks = [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in result.checks]
        click.echo(
            json.dumps({"backend": result.backend, "passed": result.passed, "checks": checks}, indent=2)
        )
    else:
        click.echo(f"{result.backend}: {'works' if result.passed else 'does not work'}")
        for check in result.checks:
            click.echo(f"  {'holds' if check.passed else 'FAILS'}  {check.name}: {check.detail}")
    return 0 if result.passed else EXIT_ENVIRONMENT


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--commit", metavar="REV", default=None, help="The commit to look at.  [default: HEAD]")
@click.option("--sandbox", default="auto", show_default=True, help="auto, or a backend's name.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), default=None,
              help="A guardian.toml.  [default: the one in the repository's state directory]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def doctor(
    repository: str,
    *,
    commit: str | None,
    sandbox: str,
    config: Path | None,
    as_json: bool,
    home: Path | None,
) -> int:
    """Say whether the suite of PATH_OR_URL can be collected in the sandbox, and why not; exit with 3 then."""
    from dataclasses import asdict

    import anyio

    from repo_guardian.client.cli.doctor import checked_out, examine, tell
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.errors import EXIT_ENVIRONMENT

    with Progress() as progress:
        progress.narrate("making a mirror")
        with checked_out(repository, commit, (home or guardian_home()).absolute()) as subject:
            found = anyio.run(examine, subject, sandbox, config, progress.narrate)
    if as_json:
        click.echo(json.dumps({**asdict(found), "runnable": found.runnable}, indent=2))
    else:
        click.echo("\n".join(tell(found)))
    return 0 if found.runnable else EXIT_ENVIRONMENT
