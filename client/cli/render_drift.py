"""What ``guardian drift`` prints for a person; the wire model is its JSON."""

from __future__ import annotations

from collections.abc import Iterable

from repo_guardian.client.cli.terminal import Terminal
from repo_guardian.client.printable import printable
from repo_guardian.server.contract.drift import (
    DivergenceItem,
    DriftAnswer,
    DriftItem,
    ExecutedDrift,
    IntentItem,
    TestDeltaItem,
)
from repo_guardian.server.contract.signals import DependentItem, SignalItem

LAGGING_SHOWN = 5
_KINDS = {
    "contract_changed": "contract",
    "symbol_removed": "removed",
    "symbol_moved": "moved",
    "definition_altered": "altered",
    "export_removed": "export",
    "override_mismatch": "override",
    "entry_point_lost": "script",
    "reach_changed": "reach",
}
_COLORS = {"contract_changed": "red", "symbol_removed": "red", "symbol_moved": "yellow"}
_STEPS = {
    "major": "a major step: breaks are what the number promises",
    "minor": "a minor step: no break is promised",
    "patch": "a patch: no break is promised",
}
_UNREMARKABLE = ("appeared", "vanished", "newly_passing")
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


def print_executed(executed: ExecutedDrift) -> None:
    """Changed behaviour, then changed outcomes of tests, then what could not be told."""
    terminal = Terminal()
    heading = f"behaviour, as the repository's own code reported it in {printable(executed.sandbox)}"
    terminal.echo(f"\n{terminal.style(heading, bold=True)}")
    terminal.echo(_looked_at(executed))
    for item in executed.divergences:
        _print_divergence(terminal, item)
    _print_left_out(terminal, executed)
    heading = f"tests: {len(executed.tests)} of {executed.tests_compared} differ"
    where = (
        f" in {len(executed.tests_selected)} files that the change can reach"
        if executed.tests_selected
        else ""
    )
    terminal.echo(f"\n{terminal.style(heading + where, bold=True)}")
    for delta in executed.tests:
        if delta.kind not in _UNREMARKABLE:
            _print_test(terminal, delta)
    for kind in _UNREMARKABLE:
        count = sum(delta.kind == kind for delta in executed.tests)
        if count:
            terminal.echo(f"{kind}: {count}")
    for problem in executed.problems:
        terminal.echo(terminal.cut(f"problem: {printable(problem)}"))


def _looked_at(executed: ExecutedDrift) -> str:
    changed = executed.functions_changed
    functions = f"{changed} {'function' if changed == 1 else 'functions'} changed inside"
    return f"{functions}; {executed.functions_compared} compared over {executed.calls_compared} calls"


def _print_left_out(terminal: Terminal, executed: ExecutedDrift) -> None:
    """What was not compared, and why, most first."""
    counts = sorted(executed.left_out_counts.items(), key=lambda item: (-item[1], item[0]))
    if counts:
        terminal.echo(terminal.style("not compared", dim=True))
    for reason, count in counts:
        _indented(terminal, f"{count} {printable(reason)}")


def _print_divergence(terminal: Terminal, item: DivergenceItem) -> None:
    label = terminal.style(f"{'behaves':<{_LABEL_COLUMNS}}", fg="magenta")
    share = (
        f"{item.diverging} of {item.compared} calls differ, {item.recorded_diverging} of them the suite's own"
    )
    terminal.echo(label + terminal.cut(f"{printable(item.symbol)}: {share}", _LABEL_COLUMNS))
    receiver = f" on {printable(item.receiver)}" if item.receiver else ""
    _indented(terminal, f"called with {printable(item.call)}{receiver} ({item.mutation})")
    _indented(terminal, f"- {printable(item.before)}")
    _indented(terminal, f"+ {printable(item.after)}")
    files = f"{item.callers} {'file uses' if item.callers == 1 else 'files use'} it"
    proof = "a test can show the difference" if item.provable else "no test can be written of this call"
    _indented(terminal, f"{files}; {proof}")
    for line in _signs(item.intent):
        _indented(terminal, line)


def _print_test(terminal: Terminal, delta: TestDeltaItem) -> None:
    kind = delta.kind.replace("_", " ") + (
        "" if delta.confirmed or delta.kind == "flaky" else ", not confirmed"
    )
    times = f" ({delta.ratio:.1f} times as long)" if delta.ratio is not None else ""
    terminal.echo(terminal.cut(f"{kind}: {printable(delta.test_id)}{times}"))
    if delta.reason:
        _indented(terminal, printable(delta.reason))
