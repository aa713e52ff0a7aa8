"""What a process costs: wall-clock and CPU seconds with its children's, peak memory, bytes on disk.

Everything that is measured runs in a process of its own, so that imports, caches and the allocator of the one
before do not count. A step that is Python is a function of the script itself: ``step`` starts the script
again with ``--step``, and the child prints what the function returns. What starts it should stay small: Linux
counts the memory of a process before ``exec`` as the new program's peak.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MIB = 1024**2


@dataclass(frozen=True)
class Cost:
    """What a finished process used, its children included.

    ``peak_bytes`` is the largest resident set of any one of them. ``output`` is what it printed.
    """

    wall_s: float
    cpu_s: float
    peak_bytes: int
    exit_code: int
    output: bytes
    result: Any = field(default=None)


def run(
    argv: Sequence[str | Path], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> Cost:
    """Run a command to its end; its errors go to standard error."""
    began = time.monotonic()
    process = subprocess.Popen(
        [os.fspath(part) for part in argv],
        stdout=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
    )
    output = process.stdout.read() if process.stdout is not None else b""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        time.monotonic() - began,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
        process.returncode,
        output,
    )


def step(script: str, name: str, **arguments: Any) -> Cost:
    """Run one of the ``STEPS`` of a script in a process of its own; ``result`` is what it returned.

    Raises:
        SystemExit: it failed.
    """
    done = run([sys.executable, script, "--step", json.dumps([name, arguments])])
    if done.exit_code:
        raise SystemExit(f"{name} failed with exit code {done.exit_code}")
    result = json.loads(done.output.splitlines()[-1])
    return Cost(done.wall_s, done.cpu_s, done.peak_bytes, 0, done.output, result)


def serve_step(steps: Mapping[str, Callable[..., Any]]) -> bool:
    """In a process that ``step`` started: run the step, print its result, return True."""
    if sys.argv[1:2] != ["--step"]:
        return False
    name, arguments = json.loads(sys.argv[2])
    print(json.dumps(steps[name](**arguments)))
    return True


class Meter:
    """Seconds of a block: ``wall_s``, and ``cpu_s`` of this process and of the children that ended in it."""

    wall_s: float
    cpu_s: float


@contextmanager
def metered() -> Iterator[Meter]:
    """Measure a block."""
    meter = Meter()
    wall, cpu = time.perf_counter(), cpu_s()
    try:
        yield meter
    finally:
        meter.wall_s, meter.cpu_s = time.perf_counter() - wall, cpu_s() - cpu


def cpu_s() -> float:
    """CPU seconds of this process and of its ended children so far."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def disk_bytes(*folders: Path) -> int:
    """The bytes of all files below the folders, each counted once, by length."""
    seen: dict[tuple[int, int], int] = {}
    for folder in folders:
        for path in folder.rglob("*") if folder.is_dir() else ():
            if path.is_file() and not path.is_symlink():
                status = path.stat()
                seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())


@dataclass(frozen=True)
class Spread:
    """Median, 90th and 99th percentile, and the largest of some numbers."""

    median: float
    p90: float
    p99: float
    largest: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """The spread of at least one number, by the nearest rank."""
        ordered = sorted(numbers)
        p90, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.9, 0.99))
        return cls(statistics.median(ordered), p90, p99, ordered[-1])
