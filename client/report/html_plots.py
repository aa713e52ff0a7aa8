"""The plots of the HTML report as inline SVG.

Positions are percentages and sizes pixels, without a view box: a plot fits any width, and its texts and marks
keep their size on a phone. Colours come from the page's style sheet by class, so that they follow dark and
light. Each mark says what it is in a ``<title>``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from repo_guardian.client.report.html_code import one_line
from repo_guardian.client.report.model import CycleReport, ReportedMemory
from repo_guardian.client.report.sections import met_again
from repo_guardian.client.report.words import counted
from repo_guardian.server.contract.cycles import Scope

BAR_HEIGHT = 56
LABELS = 12
"""Cycle numbers written under the plot; with more cycles, every n-th."""

LANES = 12
"""Claims that are drawn: the latest."""

SETTLED = {"refuted", "resolved"}


@dataclass(frozen=True, slots=True)
class Column:
    """One cycle of the timeline; ``findings`` were made in it, ``current`` is the report's own cycle."""

    number: int
    commit: str
    signals: int
    findings: int
    recurred: int
    current: bool = False

    @property
    def title(self) -> str:
        """What a pointer on it says."""
        again = f", {counted(self.recurred, 'claim')} seen again" if self.recurred else ""
        told = f"{counted(self.signals, 'signal')}, {counted(self.findings, 'finding')}{again}"
        return f"cycle {self.number} ({self.commit[:12]}): {told}"


@dataclass(frozen=True, slots=True)
class Lane:
    """The life of one claim as a plot, with its claim, and its grade or what a human said of it."""

    claim: str
    standing: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a whole; ``portion`` is from 0 to 1, ``css`` the class that colours it."""

    name: str
    label: str
    portion: float
    css: str


def columns(report: CycleReport) -> tuple[Column, ...]:
    """The cycles of the timeline, the report's own last; a check is no cycle, and adds none."""
    past = [
        Column(c.number, c.commit, c.signals, c.grades.get("finding", 0), c.recurred)
        for c in report.memory.timeline.cycles
    ]
    cycle = report.cycle
    if cycle.scope is not Scope.COMMIT:
        return tuple(past)
    again = sum(1 for h in (*report.findings, *report.other_hypotheses) if h.recurrence_of is not None)
    own = Column(cycle.number, cycle.commit, report.signals_total, len(report.findings), again, current=True)
    return (*past, own)


def signals_plot(shown: Sequence[Column]) -> Markup:
    """Signals per cycle as bars, with a dot below each cycle that made findings."""
    most = max((column.signals for column in shown), default=0) or 1
    width = 100 / max(1, len(shown))
    parts = []
    for place, column in enumerate(shown):
        height = max(2.0, BAR_HEIGHT * column.signals / most) if column.signals else 0.0
        x, middle = place * width, (place + 0.5) * width
        parts.append(
            Markup("<g><title>{}</title>").format(column.title)
            + Markup('<rect class="{}" x="{}%" y="{}" width="{}%" height="{}" rx="2"/>').format(
                "now" if column.current else "bar",
                _n(x + width * 0.18),
                _n(14 + BAR_HEIGHT - height),
                _n(width * 0.64),
                _n(height),
            )
        )
        if len(shown) <= LABELS:
            y = _n(10 + BAR_HEIGHT - height)
            parts.append(Markup('<text x="{}%" y="{}">{}</text>').format(_n(middle), y, column.signals))
        parts.append(Markup("</g>"))
        if column.findings:
            dot = Markup('<circle class="finding" cx="{}%" cy="{}" r="3.5"><title>{}</title></circle>')
            parts.append(dot.format(_n(middle), 14 + BAR_HEIGHT + 26, column.title))
    parts.append(_axis(shown, 14 + BAR_HEIGHT))
    label = f"signals per cycle, {len(shown)} cycles, at most {most}"
    return _svg(label, 14 + BAR_HEIGHT + 32, parts)


def lanes(report: CycleReport, shown: Sequence[Column]) -> tuple[Lane, ...]:
    """One lane per claim: those of the past, each with what this cycle added to it, then the new ones."""
    own = report.cycle.number
    events: dict[str, list[tuple[int, str]]] = {}
    told: dict[str, tuple[str, str]] = {}
    for claim in report.memory.timeline.claims:
        events[claim.key] = [(event.cycle, event.what) for event in claim.events]
        word = claim.word.word.value if claim.word is not None and claim.word.current else ""
        told[claim.key] = (claim.claim, word or claim.grade)
    for hypothesis in report.findings:
        events.setdefault(hypothesis.key, []).append((own, "finding"))
        told.setdefault(hypothesis.key, (hypothesis.claim, hypothesis.grade.value))
    for use in _met_again(report):
        if use.key in events:
            events[use.key].append((own, "seen"))
    places = {column.number: place for place, column in enumerate(shown)}
    return tuple(
        Lane(*told[key], _lane(found, places, settled=told[key][1] in SETTLED))
        for key, found in list(events.items())[-LANES:]
    )


def _met_again(report: CycleReport) -> tuple[ReportedMemory, ...]:
    """What an earlier cycle proved and this one saw again; a check is no cycle, and adds nothing."""
    return met_again(report) if report.cycle.scope is Scope.COMMIT else ()


def _lane(events: Sequence[tuple[int, str]], places: dict[int, int], *, settled: bool) -> Markup:
    """A line from a claim's first cycle to its last, or to now while it stands; a mark per event."""
    width = 100 / max(1, len(places))
    at = [((places[cycle] + 0.5) * width, cycle, what) for cycle, what in events if cycle in places]
    older = any(cycle < min(places, default=0) for cycle, _ in events)
    start = 0.0 if older else min((x for x, _, _ in at), default=0.0)
    end = max((x for x, _, _ in at), default=100.0) if settled else 100.0
    line = Markup('<line class="{}" x1="{}%" x2="{}%" y1="11" y2="11"/>').format(
        "life done" if settled else "life", _n(start), _n(end)
    )
    marks = [
        Markup('<circle class="{}" cx="{}%" cy="11" r="5"><title>{}</title></circle>').format(
            what.replace(" ", "-"), _n(x), f"cycle {cycle}: {what}"
        )
        for x, cycle, what in at
    ]
    label = ", ".join(f"{one_line(what)} in cycle {cycle}" for cycle, what in events)
    return _svg(label, 22, [line, *marks])


def bar(portion: float) -> Markup:
    """A horizontal bar that fills ``portion`` (0 to 1) of its width; what it means stands beside it."""
    filled = _n(100 * min(1.0, max(0.0, portion)))
    rects = Markup('<rect class="rest" width="100%" height="8" rx="4"/>')
    rects += Markup('<rect class="bar" width="{}%" height="8" rx="4"/>').format(filled)
    return Markup('<svg class="plot" width="100%" height="8" aria-hidden="true">{}</svg>').format(rects)


def stacked(shares: Sequence[Share]) -> Markup:
    """One bar cut into its parts."""
    parts, x = [], 0.0
    for share in shares:
        width = 100 * share.portion
        parts.append(
            Markup('<rect class="{}" x="{}%" width="{}%" height="14"><title>{}</title></rect>').format(
                share.css, _n(x), _n(width), f"{share.name}: {share.label}"
            )
        )
        x += width
    return _svg("; ".join(f"{share.name}: {share.label}" for share in shares), 14, parts)


def _axis(shown: Sequence[Column], y: float) -> Markup:
    step = -(-len(shown) // LABELS) or 1
    width = 100 / max(1, len(shown))
    texts = [
        Markup('<text class="{}" x="{}%" y="{}">{}</text>').format(
            "tick now" if column.current else "tick", _n((place + 0.5) * width), _n(y + 14), column.number
        )
        for place, column in enumerate(shown)
        if (len(shown) - 1 - place) % step == 0
    ]
    line = Markup('<line class="axis" x1="0" x2="100%" y1="{}" y2="{}"/>').format(_n(y), _n(y))
    return Markup("").join([line, *texts])


def _svg(label: str, height: float, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg class="plot" role="img" aria-label="{}" width="100%" height="{}">{}</svg>').format(
        label, _n(height), Markup("").join(parts)
    )


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
