"""``report.html``: one self-contained page. No script, no request, readable on a phone, in dark and in light.

Its content security policy allows nothing but its own style sheet, by hash; so even a hole in the escaping
could load and run nothing. Every text that the template prints is first made one printable line
(``finalize``), then escaped by Jinja; markup comes from ``html_code`` and ``html_plots`` only.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from repo_guardian.client.report.interface import ReportWriter
from repo_guardian.client.report.kinds import CLAIM, kind_text
from repo_guardian.client.report.model import CycleReport, ReportedHypothesis
from repo_guardian.client.report.places import place_of, place_of_signal
from repo_guardian.client.report.sections import by_word, sections, still_there, taken
from repo_guardian.client.report.words import counted, duration, proof, runs
from repo_guardian.server.contract.probes import ProbeEntry, ProbeTool
from repo_guardian.vocabulary import EvidenceStatus, Side

if TYPE_CHECKING:
    from jinja2 import Environment

_ORDER = (Side.BASE, Side.CURRENT, Side.REVERTED)
_TITLES = {
    Side.BASE: "Before",
    Side.CURRENT: "Now",
    Side.REVERTED: "With the suspected cause reverted",
}
_COSTS = {
    ProbeTool.RUN_TEST: "tests at the commit",
    ProbeTool.DIFFERENTIAL_RUN: "tests at the base",
    ProbeTool.FIX_PROBE: "fix-probes",
}


class HtmlWriter(ReportWriter):
    """See the module docstring."""

    file_name = "report.html"

    def render(self, report: CycleReport) -> bytes:
        """See ``ReportWriter.render``."""
        from markupsafe import Markup

        from repo_guardian.client.report import html_plots as plots

        style = _style()
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        shown = plots.columns(report)
        text = (
            _environment()
            .get_template("report.html.j2")
            .render(
                report=report,
                parts=sections(report),
                still_there=still_there(report),
                taken=taken(report),
                judged=by_word(report),
                style=Markup(style),  # noqa: S704  ours
                style_digest=digest,
                columns=shown,
                signals_plot=plots.signals_plot(shown),
                lanes=plots.lanes(report, shown),
                costs=costs(report),
                left_alone=left_alone(report),
            )
        )
        return (text.rstrip() + "\n").encode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One side of a proof as the page shows it.

    ``css`` is ``passed``, ``failed`` or ``unknown``; ``word`` what happened; ``reason`` why, in one line.
    """

    title: str
    commit: str
    css: str
    word: str
    reason: str
    runs: str
    probe_id: str


def outcomes(hypothesis: ReportedHypothesis) -> list[Outcome]:
    """The sides on which the test ran, told as a story: before, now, and with the cause reverted."""
    last = {probe.side: probe for _, probe in runs(hypothesis)}
    return [_outcome(side, last[side]) for side in _ORDER if side in last]


def _outcome(side: Side, probe: ProbeEntry) -> Outcome:
    valid = probe.evidence is EvidenceStatus.VALID and bool(probe.outcomes)
    result = probe.outcomes[0] if probe.outcomes else None
    word = result.outcome.value if valid and result is not None else "no evidence"
    title = _TITLES[side]
    if probe.revert is not None and not probe.revert.restores_base:
        title = "With a trial edit"
    return Outcome(
        title=title,
        commit=probe.commit[:10] if probe.commit and side is not Side.REVERTED else "",
        css=word if word in ("passed", "failed") else "unknown",
        word=word,
        reason=(result.reason if valid and result is not None else probe.evidence_reason or probe.failure),
        runs=counted(probe.repetitions, "run") if probe.repetitions else "",
        probe_id=probe.id,
    )


def costs(report: CycleReport) -> list[Any]:
    """Where the seconds of the cycle went, as shares of its wall clock."""
    from repo_guardian.client.report.html_plots import Share

    spent = dict.fromkeys([*_COSTS.values(), "other probes"], 0.0)
    for hypothesis in (*report.findings, *report.other_hypotheses):
        for probe in hypothesis.trace:
            spent[_COSTS.get(probe.tool, "other probes")] += probe.duration_s
    spent["views, signals and the rest"] = max(0.0, report.cost.wall_s - sum(spent.values()))
    total = sum(spent.values()) or 1.0
    named = enumerate(spent.items())
    return [Share(name, duration(s), s / total, f"part{place}") for place, (name, s) in named if s >= 0.05]


def left_alone(report: CycleReport) -> dict[str, list[str]]:
    """The lines of the backlog by why they were left, both in the order in which they ranked."""
    found: dict[str, list[str]] = {}
    for item in report.backlog:
        found.setdefault(item.reason, []).append(item.line)
    return found


def kind_of(hypothesis: ReportedHypothesis) -> str:
    """The title of the kind of a hypothesis."""
    return kind_text(hypothesis.signals[0].kind if hypothesis.signals else CLAIM).title


def _finalize(value: Any) -> Any:
    from markupsafe import Markup

    from repo_guardian.client.report.html_code import one_line

    return one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _style() -> str:
    folder = resources.files("repo_guardian.client.report").joinpath("templates")
    return "\n" + folder.joinpath("report.css").read_text(encoding="utf-8").strip() + "\n"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from repo_guardian.client.report import html_code, html_plots

    environment = Environment(
        loader=PackageLoader("repo_guardian.client.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        breakable=html_code.breakable,
        python=html_code.python,
        diff=html_code.diff,
        plain=html_code.plain,
    )
    environment.globals.update(
        bar=html_plots.bar,
        stacked=html_plots.stacked,
        compared=html_code.compared,
        counted=counted,
        duration=duration,
        kind_of=kind_of,
        kind_text=kind_text,
        outcomes=outcomes,
        place_of=place_of,
        place_of_signal=place_of_signal,
        proof=proof,
    )
    return environment
