"""What ``guardian drift`` costs between neighbouring commits and on a dirty work tree, with the views there.

    python benchmarks/drift_speed.py --home DIR [--commits N] [--repeat N] REPOSITORY

The last ``N`` commits that change a Python file are compared with their first parents; then, in a clone of
the repository with one line added to ``--edit``, the work tree with HEAD. Each is done once to build what is
missing, and then ``--repeat`` times: in this process (mirror and views opened anew each time), and as a whole
``guardian`` process. Printed are medians: seconds of processor time, and on the clock.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Cost, metered, run

from repo_guardian.server.session.answers import Page
from repo_guardian.server.session.drift import WORKTREE, find_drift
from repo_guardian.server.session.reading import open_repository
from repo_guardian.tools.git.command import Git


def in_process(home: Path, named: str, base: str | None, revision: str) -> int:
    """As the command does it, without starting Python; how many signals."""
    return find_drift(open_repository(home, named), base, revision, Page(0, 50, None)).total


def as_command(home: Path, named: str, base: str | None, revision: str) -> Cost:
    """The command line."""
    revisions = [revision] if base is None else [base, revision]
    guardian = Path(sys.executable).with_name("guardian")
    return run([guardian, "drift", named, *revisions, "--json"], environment={"GUARDIAN_HOME": str(home)})


def measure(home: Path, named: str, pairs: list[tuple[str | None, str]], repeat: int) -> list[list[str]]:
    """One row per way of asking: of each pair the median of the repetitions, of these the median and most."""
    found: dict[str, list[tuple[float, float]]] = {"in process": [], "guardian drift": []}
    for pair in pairs:
        in_process(home, named, *pair)
        inside, outside = [], []
        for _ in range(repeat):
            with metered() as meter:
                in_process(home, named, *pair)
            inside.append((meter.cpu_s, meter.wall_s))
            cost = as_command(home, named, *pair)
            outside.append((cost.cpu_s, cost.wall_s))
        for title, costs in zip(found, (inside, outside), strict=True):
            cpu, wall = ([c[index] for c in costs] for index in (0, 1))
            found[title].append((statistics.median(cpu), statistics.median(wall)))
    return [[title, *_cells(costs)] for title, costs in found.items()]


def _cells(costs: list[tuple[float, float]]) -> list[str]:
    columns = ([c[index] for c in costs] for index in (0, 1))
    return [f"{seconds:.2f}" for column in columns for seconds in (statistics.median(column), max(column))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--edit", default="lib/sqlalchemy/util/langhelpers.py")
    options = parser.parse_args()
    home, source = options.home.resolve(), options.repository.resolve()
    listed = Git(source).run(
        "rev-list", "--no-merges", f"--max-count={options.commits}", "HEAD", "--", "*.py"
    )
    neighbours: list[tuple[str | None, str]] = [(f"{c}^", c) for c in listed.decode().split()]
    print("| what | asked | processor s | most | clock s | most |\n|---|---|---|---|---|---|")
    for row in measure(home, str(source), neighbours, options.repeat):
        print(f"| {len(neighbours)} neighbouring commits | {' | '.join(row)} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "-q", "--single-branch", source, clone], check=True)
        with (clone / options.edit).open("a") as file:
            file.write("\n\ndef added_here(value):\n    return value\n")
        for row in measure(home, str(clone), [(None, WORKTREE)], options.repeat):
            print(f"| the work tree, one file edited | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
