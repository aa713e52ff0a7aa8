"""Where in the commit's tree a hypothesis or a signal points: a path and a line, as well as is known."""

from __future__ import annotations

import re
from dataclasses import dataclass

from repo_guardian.client.report.model import ReportedHypothesis
from repo_guardian.server.contract.signals import SignalItem

_HUNK = re.compile(
    r"^--- current/(?P<path>[^\n]+)\n\+\+\+ [^\n]*\n@@ -(?P<line>\d+)[^\n]*\n(?P<context>(?:[ ][^\n]*\n)*)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A file of the commit's tree; ``line`` is 1-based, None where only the file is known."""

    path: str
    line: int | None = None


def place_of_signal(signal: SignalItem) -> Place | None:
    """The changed definition; for one that is gone, the first use that has not followed."""
    path, line = signal.detail.get("current_path", ""), signal.detail.get("current_line", "")
    if path and line.isdecimal():
        return Place(path, int(line))
    for dependent in signal.dependents:
        if dependent.lagging:
            return Place(dependent.location.path, dependent.location.start_line)
    return Place(path or signal.paths[0]) if path or signal.paths else None


def place_of(hypothesis: ReportedHypothesis) -> Place | None:
    """The best known place: of its signals, else where restoring text mended it, else a file of its locus."""
    known = [place for signal in hypothesis.signals if (place := place_of_signal(signal)) is not None]
    exact = next((place for place in known if place.line is not None), None)
    if exact is not None:
        return exact
    for probe in hypothesis.trace:
        restored = _HUNK.search(probe.revert.evidence_diff) if probe.revert is not None else None
        if restored is not None:
            return Place(restored["path"], max(1, int(restored["line"]) + restored["context"].count("\n")))
    if known:
        return known[0]
    return Place(hypothesis.locus.files[0]) if hypothesis.locus.files else None
