"""What ``guardian check`` prints: what broke, who relies on it, what shows it; little when all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from repo_guardian.client.cli.check_outputs import proof_of
from repo_guardian.client.cli.code import Highlighter, plain_lines, python_lines
from repo_guardian.client.cli.terminal import Terminal
from repo_guardian.client.policy.consequences import explained_by
from repo_guardian.client.printable import printable
from repo_guardian.client.report.model import CycleReport, ReportedHypothesis
from repo_guardian.server.contract.cycles import ExitReason
from repo_guardian.server.contract.hypotheses import Word
from repo_guardian.server.contract.probes import ProbeEntry
from repo_guardian.server.contract.signals import DependentItem, SignalItem
from repo_guardian.server.contract.wire import Locus
from repo_guardian.vocabulary import Side

if TYPE_CHECKING:
    from repo_guardian.client.loop.repro import Reproduction

LAGGING_SHOWN = 5
OTHERS_SHOWN = 10
OTHER_TESTS_SHOWN = 3
KEY_CHARS = 8
"""Of a key, where one is shown to be typed again."""

BY_RUNNING = ("behaviour_changed", "test_changed")
_SIDES = {Side.CURRENT: "with your change", Side.BASE: "without it", Side.REVERTED: "with that part undone"}
_COLUMNS = 9
_MARKS = {"passed": ("PASSED", "green"), "failed": ("FAILED", "red")}


class CheckPrinter:
    """Prints a check for a person, in pieces as they are known; nothing is printed twice.

    Args:
        files_changed: paths that differ from the base.
        proves: whether it was to be proven, so that nothing proven says something.
    """

    def __init__(self, *, files_changed: int, proves: bool) -> None:
        self._terminal = Terminal()
        self._highlight: Highlighter = python_lines if self._terminal.colors else plain_lines
        self._files_changed = files_changed
        self._proves = proves
        self._told: set[str] | None = None

    def findings(self, report: CycleReport) -> None:
        """What is proven by now."""
        if self._told is None:
            self._told = set()
            _head(self._terminal, report, self._files_changed)
        for finding in report.findings:
            if finding.key not in self._told:
                self._told.add(finding.key)
                _finding(self._terminal, finding, self._highlight)

    def all(self, report: CycleReport) -> None:
        """Everything that is not printed yet."""
        terminal = self._terminal
        self.findings(report)
        proven = {finding.id: finding.locus for finding in report.findings}
        following, apart = _consequences(report.unproven, proven)
        broken, changed, others = sorted_out(apart)
        for signal in broken:
            _broken(terminal, signal)
        for signal in changed:
            _differs(terminal, signal)
        for finding, causes in following.items():
            _following(terminal, finding, causes)
        _others(terminal, others)
        _undecided(terminal, report)
        _spoken(terminal, report)
        problems = report.executed.problems if report.executed is not None else ()
        for line in (*report.cycle.limitations, *problems, *_ended_early(report)):
            terminal.echo(terminal.style(terminal.cut(f"note: {printable(line)}"), dim=True))
        terminal.echo(_sum(terminal, report, broken, changed, proves=self._proves))


def _consequences(
    signals: Iterable[SignalItem], proven: Mapping[str, Locus]
) -> tuple[dict[str, list[SignalItem]], list[SignalItem]]:
    """Changed tests by the finding that they follow from, and the signals that stand for themselves."""
    following: dict[str, list[SignalItem]] = {}
    apart: list[SignalItem] = []
    for signal in signals:
        finding = explained_by(signal, proven)
        (following.setdefault(finding, []) if finding else apart).append(signal)
    return following, apart


def _ended_early(report: CycleReport) -> tuple[str, ...]:
    """Why not everything was looked at, where it was not."""
    cycle = report.cycle
    return () if cycle.exit_reason is ExitReason.SUBMITTED else (cycle.exit_explanation,)


def sorted_out(
    signals: Iterable[SignalItem],
) -> tuple[list[SignalItem], list[SignalItem], list[SignalItem]]:
    """Signals that something lags behind, those that running showed, and the rest, in their order."""
    broken, changed, others = [], [], []
    for signal in signals:
        if signal.kind in BY_RUNNING:
            changed.append(signal)
        elif signal.lagging_total:
            broken.append(signal)
        else:
            others.append(signal)
    return broken, changed, others


def _head(terminal: Terminal, report: CycleReport, files_changed: int) -> None:
    cycle = report.cycle
    base = cycle.base[:12] if cycle.base else "the empty tree"
    files = "1 file differs" if files_changed == 1 else f"{files_changed} files differ"
    terminal.echo(terminal.style(f"{cycle.subject} against {base}: {files}", dim=True))


def _finding(terminal: Terminal, finding: ReportedHypothesis, highlight: Highlighter) -> None:
    label = terminal.style(f"{'PROVEN':<{_COLUMNS}}", fg="red", bold=True)
    terminal.echo(f"\n{label}{printable(finding.claim)}")
    for signal in finding.signals:
        _detail(terminal, signal)
    _indented(terminal, printable(finding.consequence), dim=False)
    _indented(terminal, "the test that shows it:", dim=True)
    for line in highlight(proof_of(finding).strip("\n")):
        terminal.echo(f"{' ' * (_COLUMNS + 2)}{line}")
    for probe in outcomes(finding.trace):
        _outcome(terminal, probe)
    _indented(terminal, f"to do: {printable(finding.remedy.text)}", dim=False)
    _indented(terminal, f"{finding.id} {finding.key[:KEY_CHARS]}  {_next_steps(finding.key)}", dim=True)


def outcomes(trace: Sequence[ProbeEntry]) -> list[ProbeEntry]:
    """The last entry of each side in which the test did something, in the order now, before, undone."""
    last = {probe.side: probe for probe in trace if probe.outcomes}
    return [last[side] for side in _SIDES if side in last]


def _outcome(terminal: Terminal, probe: ProbeEntry) -> None:
    result = probe.outcomes[0]
    mark, color = _MARKS.get(result.outcome.value, (result.outcome.value.upper(), "yellow"))
    reason = f"  {printable(result.reason)}" if result.reason else ""
    text = f"{_SIDES[probe.side]}{reason}"
    label = terminal.style(mark, fg=color, bold=True)
    terminal.echo(f"{' ' * _COLUMNS}{label}  {terminal.cut(text, _COLUMNS + 8)}")


def print_again(told_by: str, again: Reproduction) -> None:
    """How proving it again went, place by place."""
    terminal = Terminal()
    terminal.echo(f"{printable(again.claim)}")
    terminal.echo(terminal.style(f"told by {told_by} as {again.key}", dim=True))
    for place in again.places:
        holds, color = ("it holds", "red") if place.holds else ("it does not hold", "green")
        verdict = terminal.style(holds, fg=color, bold=True)
        terminal.echo(f"\n{terminal.style(place.place, bold=True)}: {verdict}")
        for probe in place.sides:
            _outcome(terminal, probe)
        if not place.holds:
            _indented(terminal, printable(place.reason), dim=True)


def _next_steps(key: str) -> str:
    short = key[:KEY_CHARS]
    return f"(guardian repro {short}, or dismiss it: guardian dismiss {short} --reason WHY)"


def _broken(terminal: Terminal, signal: SignalItem) -> None:
    label = terminal.style(f"{'broken':<{_COLUMNS}}", fg="red", bold=True)
    terminal.echo(f"\n{label}{printable(signal.line)}")
    _detail(terminal, signal)
    for dependent in _lagging(signal):
        _dependent(terminal, dependent)
    hidden = signal.lagging_total - len(_lagging(signal))
    if hidden > 0:
        _indented(terminal, f"… and {hidden} more", dim=True)
    _indented(terminal, signal.key[:KEY_CHARS], dim=True)


def _differs(terminal: Terminal, signal: SignalItem) -> None:
    """What running showed: the call and both outcomes; of a test, only which others fail with it."""
    label = terminal.style(f"{'differs':<{_COLUMNS}}", fg="magenta", bold=True)
    terminal.echo(f"\n{label}{printable(signal.line)}")
    if signal.kind == "behaviour_changed":
        call = signal.detail.get("call", "")
        if call:
            _indented(terminal, printable(call), dim=True)
        _detail(terminal, signal)
    seen = signal.detail.get("test_id")
    others = [printable(d.location.text) for d in signal.dependents if d.lagging and d.location.text != seen]
    for other in others[:OTHER_TESTS_SHOWN]:
        _indented(terminal, other, dim=True)
    if len(others) > OTHER_TESTS_SHOWN:
        _indented(terminal, f"… and {len(others) - OTHER_TESTS_SHOWN} more", dim=True)
    _indented(terminal, signal.key[:KEY_CHARS], dim=True)


def _following(terminal: Terminal, finding: str, signals: Sequence[SignalItem]) -> None:
    """Tests that fail for what is proven already, in one line."""
    tests = sum(max(1, signal.lagging_total) for signal in signals)
    label = terminal.style(f"{'fails':<{_COLUMNS}}", fg="red")
    what = "1 test of this repository fails" if tests == 1 else f"{tests} tests of this repository fail"
    names = [printable(signal.detail["test_id"]) for signal in signals][:OTHER_TESTS_SHOWN]
    terminal.echo(f"\n{label}{what} with what {finding} proves, among them {', '.join(names)}")


def _detail(terminal: Terminal, signal: SignalItem) -> None:
    for mark, text, color in (("-", signal.before, "red"), ("+", signal.after, "green")):
        if text and signal.before != signal.after:
            line = terminal.cut(f"{mark} {printable(text)}", _COLUMNS)
            terminal.echo(" " * _COLUMNS + terminal.style(line, fg=color))


def _lagging(signal: SignalItem) -> list[DependentItem]:
    return [dependent for dependent in signal.dependents if dependent.lagging][:LAGGING_SHOWN]


def _dependent(terminal: Terminal, dependent: DependentItem) -> None:
    place = f"{printable(dependent.location.path)}:{dependent.location.start_line}"
    _indented(terminal, f"{place}  {printable(dependent.location.text.strip())}", dim=False)
    if dependent.reason:
        _indented(terminal, f"    {printable(dependent.reason)}", dim=True)


def _others(terminal: Terminal, others: Sequence[SignalItem]) -> None:
    """What nothing here lags behind: a line each, for who relies on it from elsewhere."""
    if not others:
        return
    terminal.echo(f"\n{terminal.style('also changed; nothing in this repository is left behind', dim=True)}")
    for signal in others[:OTHERS_SHOWN]:
        terminal.echo(terminal.style(terminal.cut(f"  {printable(signal.line)}"), dim=True))
    if len(others) > OTHERS_SHOWN:
        terminal.echo(terminal.style(f"  … and {len(others) - OTHERS_SHOWN} more", dim=True))


def _undecided(terminal: Terminal, report: CycleReport) -> None:
    """Hypotheses that were looked into and not proven, and why."""
    for hypothesis in report.other_hypotheses:
        if _is_spoken_for(hypothesis):
            continue
        label = terminal.style(f"{hypothesis.grade.value:<{_COLUMNS + 2}}", fg="yellow")
        terminal.echo(f"\n{label}{printable(hypothesis.claim)}")
        for signal in hypothesis.signals:
            for dependent in _lagging(signal):
                _dependent(terminal, dependent)
        if hypothesis.history:
            _indented(terminal, printable(hypothesis.history[-1].reason), dim=True)
        _indented(terminal, f"{hypothesis.id} {hypothesis.key[:KEY_CHARS]}", dim=True)


def _spoken(terminal: Terminal, report: CycleReport) -> None:
    words = Counter(h.word.word for h in report.other_hypotheses if h.word is not None and h.word.current)
    for word, text in ((Word.DISMISSED, "dismissed by you"), (Word.ACCEPTED, "accepted by you")):
        if words[word]:
            terminal.echo(terminal.style(f"{words[word]} {text} and unchanged since", dim=True))


def _is_spoken_for(hypothesis: ReportedHypothesis) -> bool:
    return hypothesis.word is not None and hypothesis.word.current


def _sum(
    terminal: Terminal,
    report: CycleReport,
    broken: Sequence[SignalItem],
    changed: Sequence[SignalItem],
    *,
    proves: bool,
) -> str:
    open_questions = sum(not _is_spoken_for(h) for h in report.other_hypotheses)
    counts = [
        (len(report.findings), "proven"),
        (len(broken), "with uses left behind"),
        (len(changed), "behaving differently"),
        (open_questions, "not proven"),
    ]
    told = ", ".join(f"{count} {what}" for count, what in counts if count)
    time = f"{report.cost.wall_s:.1f} s"
    if told:
        return f"\n{terminal.style(told, bold=True)} ({time})"
    nothing = "nothing broke that could be shown" if proves else "no use in this repository is left behind"
    return f"{terminal.style(nothing, fg='green', bold=True)} ({time})"


def _indented(terminal: Terminal, text: str, *, dim: bool) -> None:
    indent = " " * _COLUMNS
    terminal.echo(indent + terminal.style(terminal.cut(text, len(indent)), dim=dim))
