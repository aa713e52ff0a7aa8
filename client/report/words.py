"""Words that all formats share: what ran where, and what came of it."""

from __future__ import annotations

from repo_guardian.client.report.model import ReportedHypothesis
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, ProbeTool
from repo_guardian.vocabulary import EvidenceStatus, Side

SIDES = {
    Side.CURRENT: "at this commit",
    Side.BASE: "at the base",
    Side.REVERTED: "with the suspected cause reverted",
}

_RUNS = (ProbeTool.RUN_TEST, ProbeTool.DIFFERENTIAL_RUN, ProbeTool.FIX_PROBE)
_VERBS = {
    Outcome.PASSED: "passes",
    Outcome.FAILED: "fails",
    Outcome.ERROR: "ends in an error",
    Outcome.SKIPPED: "is skipped",
}


def proof(hypothesis: ReportedHypothesis) -> ProbeEntry | None:
    """The entry that holds the test: the one that the latest grade cites, else the last that was written."""
    written = [probe for probe in hypothesis.trace if probe.test_source and not probe.failure]
    cited = {citation for event in hypothesis.history[-1:] for citation in event.citations}
    digests = {probe.test_digest for probe in hypothesis.trace if probe.id in cited}
    meant = [probe for probe in written if probe.test_digest in digests]
    return next(iter(meant or written[-1:]), None)


def runs(hypothesis: ReportedHypothesis) -> list[tuple[str, ProbeEntry]]:
    """The probes that ran the proof's test, in order, each with the words for its side."""
    test = proof(hypothesis)
    return [
        (SIDES[probe.side], probe)
        for probe in hypothesis.trace
        if probe.tool in _RUNS and (test is None or probe.test_digest == test.test_digest)
    ]


def outcome(probe: ProbeEntry) -> str:
    """What the one test of an entry did, in capitals, or why there is no outcome."""
    return probe.outcomes[0].outcome.value.upper() if probe.outcomes else "NO OUTCOME"


def run_line(side: str, probe: ProbeEntry) -> str:
    """One run as a clause: ``fails at this commit``; a run that is no evidence is not told as an outcome."""
    if probe.evidence is not EvidenceStatus.VALID:
        return f"could not be judged {side}"
    verb = _VERBS[probe.outcomes[0].outcome] if probe.outcomes else "gives no outcome"
    return f"{verb} {side}"


def counted(number: int, singular: str, plural: str = "") -> str:
    """``1 finding``, ``2 findings``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """Seconds as a reader says them: ``4.2 s``, ``73 s``, ``7 min 11 s``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min {whole % 60} s"
