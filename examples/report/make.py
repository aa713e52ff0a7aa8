"""Makes the example report: builds the repository of ``history.py``, runs a real cycle on each of its commits
and puts the last one's report beside this script.

Each commit is compared with the release, as one would before the next: what an earlier cycle proved is
remembered and not proven again, so that the last report shows a past. The repository and the state lie in a
temporary folder; the watched repository's path is left out of what is kept.

    .venv/bin/python examples/report/make.py            all of it, in some minutes
    .venv/bin/python examples/report/make.py --render   the kept report.json again in the other formats
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from history import STEPS

from repo_guardian.client.report.html_writer import HtmlWriter
from repo_guardian.client.report.json_writer import JsonWriter
from repo_guardian.client.report.markdown_writer import MarkdownWriter
from repo_guardian.client.report.model import CycleReport
from repo_guardian.client.report.sarif_writer import SarifWriter

HERE = Path(__file__).resolve().parent
WRITERS = (HtmlWriter(), JsonWriter(), MarkdownWriter(), SarifWriter())
NAME = "parcels"


def main() -> int:
    """Build, run, keep; or only render."""
    if "--render" in sys.argv[1:]:
        keep(HERE / "report.json")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / NAME
        commits = build(repository)
        for commit in commits[1:]:
            command = ["cycle", str(repository), "--commit", commit, "--since", commits[0]]
            done = guardian(*command, "--home", f"{folder}/state", "--out", f"{folder}/report")
            if done != 0:
                return done
        keep(Path(folder) / "report" / "report.json")
    return 0


def build(repository: Path) -> list[str]:
    """Commit the steps; returns the ids, which depend on nothing but ``history.py``."""
    git("init", "--quiet", "--initial-branch=main", str(repository), date=STEPS[0].date)
    commits = []
    for step in STEPS:
        for name, text in step.files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        git("-C", str(repository), "add", "--all", date=step.date)
        git("-C", str(repository), "commit", "--quiet", "--message", step.message, date=step.date)
        commits.append(git("-C", str(repository), "rev-parse", "HEAD", date=step.date).strip())
    return commits


def keep(report: Path) -> None:
    """Write the report in each format, under the repository's name instead of its path."""
    found = CycleReport.model_validate_json(report.read_bytes())
    named = found.model_copy(update={"cycle": found.cycle.model_copy(update={"source": NAME})})
    for writer in WRITERS:
        (HERE / writer.file_name).write_bytes(writer.render(named))


def git(*arguments: str, date: str) -> str:
    """Run git with a fixed author and date and without the user's configuration; returns what it printed."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "Example"),
            ("EMAIL", "example@example.invalid"),
            ("DATE", f"{date}T12:00:00Z"),
        )
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        ["git", *arguments], check=True, env=environment, stdout=subprocess.PIPE, text=True
    ).stdout


def guardian(*arguments: str) -> int:
    """Run the command line of this checkout."""
    return subprocess.run([Path(sys.executable).with_name("guardian"), *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
