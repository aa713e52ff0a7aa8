"""The report format contract: a writer turns the one model into bytes and knows its file's name."""

from __future__ import annotations

from abc import ABC, abstractmethod

from repo_guardian.client.report.model import CycleReport


class ReportWriter(ABC):
    """One format.

    A report never carries a change to apply: what a fix-probe restored is shown as evidence, in the
    direction from current to restored text, under that heading and nowhere else.
    """

    file_name: str

    @abstractmethod
    def render(self, report: CycleReport) -> bytes:
        """The report in this format, UTF-8, ending with a newline."""
