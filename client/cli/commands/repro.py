"""``guardian repro``: prove a finding again, or take its proof elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from repo_guardian.client.cli.home import guardian_home, home_option

if TYPE_CHECKING:
    from repo_guardian.client.cli.reproducing import Asked
    from repo_guardian.client.loop.repro import Reproduction


@click.command()
@click.argument("identifier", metavar="ID")
@click.argument("repository", metavar="[REPO]", default=".")
@click.option("--export", type=click.Path(path_type=Path, dir_okay=False), default=None, metavar="PATH",
              help="Write the proof as a program that needs no Guardian, and run nothing.")  # fmt: skip
@click.option("--sandbox", default="auto", show_default=True, metavar="NAME", help="Where code runs.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def command(
    identifier: str,
    repository: str,
    *,
    export: Path | None,
    sandbox: str,
    as_json: bool,
    home: Path | None,
) -> None:
    """Prove again what ID names: the same test with the change, without it and with its cause undone, and
    also where the repository stands now. ID is printed by guardian check and guardian cycle: a key or six
    characters of its beginning, h1 of the last check, or 12:h1 of cycle 12. REPO is the current directory
    unless named; nothing in it is changed.
    """
    from repo_guardian.client.cli.reproducing import asked_for, prove_again
    from repo_guardian.client.cli.standalone import write_standalone

    named = str(Path(repository).expanduser().absolute())
    asked = asked_for((home or guardian_home()).absolute(), named, identifier)
    if export is not None:
        write_standalone(export, asked)
        click.echo(f"{export} proves it with any Python that has pytest; it runs the code without a sandbox")
        return
    _print(asked, prove_again(asked, sandbox), as_json=as_json)


def _print(asked: Asked, again: Reproduction, *, as_json: bool) -> None:
    if as_json:
        click.echo(again.model_dump_json(indent=2))
        return
    from repo_guardian.client.cli.render_check import print_again

    print_again(asked.told.where, again)
