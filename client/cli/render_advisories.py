"""What ``guardian advisories`` prints: for a person in blocks, for a program as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from repo_guardian.client.cli.terminal import Terminal, padded, width
from repo_guardian.client.printable import printable
from repo_guardian.tools.advisories.declared import UNPINNED
from repo_guardian.tools.advisories.interface import (
    Advisory,
    AdvisoryReport,
    Clearance,
    DatabaseFacts,
    Judgement,
    Status,
    Subject,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA_VERSION = 1
"""Of the JSON: raised when a key changes its meaning or goes away."""

_LISTED = 10
_MENTIONED = 2
_LABEL = 11


def as_data(report: AdvisoryReport) -> dict[str, Any]:
    """The report as JSON takes it: moments as ISO 8601, statuses as words, with the counts of each."""
    data = _plain(asdict(report))
    counts = {status.value: len(report.of(status)) for status in Status}
    return {"schema_version": SCHEMA_VERSION, "counts": counts, **data}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def print_report(report: AdvisoryReport) -> None:
    """Head, what is affected, what is inconclusive by its reason, what is not affected in a line."""
    terminal = Terminal()
    _print_head(terminal, report)
    affected = report.of(Status.AFFECTED)
    if affected:
        _title(terminal, f"Affected: {_count(len(affected), 'package')}", fg="red")
        for judgement in affected:
            _print_affected(terminal, judgement)
    _print_inconclusive(terminal, report.of(Status.INCONCLUSIVE))
    clean = report.of(Status.NOT_AFFECTED)
    if clean:
        _title(terminal, f"Not affected: {_count(len(clean), 'package')}", fg="green")
        _print_names(terminal, (f"{one.subject.name} {one.subject.version}" for one in clean), "  ")
    if not report.judgements:
        terminal.echo("Nothing is declared, pinned or locked in files that are read here.")
    _print_rest(terminal, report)


def _print_head(terminal: Terminal, report: AdvisoryReport) -> None:
    commit = terminal.style(report.commit[:12], bold=True)
    terminal.echo(f"{printable(report.repository)} at {commit}, committed {_day(report.committed_at)}")
    _fact(terminal, "database", _database(report.database))
    for line in report.database.unreadable:
        _fact(terminal, "", f"not readable: {line}")
    more = report.database.unreadable_count - len(report.database.unreadable)
    if more > 0:
        _fact(terminal, "", f"and {_count(more, 'more file')} not readable")
    scanner = report.failure or f"{report.scanner} in the {report.sandbox} sandbox, without a network"
    _fact(terminal, "scanner", scanner)
    index = f"{report.index}; what clears an advisory is by its own words" if report.index else "asked"
    _fact(terminal, "index", f"{index}; as of {_minute(report.as_of)}")
    counts = ", ".join(f"{len(report.of(s))} {s.value.replace('_', ' ')}" for s in Status)
    _fact(terminal, "packages", f"{len(report.judgements)}: {counts}")


def _database(facts: DatabaseFacts) -> str:
    place = f"{facts.kind} at {facts.commit[:12]}" if facts.commit else facts.kind
    dated = f" of {_day(facts.date)}" if facts.date is not None else ", undated"
    counts = f"{_count(facts.advisories, 'advisory')} on {_count(facts.packages, 'package')}"
    taken_back = f"; {facts.withdrawn} withdrawn, ignored" if facts.withdrawn else ""
    others = f"; {facts.elsewhere} of other ecosystems" if facts.elsewhere else ""
    return f"{facts.location}: {place}{dated}, {counts}{taken_back}{others}"


def _print_affected(terminal: Terminal, judgement: Judgement) -> None:
    subject = judgement.subject
    name = terminal.style(printable(f"{subject.name} {subject.version}"), bold=True)
    terminal.echo(f"  {name}  {printable(_where(subject))}")
    columns = max(width(advisory.id) for advisory in judgement.advisories)
    for advisory in judgement.advisories:
        _print_advisory(terminal, advisory, columns)
    if judgement.clearance is not None and len(judgement.advisories) > 1:
        label = terminal.style(padded("all of them", columns), bold=True)
        terminal.echo(f"    {label}  {printable(_cleared(judgement.clearance))}")
    if judgement.reason:
        terminal.echo(f"    there may be more: {terminal.cut(printable(judgement.reason), 23)}")


def _print_advisory(terminal: Terminal, advisory: Advisory, columns: int) -> None:
    label = terminal.style(padded(printable(advisory.id), columns), fg="red")
    terminal.echo(f"    {label}  {printable(_cleared(advisory.clearance))}")
    indent = " " * (columns + 6)
    told = ": ".join(filter(None, [", ".join(advisory.aliases), advisory.summary]))
    if told:
        terminal.echo(f"{indent}{terminal.style(terminal.cut(printable(told), len(indent)), dim=True)}")


def _cleared(clearance: Clearance) -> str:
    if not clearance.version:
        return clearance.words
    # Exclusions (!=3.0.*) are long and speak of Pythons that nobody has.
    bounds = [part.strip() for part in clearance.requires_python.split(",") if "!=" not in part]
    python = f" (Python {', '.join(bounds)})" if any(bounds) else ""
    words = f"; {clearance.words}" if clearance.words else ""
    return f"cleared by {clearance.version}{python}{words}"


def _print_inconclusive(terminal: Terminal, judgements: Sequence[Judgement]) -> None:
    if not judgements:
        return
    _title(terminal, f"Inconclusive: {_count(len(judgements), 'package')}", fg="yellow")
    by_reason: defaultdict[str, list[Subject]] = defaultdict(list)
    for judgement in judgements:
        by_reason[judgement.reason].append(judgement.subject)
    for reason, subjects in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        terminal.echo(f"  {printable(reason)}")
        names = (f"{one.name} {one.version or ','.join(one.ranges)}".rstrip() for one in subjects)
        _print_names(terminal, names, "    ")


def _print_rest(terminal: Terminal, report: AdvisoryReport) -> None:
    if report.problems:
        _title(terminal, "Not read")
        _print_lines(terminal, report.problems)
    if report.unread:
        _title(terminal, f"{_count(len(report.unread), 'file')} elsewhere not read (--everywhere reads them)")
        _print_lines(terminal, report.unread)
    if any(one.reason == UNPINNED for one in report.judgements):
        terminal.echo()
        terminal.echo("Pin or lock the versions, or scan what they resolve to with --resolve.")


def _print_names(terminal: Terminal, names: Iterable[str], indent: str) -> None:
    """All of them, in as many lines as the terminal needs."""
    text = ", ".join(names)
    columns = terminal.columns
    lines = [text] if columns is None else wrap(text, columns - len(indent), break_on_hyphens=False)
    for line in lines:
        terminal.echo(f"{indent}{printable(line)}")


def _print_lines(terminal: Terminal, lines: Sequence[str]) -> None:
    for line in lines[:_LISTED]:
        terminal.echo(f"  {terminal.cut(printable(line), 2)}")
    if len(lines) > _LISTED:
        terminal.echo(f"  and {len(lines) - _LISTED} more")


def _title(terminal: Terminal, text: str, **style: Any) -> None:
    terminal.echo()
    terminal.echo(terminal.style(text, bold=True, **style))


def _fact(terminal: Terminal, label: str, text: str) -> None:
    terminal.echo(f"  {padded(label, _LABEL)}{printable(text)}")


def _where(subject: Subject) -> str:
    sources: Iterable[str] = dict.fromkeys(mention.source for mention in subject.mentions)
    listed = list(sources)
    more = f" and {len(listed) - _MENTIONED} more" if len(listed) > _MENTIONED else ""
    resolved = "as resolved; " if subject.resolved else ""
    return f"{resolved}{', '.join(listed[:_MENTIONED])}{more}"


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _minute(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def _count(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
