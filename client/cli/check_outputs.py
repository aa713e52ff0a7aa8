"""Where the report of a check goes besides the terminal: files that the user named, and the state."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.client.report.interface import ReportWriter
from repo_guardian.client.report.model import CycleReport, ReportedHypothesis
from repo_guardian.errors import UsageError
from repo_guardian.server.contract.probes import ProbeTool
from repo_guardian.tools.git.faults import state_fault


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that the user asked for; None for those not asked for.

    Attributes:
        sarif, html: written anew.
        summary: Markdown is appended, as GitHub's step summaries want it.
        test: where the test of the first finding goes, or a folder for those of all.
    """

    sarif: Path | None = None
    html: Path | None = None
    summary: Path | None = None
    test: Path | None = None

    def refuse_overwriting(self) -> None:
        """Tests are written where nothing lies yet.

        Raises:
            UsageError: ``test`` is a file that exists.
        """
        if self.test is not None and self.test.exists() and not self.test.is_dir():
            raise UsageError(
                f"{self.test} exists already",
                hint="name a file that does not, or a folder, with --write-test",
            )

    def write(self, report: CycleReport, say: Callable[[str], None]) -> None:
        """Write what was asked for.

        Args:
            say: is told what was written, a line each.

        Raises:
            UsageError: a file cannot be written.
        """
        if self.sarif is not None:
            from repo_guardian.client.report.sarif_writer import SarifWriter

            _put(self.sarif, SarifWriter().render(report))
        if self.html is not None:
            from repo_guardian.client.report.html_writer import HtmlWriter

            _put(self.html, HtmlWriter().render(report))
        if self.summary is not None:
            _put(self.summary, _markdown().render(report), append=True)
        if self.test is not None:
            for line in _write_tests(self.test, report.findings):
                say(line)


def keep_last(path: Path, report: CycleReport) -> None:
    """Keep the report, whole or not at all, for the commands that speak of its findings.

    Raises:
        StateDirError, DiskFullError: it cannot be written.
    """
    partial: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".last.", dir=path.parent)
        partial = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(report.model_dump_json().encode("utf-8", "backslashreplace"))
        partial.replace(path)
    except OSError as error:
        if partial is not None:
            with suppress(OSError):
                partial.unlink()
        raise state_fault(error, path) from error


def proof_of(finding: ReportedHypothesis) -> str:
    """The source of the test that proves a finding; empty when it has none."""
    written = [p.test_source for p in finding.trace if p.tool is ProbeTool.SYNTHESIZE_TEST and not p.failure]
    return next(filter(None, reversed(written)), "")


def _write_tests(place: Path, findings: Sequence[ReportedHypothesis]) -> list[str]:
    """One file in a file's place, one for each finding in a folder's."""
    proven = [(finding, proof_of(finding)) for finding in findings if proof_of(finding)]
    if not proven:
        return [f"nothing was proven, so {place} was not written"]
    if not place.is_dir():
        _put(place, proven[0][1].encode())
        rest = len(proven) - 1
        more = f"; {rest} more would go into a folder" if rest else ""
        return [f"the test of {proven[0][0].id} is in {place}{more}"]
    lines = []
    for finding, source in proven:
        path = place / f"test_guardian_{finding.key[:8]}.py"
        if path.exists():
            lines.append(f"{path} exists already and was left as it is")
            continue
        _put(path, source.encode())
        lines.append(f"the test of {finding.id} is in {path}")
    return lines


def _markdown() -> ReportWriter:
    from repo_guardian.client.report.markdown_writer import MarkdownWriter

    return MarkdownWriter()


def _put(path: Path, content: bytes, *, append: bool = False) -> None:
    try:
        with path.open("ab" if append else "wb") as file:
            file.write(content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"cannot write {path}: {reason}", hint="name a file that can be written") from error
