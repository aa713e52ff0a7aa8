"""The price of the sandbox: one suite inside beside the same suite bare, as the ratio of their times.

    python benchmarks/suite_overhead.py [--sandbox NAME] [--rounds N] [--tests N] [--milliseconds N]

The suite is made here: tests that each compute for a fixed amount of work, write and read a little, and now
and then start a Python; so both sides do the same, and nothing of a stranger's runs bare. Both use the same
supervisor and the same pytest, and write temporary files to memory, as a sandbox's /tmp is. Rounds alternate,
so that the machine's moods fall on both; medians are printed, then their ratio. Processor seconds, as pytest
and its children used them, tell more than wall-clock ones on a busy machine, where a sandbox with a control
group of its own gets a share of its own. The time inside is the command's in an open sandbox; opening and
closing one is listed apart.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import anyio
from outside import run_bare

from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.execution.suite import run_suite
from repo_guardian.tools.execution.suite_bench import Places, SuiteBench, prepare_suite

TEST = '''\
"""A suite of even work."""

import hashlib
import subprocess
import sys

import pytest

ROUNDS = {rounds}


@pytest.mark.parametrize("number", range({tests}))
def test_work(number, tmp_path):
    digest = str(number).encode()
    for _ in range(ROUNDS):
        digest = hashlib.sha256(digest).digest()
    for name in range(5):
        (tmp_path / str(name)).write_bytes(digest)
    assert (tmp_path / "0").read_bytes() == digest
    if number % 50 == 0:
        assert subprocess.run([sys.executable, "-c", "import json"]).returncode == 0
'''

CONFTEST = """\
import os
import sys


def pytest_unconfigure():
    print("processor seconds:", sum(os.times()[:4]), file=sys.stderr)
"""


@dataclass(frozen=True)
class Round:
    """Seconds of one round, by the clock and by the processor."""

    inside: float
    opening: float
    bare: float
    inside_cpu: float
    bare_cpu: float


async def prepare(work: Path, options: argparse.Namespace) -> SuiteBench:
    """Write the suite and make its bench ready."""
    checkout = work / "checkout"
    checkout.mkdir()
    rounds = int(options.milliseconds * 1000)  # one hash takes about a microsecond
    (checkout / "test_work.py").write_text(TEST.format(tests=options.tests, rounds=rounds))
    (checkout / "conftest.py").write_text(CONFTEST)
    return await prepare_suite(
        await select(options.sandbox),
        Checkout(checkout, "made"),
        Declared(),
        Places(options.harness.resolve(), work / "toolchain"),
        as_of=None,
    )


def environment(suite: SuiteBench, work: Path) -> Path:
    """The bare side: the sandbox's Python and pytest, without any of the rest."""
    from outside import make_environment

    return make_environment(suite, "", work / "outside")


def processor_s(output: str) -> float:
    """What the suite's conftest printed at its end."""
    return float(output.rpartition("processor seconds:")[2].split()[0])


async def one_round(suite: SuiteBench, python: Path, work: Path) -> Round:
    """Run both sides once."""
    began = time.monotonic()
    done = await run_suite(suite.bench, suite.checkout, suite.plan())
    whole = time.monotonic() - began
    ran = done.repetitions[0]
    if not done.believed or any(test.outcome.value != "passed" for test in done.tests):
        sys.exit(f"the suite does not pass inside: {ran}")
    bare = await anyio.to_thread.run_sync(run_bare, suite, python, work / "outside")
    if bare.run.disagreements or len(bare.run.tests) != len(done.tests):
        sys.exit(f"the suite does not pass outside: {bare.run.disagreements}")
    return Round(
        inside=ran.duration_s,
        opening=whole - ran.duration_s,
        bare=bare.duration_s,
        inside_cpu=processor_s(ran.output_tail),
        bare_cpu=processor_s(bare.run.result.stderr.decode()),
    )


async def measure(options: argparse.Namespace) -> list[Round]:
    """All rounds."""
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=memory) as temporary:
        work = Path(folder)
        os.environ["TMPDIR"] = temporary
        await anyio.Path(work).chmod(0o755)
        suite = await prepare(work, options)
        python = await anyio.to_thread.run_sync(environment, suite, work)
        return [await one_round(suite, python, work) for _ in range(options.rounds)]


def main() -> None:
    """Print medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--milliseconds", type=float, default=25.0)
    parser.add_argument("--harness", type=Path, default=Path("build/harness"))
    options = parser.parse_args()
    rounds = anyio.run(measure, options)
    middle = {name: statistics.median(getattr(one, name) for one in rounds) for name in Round.__annotations__}
    inside, bare = middle["inside"], middle["bare"]
    print(f"bare                {bare:7.2f} s")
    print(f"inside              {inside:7.2f} s  {inside / bare:6.3f} x")
    whole = inside + middle["opening"]
    print(f"opening and closing {middle['opening']:7.2f} s  {whole / bare:6.3f} x in all")
    print(f"processor, bare     {middle['bare_cpu']:7.2f} s")
    ratio = middle["inside_cpu"] / middle["bare_cpu"]
    print(f"processor, inside   {middle['inside_cpu']:7.2f} s  {ratio:6.3f} x")


if __name__ == "__main__":
    main()
