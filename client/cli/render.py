"""What the commands print: results on standard output, plain enough for a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from repo_guardian.client.printable import printable
from repo_guardian.client.report.words import SIDES, outcome
from repo_guardian.server.contract.probes import ProbeTool

if TYPE_CHECKING:
    from repo_guardian.client.loop.cycle import FinishedCycle
    from repo_guardian.client.report.model import CycleReport, ReportedHypothesis

LAGGING_SHOWN = 5
SIGNATURE_CHARS = 200


def print_finished(finished: FinishedCycle, *, as_json: bool) -> None:
    """The cycle in a screenful, or its whole report as JSON."""
    report = finished.report
    if as_json:
        click.echo(report.model_dump_json(indent=2))
        return
    _headline(report)
    for finding in report.findings:
        _finding(finding)
    _memory(report)
    click.echo(f"report  {finished.folder / 'report.md'}")


def _headline(report: CycleReport) -> None:
    cycle = report.cycle
    base = cycle.base[:12] if cycle.base else "the empty tree"
    count = len(report.findings)
    click.echo(
        f"cycle {cycle.number} of {cycle.repository_id}: {cycle.commit[:12]} against {base}, "
        f"{report.signals_total} signals, {count} finding{'' if count == 1 else 's'}, "
        f"{len(report.other_hypotheses)} other hypotheses ({cycle.exit_reason.value})"
    )
    for limitation in cycle.limitations:
        click.echo(f"limitation: {printable(limitation)}")
    for interrupted in cycle.interrupted:
        click.echo(f"cycle {interrupted.number} was interrupted and left nothing behind")


def _finding(finding: ReportedHypothesis) -> None:
    click.echo(f"\n{finding.id}  FINDING  {printable(finding.claim)}")
    click.echo(f"    {printable(finding.consequence)}")
    for signal in finding.signals:
        if signal.before:
            click.echo(f"    before  {_clipped(signal.before)}")
            click.echo(f"    now     {_clipped(signal.after or '(gone)')}")
        for dependent in [d for d in signal.dependents if d.lagging][:LAGGING_SHOWN]:
            place, text = printable(str(dependent.location)), printable(dependent.location.text)
            click.echo(f"    still used at {place}: {text}")
    source = next((p for p in finding.trace if p.tool is ProbeTool.SYNTHESIZE_TEST), None)
    if source is not None:
        click.echo("    the test:")
        for line in source.test_source.splitlines():
            click.echo(f"      {printable(line)}")
    for probe in finding.trace:
        if probe.tool is not ProbeTool.SYNTHESIZE_TEST:
            transition = f"  {probe.transition.value}" if probe.transition is not None else ""
            click.echo(f"    {outcome(probe):<7} {SIDES[probe.side]} [{probe.id}]{transition}")
    click.echo(f"    remedy: {printable(finding.remedy.text)}\n")


def _clipped(signature: str) -> str:
    """A signature in one glance; the report has it whole."""
    text = printable(signature)
    return text if len(text) <= SIGNATURE_CHARS else f"{text[: SIGNATURE_CHARS - 2]} …"


def _memory(report: CycleReport) -> None:
    if not report.memory.past_cycles:
        click.echo("memory  this is the first cycle of this repository")
        return
    cycles = report.memory.past_cycles
    click.echo(f"memory  read {cycles} earlier cycle{'' if cycles == 1 else 's'}")
    for use in report.memory.used:
        click.echo(f"        cycle {use.cycle}: {printable(use.text)} ({use.effect})")
