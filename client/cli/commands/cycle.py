"""``guardian cycle``: one whole cycle on a local path or an address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from repo_guardian.client.cli.home import guardian_home, home_option

if TYPE_CHECKING:
    from repo_guardian.client.loop.cycle import FinishedCycle
    from repo_guardian.client.policy.interface import Budget
    from repo_guardian.server.settings import ServerSettings


@click.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--commit", metavar="REV", default=None, help="The commit to look at.  [default: HEAD]")
@click.option("--since", metavar="REV", default=None, help="Compare with REV.  [default: the first parent]")
@click.option(
    "--sandbox", default="auto", show_default=True, help="Where tests run: auto, or a backend's name."
)
@click.option("--proofs", type=click.IntRange(0, 100), default=5, show_default=True,
              help="How many hypotheses to try to prove.")  # fmt: skip
@click.option("--wall-s", type=click.FloatRange(1), default=600.0, show_default=True,
              help="Seconds after which no further proof is begun.")  # fmt: skip
@click.option("--graphs-only", is_flag=True,
              help="Measure by the graphs alone; nothing but proofs is run.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=None,
              help="Folder for the report.  [default: in the state directory]")  # fmt: skip
@click.option("--fail-on", type=click.Choice(["finding"]), default=None, help="Exit with 1 on findings.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), default=None,
              help="What to run with.  [default: guardian.toml in the state directory]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@home_option
def command(
    repository: str,
    *,
    commit: str | None,
    since: str | None,
    sandbox: str,
    proofs: int,
    wall_s: float,
    graphs_only: bool,
    out: Path | None,
    fail_on: str | None,
    config: Path | None,
    as_json: bool,
    home: Path | None,
) -> int:
    """Look at one commit of PATH_OR_URL: measure what changed against its base, prove what broke, write a
    report, and remember it. The repository itself is only read.
    """
    import anyio

    from repo_guardian.client.cli.render import print_finished
    from repo_guardian.client.policy.interface import Budget
    from repo_guardian.server.settings import ServerSettings

    named = _absolute(repository)
    settings = ServerSettings(
        home=(home or guardian_home()).absolute(), repositories=(named,), sandbox=sandbox, config=config
    )
    budget = Budget(wall_s=wall_s, proofs=proofs, execute=not graphs_only)
    finished = anyio.run(_run, settings, commit, since, budget, out)
    print_finished(finished, as_json=as_json)
    return 1 if fail_on == "finding" and finished.report.findings else 0


def _absolute(repository: str) -> str:
    """A path as the server is to know it; an address stays as it is."""
    path = Path(repository).expanduser()
    return str(path.absolute()) if "://" not in repository and path.exists() else repository


async def _run(
    settings: ServerSettings, commit: str | None, since: str | None, budget: Budget, out: Path | None
) -> FinishedCycle:
    from repo_guardian.client.cli.progress import Progress, quiet_libraries

    with Progress() as progress:
        progress.narrate("starting")
        from fastmcp import Client

        from repo_guardian.client.loop.cycle import CycleRequest, run_cycle
        from repo_guardian.client.policy.rules import RulesPolicy
        from repo_guardian.client.report.html_writer import HtmlWriter
        from repo_guardian.client.report.json_writer import JsonWriter
        from repo_guardian.client.report.markdown_writer import MarkdownWriter
        from repo_guardian.client.report.sarif_writer import SarifWriter
        from repo_guardian.client.toolbox import Toolbox
        from repo_guardian.server.app import build_server

        quiet_libraries()
        async with Client(build_server(settings)) as client:
            return await run_cycle(
                Toolbox(client, progress.observe),
                CycleRequest(settings.repositories[0], commit, since),
                RulesPolicy(),
                budget,
                folder_for=_folder(settings, out),
                writers=(MarkdownWriter(), JsonWriter(), SarifWriter(), HtmlWriter()),
                narrate=progress.narrate,
            )


def _folder(settings: ServerSettings, out: Path | None) -> Callable[..., Path]:
    from repo_guardian.server.contract.cycles import CycleInfo
    from repo_guardian.server.session.state_dir import StateDir

    def folder(cycle: CycleInfo) -> Path:
        return out or StateDir(settings.home, cycle.repository_id).runs / str(cycle.number)

    return folder
