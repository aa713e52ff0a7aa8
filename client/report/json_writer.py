"""``report.json``: the model itself, with a stable order of keys."""

from __future__ import annotations

from repo_guardian.client.report.interface import ReportWriter
from repo_guardian.client.report.model import CycleReport


class JsonWriter(ReportWriter):
    """Versioned JSON; see ``model.py`` for the schema."""

    file_name = "report.json"

    def render(self, report: CycleReport) -> bytes:
        """See ``ReportWriter.render``."""
        return report.model_dump_json(indent=2).encode() + b"\n"
