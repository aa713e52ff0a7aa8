"""The control group: made where possible, never needed, and gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from repo_guardian.sandbox.bubblewrap.cgroup import CommandGroup
from repo_guardian.sandbox.conformance.frame import LIMITS
from repo_guardian.sandbox.interface import ProcessStatus


def groups(owner: int) -> set[Path]:
    """Every group that the process ``owner`` has made."""
    return set(Path("/sys/fs/cgroup").rglob(f"repo-guardian-{owner}-*"))


@pytest.fixture
def group():
    """A group, where one can be made."""
    made = CommandGroup.create()
    if made is None:
        pytest.skip("no control group can be made here")
    yield made
    made.remove()


def test_processes_enter_and_the_limits_hold(group):
    group.limit(replace(LIMITS, memory_bytes=64 << 20), disk_bytes=0)
    hog = group.enter([sys.executable, "-c", "held = bytearray(256 << 20)"])
    assert subprocess.run(hog, check=False).returncode == -9
    assert group.kills() == 1
    small = group.enter([sys.executable, "-c", "print(open('/proc/self/cgroup').read())"])
    done = subprocess.run(small, capture_output=True, text=True, check=True)
    assert "repo-guardian-" in done.stdout
    assert group.kills() == 1


def test_what_a_killed_program_left_is_swept(group):
    code = (
        "import os, signal\n"
        "from repo_guardian.sandbox.bubblewrap.cgroup import CommandGroup\n"
        "assert CommandGroup.create()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as program:
        assert program.wait() == -9
    assert groups(program.pid), "it left nothing to sweep"
    CommandGroup.create().remove()
    assert groups(program.pid) == set()


async def test_memory_that_is_used_up_is_told_and_the_next_command_is_fresh(group, opened):
    before = groups(os.getpid())
    async with opened() as sandbox:
        child = "import os\nif os.fork() == 0: held = bytearray(1 << 29)\nelse: os.wait()"
        starved = await sandbox.run([sandbox.python, "-c", child])
        assert (starved.status, starved.exit_code) == (ProcessStatus.OUT_OF_MEMORY, None)
        assert (await sandbox.run(["true"])).ok
        await sandbox.reset()
        wide = replace(LIMITS, memory_bytes=1 << 30)
        assert (await sandbox.run([sandbox.python, "-c", "held = bytearray(1 << 29)"], limits=wide)).ok
    assert groups(os.getpid()) == before


async def test_files_do_not_use_up_the_memory_of_commands(group, opened):
    limits = replace(LIMITS, memory_bytes=64 << 20, disk_bytes=128 << 20, file_size_bytes=128 << 20)
    async with opened(limits=limits) as sandbox:
        for name in ("a", "b"):
            write = f"f = open('/tmp/{name}', 'wb')\nfor _ in range(60): f.write(bytes(1 << 20))"
            assert (await sandbox.run([sandbox.python, "-c", write])).ok
        assert (await sandbox.run([sandbox.python, "-c", "held = bytearray(32 << 20)"])).ok
