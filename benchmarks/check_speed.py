"""How long ``guardian check --fast`` takes as a whole process, and what of it is what.

Run ``python benchmarks/check_speed.py CLONE [--runs N]`` on a clone of a repository, by default five times.
In each run one file of the clone is changed (an optional argument of some function becomes required), another
one each time, from small to large, and put back. The first check compiles HEAD; the others find its views and
link what the change reaches anew. Wall-clock seconds depend on what else the machine does, so the processor's
seconds, of git too, stand beside them. ``python -c pass`` and ``guardian --help`` are there to compare.
Quoted by docs/check.md.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GUARDIAN = Path(sys.executable).with_name("guardian")
OPTIONAL = re.compile(rb"^(def [a-z]\w*\([^()=\n]*?\b\w+)( = | ?= ?)None([,)])", re.MULTILINE)


@dataclass(frozen=True)
class Took:
    """Seconds of one process: on the wall, and of the processor with its children."""

    wall_s: float
    cpu_s: float


def run(command: Sequence[str], home: Path) -> Took:
    """Run one process to its end."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "GUARDIAN_HOME": str(home)},
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def victims(clone: Path, count: int) -> list[Path]:
    """Python files outside of tests that have an optional argument to make required, from small to large."""
    listed = subprocess.run(
        ["git", "-C", str(clone), "ls-files", "-z", "*.py"], check=True, stdout=subprocess.PIPE
    ).stdout
    paths = [clone / os.fsdecode(name) for name in listed.split(b"\0") if name and b"test" not in name]
    fitting = [path for path in paths if OPTIONAL.search(path.read_bytes())]
    fitting.sort(key=lambda path: path.stat().st_size)
    return [fitting[(number * (len(fitting) - 1)) // max(count - 1, 1)] for number in range(count)]


def told(name: str, runs: Sequence[Took]) -> str:
    """A line of the table: medians, and the slowest."""
    wall, cpu = [took.wall_s for took in runs], [took.cpu_s for took in runs]
    return (
        f"{name:<40} {statistics.median(wall):7.2f} {max(wall):7.2f} "
        f"{statistics.median(cpu):7.2f} {max(cpu):7.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    clone: Path = given.clone.resolve()
    files = subprocess.run(["git", "-C", str(clone), "ls-files"], check=True, stdout=subprocess.PIPE).stdout
    print(f"{clone.name}: {files.count(10)} files; load {os.getloadavg()[0]:.1f}")
    print(f"{'seconds':<40} {'wall':>7} {'most':>7} {'cpu':>7} {'most':>7}")
    check = [str(GUARDIAN), "check", str(clone), "--fast"]
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        print(told("the first check (compiles HEAD)", [run(check, home)]), flush=True)
        print(told("nothing changed", [run(check, home) for _ in range(given.runs)]), flush=True)
        changed, again = [], []
        for path in victims(clone, given.runs):
            original = path.read_bytes()
            try:
                path.write_bytes(OPTIONAL.sub(rb"\1\3", original, count=1))
                changed.append(run(check, home))
                again.append(run(check, home))
            finally:
                path.write_bytes(original)
        print(told("a file changed since the check before", changed), flush=True)
        print(told("the same change again", again), flush=True)
        help_text = [run([str(GUARDIAN), "--help"], home) for _ in range(given.runs)]
        print(told("guardian --help", help_text))
        print(told("python -c pass", [run([sys.executable, "-c", "pass"], home) for _ in range(given.runs)]))


if __name__ == "__main__":
    main()
