"""What ``guardian search`` and ``guardian callers`` print for a person; the wire models are their JSON."""

from __future__ import annotations

from collections.abc import Iterable

from repo_guardian.client.cli.terminal import Terminal
from repo_guardian.client.printable import printable
from repo_guardian.server.contract.graph import CallersAnswer, SymbolItem, UseItem
from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.retrieval import SearchAnswer, SearchHit

CANDIDATES_SHOWN = 10
_RESOLUTIONS = {
    "local": "same file",
    "import": "import",
    "self": "self",
    "mro": "inherited",
    "constructor": "constructor",
    "assignment": "assigned value",
    "annotation": "annotated type",
    "return": "returned value",
    "argument": "passed as argument",
    "unique_name": "guess: the only method of this name",
    "name": "guess: by name and import",
}


def print_search(answer: SearchAnswer) -> None:
    """The hits, or in plain words that there are none."""
    terminal = Terminal()
    _print_as_of(terminal, answer.as_of)
    if not answer.hits:
        reason = f": {printable(answer.reason)}" if answer.reason else ""
        terminal.echo(f"nothing here is about {_quoted(answer.query)}{reason}")
    rank_columns = len(str(answer.hits[-1].rank)) if answer.hits else 1
    for hit in answer.hits:
        _print_hit(terminal, hit, rank_columns)
    if answer.next_offset is not None:
        terminal.echo(f"… {answer.total - answer.next_offset} weaker candidates; raise --limit to see more")
    if answer.withheld:
        files = _counted(answer.withheld, "file")
        terminal.echo(f"{files} not searched: they look like secrets")


def _print_hit(terminal: Terminal, hit: SearchHit, rank_columns: int) -> None:
    rank = f"{hit.rank:>{rank_columns}}"
    indent = " " * (rank_columns + 2)
    location = hit.location
    place = f"{printable(location.path)}:{location.start_line}-{location.end_line}"
    symbol = f"  {printable(_in_file(hit.symbol, location.path))}" if hit.symbol else ""
    line = f"{terminal.style(place, bold=True)}{terminal.cut(symbol, len(indent) + len(place))}"
    terminal.echo(f"{rank}  {line}")
    routes = "  ".join(f"{r.route} #{r.rank} {r.score:.3g}" for r in hit.routes)
    terminal.echo(indent + terminal.style(terminal.cut(routes, len(indent)), dim=True))
    line = _telling_line(hit)
    if line:
        terminal.echo(f"{indent}{terminal.cut(printable(line), len(indent))}")


def _telling_line(hit: SearchHit) -> str:
    """The line of a hit that names its symbol (a decorator may stand before it), else the first one."""
    lines = [line.strip() for line in hit.location.text.split("\n") if line.strip()]
    name = hit.symbol.rpartition(".")[2] if hit.symbol else ""
    naming = (line for line in lines if name and name in line)
    return next(naming, lines[0] if lines else "")


def print_callers(answer: CallersAnswer) -> None:
    """The definition, its callers one by one, then apart from them the possible ones."""
    terminal = Terminal()
    _print_as_of(terminal, answer.as_of)
    if answer.symbol is None:
        _print_unknown(terminal, answer)
    else:
        _print_symbol(terminal, answer.symbol)
        terminal.echo(f"\n{_counted(answer.callers_total, 'caller')}")
        _print_uses(terminal, answer.callers)
    if answer.possible:
        name = _quoted(answer.name.rpartition(".")[2])
        total = _counted(answer.possible_total, "possible caller")
        terminal.echo(f"\n{total}: calls of some {name} whose target is not known")
        _print_uses(terminal, answer.possible)
    elif answer.possible_total and answer.next_offset is None:
        total = _counted(answer.possible_total, "possible caller")
        terminal.echo(f"\n{total} by name alone; --possible lists them")
    if answer.next_offset is not None:
        more = answer.callers_total - len(answer.callers)
        what = "caller" if more else "possible caller"
        rest = more or answer.possible_total - len(answer.possible)
        terminal.echo(f"\n… {_counted(rest, f'more {what}')}; raise --limit to see them")


def _print_symbol(terminal: Terminal, symbol: SymbolItem) -> None:
    place = f"{printable(symbol.location.path)}:{symbol.location.start_line}"
    terminal.echo(f"{symbol.kind} {terminal.style(printable(symbol.id), bold=True)}  {place}")
    if symbol.signature:
        terminal.echo(f"    {terminal.cut(printable(symbol.signature), 4)}")


def _print_unknown(terminal: Terminal, answer: CallersAnswer) -> None:
    name = _quoted(answer.name)
    if not answer.candidates:
        terminal.echo(f"nothing here is called {name}")
        return
    terminal.echo(f"{name} is not one definition; name one of {answer.candidates_total}:")
    for candidate in answer.candidates[:CANDIDATES_SHOWN]:
        terminal.echo(f"  {printable(candidate)}")
    if answer.candidates_total > CANDIDATES_SHOWN:
        terminal.echo(f"  … and {answer.candidates_total - CANDIDATES_SHOWN} more; --json lists more of them")


def _print_uses(terminal: Terminal, uses: Iterable[UseItem]) -> None:
    for use in uses:
        place = terminal.style(printable(str(use.location)), bold=True)
        symbol = printable(_in_file(use.symbol, use.location.path))
        terminal.echo(f"{place}  {symbol}  {_resolved(terminal, use)}".rstrip())
        if use.location.text:
            terminal.echo(f"    {terminal.cut(printable(use.location.text.strip()), 4)}")


def _in_file(symbol: str, path: str) -> str:
    """A symbol beside its path, without repeating it: where modules are files, ids begin with their path."""
    for prefix in (path, f"./{path}"):
        if symbol == prefix:
            return "(top level)"
        if symbol.startswith(f"{prefix}."):
            return symbol[len(prefix) + 1 :]
    return symbol


def _resolved(terminal: Terminal, use: UseItem) -> str:
    """How the target was found, and which kind of use it is when that is no plain call."""
    how = _RESOLUTIONS.get(use.resolution, "")
    told = ", ".join(part for part in (use.kind if use.kind != "call" else "", how) if part)
    return terminal.style(f"[{told}]", fg="yellow" if use.guess else None, dim=not use.guess) if told else ""


def _print_as_of(terminal: Terminal, as_of: AsOf) -> None:
    """Which commit answers, and what of the work tree does not count."""
    where = "HEAD" if as_of.commit == as_of.head else "not HEAD"
    line = f"at {as_of.commit[:12]} ({where})  {printable(as_of.subject)}"
    terminal.echo(terminal.style(terminal.cut(line), dim=True))
    if as_of.dirty:
        counts = [(as_of.changed_paths, "changed"), (as_of.untracked_paths, "untracked")]
        told = ", ".join(f"{count} {word}" for count, word in counts if count)
        terminal.echo(terminal.style(f"not committed, so not looked at: {told}", fg="yellow"))


def _quoted(text: str) -> str:
    return f"'{printable(text)}'"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
