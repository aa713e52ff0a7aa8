"""One check from the command line: the graphs first, then what is to be executed, then where it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import click

from repo_guardian.client.cli.check_outputs import Outputs, keep_last
from repo_guardian.client.cli.progress import Progress
from repo_guardian.client.cli.quick_check import QuickCheck, Uncommitted, quick_check, with_words
from repo_guardian.client.cli.render_check import CheckPrinter
from repo_guardian.client.report.model import CycleReport, ReportedHypothesis
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.server.session.reading import open_repository
from repo_guardian.tools.git.pseudo_commit import worktree_root


class Mode(StrEnum):
    """How far a check goes."""

    FAST = "fast"
    """The graphs alone."""
    MEASURE = "measure"
    """And what running both sides shows."""
    PROVE = "prove"
    """And a test that proves it."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the user asked for.

    Attributes:
        repository: a path in the work tree, absolute.
        home: the state directory, absolute.
        base: a revision; HEAD when None.
        index: the index that git is about to commit, where a hook says so.
        sandbox: a name of the sandbox registry, or ``auto``.
        wall_s: seconds after which no further proof is begun.
    """

    repository: str
    home: Path
    mode: Mode = Mode.PROVE
    base: str | None = None
    staged: bool = False
    index: Path | None = None
    sandbox: str = "auto"
    wall_s: float = 120.0
    as_json: bool = False
    outputs: Outputs = field(default_factory=Outputs)

    @property
    def scope(self) -> Scope:
        """What is looked at."""
        return Scope.STAGED if self.staged else Scope.WORKTREE

    @staticmethod
    def is_left_behind(report: CycleReport) -> bool:
        """Whether any use in the repository lags that no human has spoken for."""
        signals = [
            *report.unproven,
            *(s for h in report.other_hypotheses if not _settled(h) for s in h.signals),
        ]
        return any(signal.lagging_total for signal in signals)


def check(options: CheckOptions) -> CycleReport | None:
    """Make the check, print it, and write what was asked for; None where there is no commit to compare with.

    Blocking.

    Raises:
        UsageError: there is no work tree, or the base names no commit, or a file cannot be written.
        EnvironmentFault: git, the views, the memory or the sandbox cannot be used.
    """
    options.outputs.refuse_overwriting()
    with Progress() as progress:
        progress.narrate("bringing the mirror up to date")
        repository = open_repository(options.home, options.repository)
        worktree_root(Path(options.repository), repository.source)
        if repository.head is None:
            _tell_nothing(options)
            return None
        asked = Uncommitted(options.base, options.scope, options.index)
        quick = quick_check(
            repository, asked, lambda _step: progress.narrate("compiling what no check has seen yet")
        )
        printer = CheckPrinter(files_changed=quick.files_changed, proves=options.mode is Mode.PROVE)
        report = quick.report
        if options.mode is not Mode.FAST and quick.files_changed:
            report = _investigated(options, quick, progress, printer)
    state = repository.state
    keep_last(state.last_fast_check if report is quick.report else state.last_check, report)
    if options.as_json:
        click.echo(report.model_dump_json(indent=2))
    else:
        printer.all(report)
    options.outputs.write(report, lambda line: click.echo(f"guardian: {line}", err=True))
    return report


def _tell_nothing(options: CheckOptions) -> None:
    note = "HEAD has no commit yet, so there is nothing to compare with"
    click.echo(
        json.dumps({"scope": options.scope.value, "note": note}, indent=2) if options.as_json else note
    )


def _investigated(
    options: CheckOptions, quick: QuickCheck, progress: Progress, printer: CheckPrinter
) -> CycleReport:
    """The report of a check that executes, with the words of humans on what it did not examine."""
    import anyio

    def tell(report: CycleReport) -> None:
        if report.findings and not options.as_json:
            with progress.paused():
                printer.findings(report)

    report = anyio.run(_run, options, progress, tell if options.mode is Mode.PROVE else None)
    return with_words(report, quick)


async def _run(
    options: CheckOptions, progress: Progress, tell: Callable[[CycleReport], None] | None
) -> CycleReport:
    from fastmcp import Client

    from repo_guardian.client.cli.progress import quiet_libraries
    from repo_guardian.client.loop.check import CheckRequest, run_check
    from repo_guardian.client.policy.interface import Budget, Policy
    from repo_guardian.client.policy.measuring import MeasuringPolicy
    from repo_guardian.client.policy.rules import RulesPolicy
    from repo_guardian.client.toolbox import Toolbox
    from repo_guardian.server.app import build_server
    from repo_guardian.server.settings import ServerSettings

    quiet_libraries()
    named = options.repository
    settings = ServerSettings(
        home=options.home, repositories=(named,), sandbox=options.sandbox, index=options.index
    )
    policy: Policy = RulesPolicy() if options.mode is Mode.PROVE else MeasuringPolicy()
    async with Client(build_server(settings)) as client:
        return await run_check(
            Toolbox(client, progress.observe),
            CheckRequest(named, options.scope, options.base),
            policy,
            Budget(wall_s=options.wall_s),
            narrate=progress.narrate,
            tell=tell,
        )


def _settled(hypothesis: ReportedHypothesis) -> bool:
    return hypothesis.word is not None and hypothesis.word.current
