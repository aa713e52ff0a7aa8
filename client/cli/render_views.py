"""What ``guardian views`` prints for a person: tables that fit a terminal; the wire models are their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from repo_guardian.client.cli.terminal import Terminal, padded, width
from repo_guardian.client.printable import printable
from repo_guardian.server.contract.views import (
    CommitViews,
    ViewsBuilt,
    ViewsCollected,
    ViewsStatus,
    ViewState,
    ViewsVerified,
)
from repo_guardian.tools.views.interface import VIEWS

_GAP = "  "
_COLORS = {ViewState.WHOLE: "green", ViewState.STALE: "yellow", ViewState.DAMAGED: "red"}
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_LAST_COLUMN_MIN = 16


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, and whether its cells are numbers."""

    heading: str
    number: bool = False


def print_status(status: ViewsStatus) -> None:
    """One line per commit, then what the disk holds."""
    terminal = Terminal()
    if not status.total:
        terminal.echo("no views are published; `guardian views build` makes them")
    else:
        columns = (
            Column("commit"), Column("state"), Column("views"), Column("files", number=True),
            Column("symbols", number=True), Column("edges", number=True), Column("size", number=True),
            Column("subject"),
        )  # fmt: skip
        rows = [_status_row(item, head=item.commit == status.head) for item in status.items]
        states = [item.state for item in status.items]
        print_table(terminal, columns, rows, [{1: _COLORS[state]} for state in states])
        for item in status.items:
            if item.reason:
                terminal.echo(f"{item.commit[:12]}: {printable(item.reason)}")
    if status.next_offset is not None:
        terminal.echo(f"… {status.total - status.next_offset} more; raise --limit to see them")
    parts = ", ".join(f"{name} {size_text(size)}" for name, size in status.disk_bytes.items())
    terminal.echo(f"on disk: {size_text(sum(status.disk_bytes.values()))} ({parts})")


def _status_row(item: CommitViews, *, head: bool) -> tuple[str, ...]:
    size = sum(view.size_bytes for view in item.views)
    return (
        item.commit[:12],
        item.state.value,
        _names(item),
        f"{item.files_covered}/{item.files_seen}",
        "-" if item.symbols is None else str(item.symbols),
        "-" if item.edges is None else str(item.edges),
        size_text(size),
        f"{'(HEAD) ' if head else ''}{item.subject}",
    )


def _names(item: CommitViews) -> str:
    names = tuple(view.name for view in item.views)
    return "all" if set(names) == set(VIEWS) else " ".join(names) or "-"


def print_built(answer: ViewsBuilt) -> None:
    """One line per commit: whether it was there, and how much of it had to be made."""
    terminal = Terminal()
    columns = (
        Column("commit"), Column("made", number=True), Column("kept", number=True),
        Column("read", number=True), Column("new", number=True), Column("subject"),
    )  # fmt: skip
    rows = []
    for item in answer.built:
        made = sum(view.made for view in item.views)
        kept = sum(view.kept for view in item.views)
        new = size_text(sum(view.new_bytes for view in item.views))
        work = (
            ("there", "", "", "") if item.reused else (str(made), str(kept), str(item.facts_extracted), new)
        )
        rows.append((item.commit[:12], *work, item.subject))
    print_table(terminal, columns, rows)
    for item in answer.built[-1:]:
        names = ", ".join(view.name for view in item.views)
        covered = f"{item.files_covered} of {item.files_seen} files read"
        rest = f"{item.left_out} left out or read in part, {item.withheld} withheld as secrets"
        terminal.echo(f"{item.commit[:12]}: {names}; {covered}; {rest}")


def print_verified(answer: ViewsVerified) -> None:
    """Every commit that was checked, with what is wrong with it."""
    terminal = Terminal()
    for item in answer.commits:
        state = terminal.style(f"{item.state.value:<7}", fg=_COLORS[item.state])
        reason = f"  {printable(item.reason)}" if item.reason else ""
        terminal.echo(f"{item.commit[:12]}  {state}  {_names(item)}{reason}")
    if not answer.commits:
        terminal.echo("no views are published")


def print_collected(answer: ViewsCollected) -> None:
    """What went, and what is left."""
    terminal = Terminal()
    for commit in answer.removed:
        terminal.echo(f"{commit[:12]}  removed")
    freed = size_text(answer.freed_bytes)
    terminal.echo(f"{len(answer.removed)} removed, {len(answer.kept)} kept, {freed} freed")


def print_table(
    terminal: Terminal,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    colors: Sequence[dict[int, str]] = (),
) -> None:
    """A heading and one line per row; the last column takes what is left of the terminal.

    Columns before the last that do not leave it ``_LAST_COLUMN_MIN`` are dropped from the right, the first
    two apart: a terminal that is too narrow shows less, never two lines for one.

    Args:
        colors: of cells, by column, row by row.
    """
    cells = [[printable(cell).replace("\t", " ") for cell in row] for row in rows]
    heads = [column.heading for column in columns]
    widths = [max(width(row[index]) for row in (heads, *cells)) for index in range(len(columns))]
    shown = _fitting(widths, terminal.columns)
    for number, row in enumerate((heads, *cells)):
        line, taken = "", 0
        for index in shown:
            last = index == shown[-1]
            text = terminal.cut(row[index], taken) if last else row[index]
            text = text if last else padded(text, widths[index], right=columns[index].number)
            taken += width(text) + len(_GAP)
            color = colors[number - 1].get(index) if number and colors else None
            line += terminal.style(text, dim=not number, fg=color) + ("" if last else _GAP)
        terminal.echo(line.rstrip())


def _fitting(widths: Sequence[int], columns: int | None) -> list[int]:
    """Which columns to show, by index."""
    shown = list(range(len(widths)))
    while columns is not None and len(shown) > 3:
        fixed = sum(widths[index] + len(_GAP) for index in shown[:-1])
        if fixed + min(_LAST_COLUMN_MIN, widths[shown[-1]]) <= columns:
            break
        del shown[-2]
    return shown


def size_text(size: int) -> str:
    """A number of bytes for a person: powers of 1,000, as disks are sold and ``ls --si`` shows them."""
    value, unit = float(size), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    digits = 1 if unit and value < 99.95 else 0
    return f"{value:.{digits}f} {_UNITS[unit]}"
