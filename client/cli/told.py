"""What was told before: findings and signals of the last check and of the cycles, found by what is typed.

A key is typed by its beginning, at least six characters of it; ``h1`` is a hypothesis of the last check, or
of the last cycle where the last check has none; ``12:h1`` one of cycle 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from repo_guardian.client.policy.wording import claims_something, draft_for
from repo_guardian.client.report.model import CycleReport, ReportedHypothesis
from repo_guardian.errors import UsageError
from repo_guardian.server.contract.hypotheses import HypothesisDraft
from repo_guardian.server.contract.probes import ProbeEntry, ProbeTool
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.session.state_dir import StateDir

KEY_CHARS_LEAST = 6
_REPORT = "report.json"
_REPORTS_READ = 200
_REPORT_BYTES = 256 * 1024**2
_NUMBERED = re.compile(r"(?:(?P<cycle>[1-9][0-9]{0,9}):)?(?P<id>h[1-9][0-9]{0,6})")
_HINT = "guardian check and guardian cycle print the ids of what they find"


@dataclass(frozen=True, slots=True)
class Told:
    """Something that a report told: a hypothesis, or a signal that nobody made one of."""

    report: CycleReport
    key: str
    draft: HypothesisDraft
    hypothesis: ReportedHypothesis | None = None

    @property
    def tests(self) -> tuple[ProbeEntry, ...]:
        """The entries that wrote a test for it, oldest first."""
        trace = self.hypothesis.trace if self.hypothesis is not None else ()
        written = (p for p in trace if p.tool is ProbeTool.SYNTHESIZE_TEST and not p.failure)
        return tuple(probe for probe in written if probe.test_source)

    @property
    def where(self) -> str:
        """Which report told it, in words."""
        number = self.report.cycle.number
        return f"cycle {number}" if number else "the last check"


def find_told(state: StateDir, asked: str, *, with_test: bool = False) -> Told:
    """What ``asked`` names.

    Args:
        with_test: look on, past reports that tell it without a test, for one that has it.

    Raises:
        UsageError: it names nothing, or more than one thing.
    """
    numbered = _NUMBERED.fullmatch(asked)
    if numbered is not None:
        return _by_number(state, numbered["cycle"], numbered["id"])
    if len(asked) < KEY_CHARS_LEAST:
        raise UsageError(
            f"{asked!r} is too short for the beginning of a key",
            hint=f"give at least {KEY_CHARS_LEAST} characters, or an id like h1 or 12:h1",
        )
    without: Told | None = None
    for report in _reports(state):
        found = [told for told in _all(report) if told.key.startswith(asked)]
        if len({told.key for told in found}) > 1:
            keys = ", ".join(sorted(told.key for told in found)[:5])
            raise UsageError(
                f"{asked!r} is the beginning of several keys", hint=f"give more of one of: {keys}"
            )
        if found and (found[0].tests or not with_test):
            return found[0]
        without = without or next(iter(found), None)
    if without is not None:
        raise UsageError(
            f"no test was written for {without.key}",
            hint="guardian check without --fast and --no-investigate tries to prove it",
        )
    raise UsageError(f"nothing that was told has the key {asked!r}", hint=_HINT)


def _by_number(state: StateDir, cycle: str | None, name: str) -> Told:
    if cycle is None:
        reports = _reports(state)
    else:
        report = _read(state.runs / cycle / _REPORT)
        reports = iter([report] if report is not None else [])
    for report in reports:
        for told in _all(report):
            if told.hypothesis is not None and told.hypothesis.id == name:
                return told
    where = f"cycle {cycle} has" if cycle is not None else "neither the last check nor a cycle has"
    raise UsageError(f"{where} no hypothesis {name!r}", hint=_HINT)


def _all(report: CycleReport) -> Iterator[Told]:
    for hypothesis in (*report.findings, *report.other_hypotheses):
        yield Told(report, hypothesis.key, _draft(hypothesis), hypothesis)
    for signal in report.unproven:
        if claims_something(signal):
            yield Told(report, signal.key, _draft_of_signal(signal))


def _draft(hypothesis: ReportedHypothesis) -> HypothesisDraft:
    return HypothesisDraft(
        claim=hypothesis.claim,
        consequence=hypothesis.consequence,
        remedy=hypothesis.remedy,
        origin=hypothesis.origin,
        locus=hypothesis.locus,
        signal_keys=tuple(signal.key for signal in hypothesis.signals),
        key=hypothesis.key,
    )


def _draft_of_signal(signal: SignalItem) -> HypothesisDraft:
    return draft_for(signal).model_copy(update={"key": signal.key})


def _reports(state: StateDir) -> Iterator[CycleReport]:
    """The last checks, then the cycles, the latest first; what cannot be read any more is passed over."""
    for path in sorted((state.last_check, state.last_fast_check), key=_modified, reverse=True):
        last = _read(path)
        if last is not None:
            yield last
    try:
        numbers = sorted((int(p.name) for p in state.runs.iterdir() if p.name.isdecimal()), reverse=True)
    except OSError:
        return
    for number in numbers[:_REPORTS_READ]:
        report = _read(state.runs / str(number) / _REPORT)
        if report is not None:
            yield report


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read(path: Path) -> CycleReport | None:
    try:
        if path.stat().st_size > _REPORT_BYTES:
            return None
        return CycleReport.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
