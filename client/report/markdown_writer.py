"""``report.md``: what a maintainer reads. Texts from the repository are quoted so that they stay texts."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from repo_guardian.client.printable import printable
from repo_guardian.client.report.interface import ReportWriter
from repo_guardian.client.report.model import CycleReport
from repo_guardian.client.report.sections import by_word, sections, still_there, taken
from repo_guardian.client.report.words import counted, outcome, proof, runs

if TYPE_CHECKING:
    from jinja2 import Environment

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


class MarkdownWriter(ReportWriter):
    """CommonMark, readable as plain text."""

    file_name = "report.md"

    def render(self, report: CycleReport) -> bytes:
        """See ``ReportWriter.render``."""
        cut = {
            "parts": sections(report),
            "still_there": still_there(report),
            "taken": taken(report),
            "judged": by_word(report),
        }
        text = _environment().get_template("report.md.j2").render(report=report, **cut)
        return (text.rstrip() + "\n").encode("utf-8", "backslashreplace")


def escape(text: str) -> str:
    """Inline text: one line, control characters shown, Markdown's and HTML's signs escaped."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))


def code(text: str) -> str:
    """An inline code span that the content cannot end (CommonMark 0.31, section 6.1)."""
    clean = printable(" ".join(text.split()))
    ticks = "`" * (_longest_run(clean) + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") or not clean else ""
    return f"{ticks}{pad}{clean}{pad}{ticks}"


def block(text: str, language: str = "") -> str:
    """A fenced block whose fence is longer than any run of backticks in it."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    body = "\n".join(printable(line) for line in text.rstrip("\n").split("\n"))
    return f"{ticks}{language}\n{body}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Markdown, not HTML: every text from outside goes through escape, code or block instead.
    environment = Environment(  # noqa: S701
        loader=PackageLoader("repo_guardian.client.report", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(esc=escape, code=code)
    environment.globals.update(block=block, counted=counted, outcome=outcome, proof=proof, runs=runs)
    return environment
