"""What ``guardian drift`` prints for a person; the wire model is its JSON."""

from __future__ import annotations

from collections.abc import Iterable

from repo_guardian.client.cli.terminal import Terminal
from repo_guardian.client.printable import printable
from repo_guardian.server.contract.drift import DriftAnswer, DriftItem, IntentItem
from repo_guardian.server.contract.signals import DependentItem, SignalItem

LAGGING_SHOWN = 5
_KINDS = {
    "contract_changed": "contract",
    "symbol_removed": "removed",
    "symbol_moved": "moved",
    "definition_altered": "altered",
    "export_removed": "export",
    "override_mismatch": "override",
}
_COLORS = {"contract_changed": "red", "symbol_removed": "red", "symbol_moved": "yellow"}
_STEPS = {
    "major": "a major step: breaks are what the number promises",
    "minor": "a minor step: no break is promised",
    "patch": "a patch: no break is promised",
}
_LABEL_COLUMNS = 9


def print_drift(answer: DriftAnswer, *, announced: bool) -> None:
    """The two sides, then what nothing announced, then what something did; shortly unless ``announced``."""
    terminal = Terminal()
    _print_sides(terminal, answer)
    silent = [item for item in answer.items if not _is_intended(item.intent)]
    told = [item for item in answer.items if _is_intended(item.intent)]
    if not answer.total:
        terminal.echo("no drift: every name, contract, default and value that was there is there as it was")
    if silent:
        terminal.echo(f"\n{terminal.style('nothing announced or followed these', bold=True)}")
    _print_items(terminal, silent, full=True)
    if told:
        terminal.echo(
            f"\n{terminal.style('announced, or followed by a test or a commit message', bold=True)}"
        )
    _print_items(terminal, told, full=announced)
    _print_rest(terminal, answer)


def _print_sides(terminal: Terminal, answer: DriftAnswer) -> None:
    base = f"{answer.base[:12] or 'the empty tree'}  {printable(answer.base_subject)}"
    now = "work tree" if answer.work_tree else answer.as_of.commit[:12]
    subject = "" if answer.work_tree else f"  {printable(answer.as_of.subject)}"
    for label, text in (("from", base), ("to", f"{now}{subject}")):
        terminal.echo(terminal.style(terminal.cut(f"{label:>4} {text}"), dim=True))
    files = f"{answer.files_changed} {'file' if answer.files_changed == 1 else 'files'} changed"
    kinds = ", ".join(f"{count} {_KINDS.get(kind, kind)}" for kind, count in answer.totals_by_kind.items())
    terminal.echo(f"{files}; {answer.total} drift signals" + (f" ({kinds})" if kinds else ""))
    if answer.step:
        step = _STEPS.get(answer.step, "")
        terminal.echo(f"version {answer.base_version} to {answer.version}" + (f", {step}" if step else ""))


def _print_items(terminal: Terminal, items: Iterable[DriftItem], *, full: bool) -> None:
    for item in items:
        signal = item.signal
        kind = f"{_KINDS.get(signal.kind, signal.kind):<{_LABEL_COLUMNS}}"
        label = terminal.style(kind, fg=_COLORS.get(signal.kind, "cyan"))
        terminal.echo(label + terminal.cut(printable(signal.line), _LABEL_COLUMNS))
        if full:
            _print_detail(terminal, item)


def _print_detail(terminal: Terminal, item: DriftItem) -> None:
    signal = item.signal
    for mark, text in (("-", signal.before), ("+", signal.after)):
        if text and signal.before != signal.after:
            _indented(terminal, f"{mark} {printable(text)}")
    lagging = [dependent for dependent in signal.dependents if dependent.lagging]
    for dependent in lagging[:LAGGING_SHOWN]:
        _print_dependent(terminal, dependent)
    if signal.lagging_total > len(lagging[:LAGGING_SHOWN]):
        _indented(terminal, f"… {signal.lagging_total - LAGGING_SHOWN} more uses lag")
    _indented(terminal, _who(signal))
    for line in _signs(item.intent):
        _indented(terminal, line)


def _print_dependent(terminal: Terminal, dependent: DependentItem) -> None:
    place = f"{printable(dependent.location.path)}:{dependent.location.start_line}"
    _indented(terminal, f"{place}  {printable(dependent.location.text.strip())}")
    _indented(terminal, f"    {printable(dependent.reason)}")


def _who(signal: SignalItem) -> str:
    followed = signal.dependents_total - signal.lagging_total
    who = "public" if signal.public else "private"
    if signal.kind in ("symbol_removed", "symbol_moved") or not followed:
        return who
    return f"{who}; {followed} other {'use fits' if followed == 1 else 'uses fit'}"


def _signs(intent: IntentItem) -> Iterable[str]:
    """What speaks for intent, a line each."""
    if intent.deprecated:
        yield f"deprecated before: {printable(intent.deprecated)}"
    for mention in (*intent.changelog, *intent.documents, *intent.messages)[:3]:
        yield f"{printable(mention.where)}: {printable(mention.line)}"
    if intent.tests:
        yield f"changed with it: {', '.join(printable(path) for path in intent.tests[:3])}"
    if intent.docstring:
        yield "its docstring changed with it"


def _is_intended(intent: IntentItem) -> bool:
    return intent.announced or intent.followed


def _indented(terminal: Terminal, text: str) -> None:
    indent = " " * _LABEL_COLUMNS
    terminal.echo(indent + terminal.style(terminal.cut(text, len(indent)), dim=True))


def _print_rest(terminal: Terminal, answer: DriftAnswer) -> None:
    if answer.next_offset is not None:
        terminal.echo(f"\n… {answer.total - len(answer.items)} more; raise --limit to see them")
    if answer.not_comparable:
        terminal.echo(f"\n{len(answer.not_comparable)} paths of the work tree were not compared:")
        for left in answer.not_comparable[:LAGGING_SHOWN]:
            terminal.echo(terminal.cut(f"  {printable(left.path)}: {printable(left.reason)}"))
    if answer.skipped_total:
        terminal.echo(f"{answer.skipped_total} source files could not be read whole")
