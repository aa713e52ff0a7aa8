"""A sandbox leaves nothing behind, however it ends, and comes back after a fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
import pytest

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.conformance.frame import LIMITS, tree_digest
from repo_guardian.sandbox.interface import ProcessStatus, SandboxSpec

MARK = str(100_000_000 + os.getpid())
"""Seconds to sleep that no other process on this machine asks for."""

_CLIENT = """
import sys, anyio
from pathlib import Path
from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.interface import SandboxSpec

async def main():
    async with BubblewrapBackend().open(SandboxSpec(Path(sys.argv[1]), "c")) as sandbox:
        await sandbox.run(["true"])
        print("running", flush=True)
        await sandbox.run(["sh", "-c", f"(setsid sleep {sys.argv[2]} &) ; sleep {sys.argv[2]}"])

anyio.run(main)
"""


def processes_with(*words: str) -> list[str]:
    """Command lines on this machine that contain one of ``words``."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if any(word in line for word in words):
                found.append(line)
    return found


def our_mounts(folder: Path) -> list[str]:
    """What is mounted in this namespace where a keeper mounts, or from below ``folder``."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if line.split()[4].startswith("/sys") or folder.name in line]


def sleepers() -> int:
    """How many processes sleep for ``MARK`` seconds, launchers of such a process not counted."""
    return sum(line.startswith("sleep ") for line in processes_with(f"sleep {MARK}"))


def gone(*words: str) -> bool:
    """Whether no such process is left within ten seconds."""
    deadline = time.monotonic() + 10
    while processes_with(*words):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


async def test_nothing_is_left_after_closing(opened, checkout, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mounts = our_mounts(tmp_path)
    temporary = os.listdir(tmp_path)
    async with opened() as sandbox:
        await sandbox.run(["sh", "-c", f"echo x > /repo/x; (setsid sleep {MARK} &)"])
        assert processes_with(str(checkout)), "the keeper is not there"
        assert our_mounts(tmp_path) == mounts
    assert processes_with(str(checkout), f"sleep {MARK}") == []
    assert our_mounts(tmp_path) == mounts
    assert os.listdir(tmp_path) == temporary


async def test_the_checkout_is_untouched_down_to_owner_and_times(opened, checkout):
    def details():
        return {path: (path.lstat().st_uid, path.lstat().st_mtime_ns) for path in checkout.rglob("*")}

    before, digest = details(), tree_digest(checkout)
    async with opened() as sandbox:
        assert (await sandbox.run(["sh", "-c", "cat private && echo x >> private && chmod 777 run.sh"])).ok
        assert (await sandbox.run(["sh", "-c", "rm -rf /repo/* /repo/.[!.]*"])).ok
        assert (await sandbox.run(["ls", "-A"])).stdout == b""
    assert details() == before
    assert tree_digest(checkout) == digest


def test_a_killed_client_leaves_no_process(checkout):
    command = [sys.executable, "-c", _CLIENT, str(checkout), MARK]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as client:
        assert client.stdout.readline() == b"running\n"
        deadline = time.monotonic() + 10
        while sleepers() != 2:  # the daemon and the command
            assert time.monotonic() < deadline, "the daemon did not start"
            time.sleep(0.01)
        client.kill()
    assert client.returncode == -signal.SIGKILL
    assert gone(f"sleep {MARK}", str(checkout)), processes_with(f"sleep {MARK}", str(checkout))


async def test_cancelling_at_any_moment_leaves_no_process(checkout):
    spec = SandboxSpec(checkout, "c", limits=LIMITS)
    for delay in (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08):
        with anyio.move_on_after(delay) as scope:
            async with BubblewrapBackend().open(spec) as sandbox:
                await sandbox.run(["sleep", MARK])
        assert scope.cancelled_caught
        assert processes_with(f"sleep {MARK}", str(checkout)) == [], f"after {delay} s"


async def test_sandboxes_at_once_do_not_meet(checkout):
    seen: dict[int, bytes] = {}

    async def work(number: int) -> None:
        async with BubblewrapBackend().open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
            await sandbox.write_file("/repo/mine", str(number).encode())
            await sandbox.run(["sleep", "0.05"])
            seen[number] = await sandbox.read_file("/repo/mine", limit_bytes=10)

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(work, number)
    assert seen == {number: str(number).encode() for number in range(4)}


async def test_commands_of_one_sandbox_wait_for_each_other(opened):
    async with opened() as sandbox, anyio.create_task_group() as tasks:
        script = "test ! -e busy || echo overlap >> seen; touch busy; sleep 0.05; rm busy; echo done >> seen"
        for _ in range(3):
            tasks.start_soon(sandbox.run, ["sh", "-c", script])
        tasks.cancel_scope.deadline = anyio.current_time() + 20
    async with opened() as sandbox:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(sandbox.run, ["sh", "-c", script])
        assert await sandbox.read_file("/repo/seen", limit_bytes=100) == b"done\n" * 3


async def test_a_lost_keeper_is_a_failure_of_the_sandbox_and_a_reset_mends_it(opened):
    async with opened() as sandbox:
        await sandbox.write_file("/repo/x", b"x")
        os.kill(sandbox._namespace._pid, signal.SIGKILL)
        result = await sandbox.run(["true"])
        assert (result.status, result.exit_code) == (ProcessStatus.SANDBOX_FAILED, None)
        assert result.reason
        with pytest.raises(SandboxError):
            await sandbox.read_file("/repo/x", limit_bytes=10)
        with pytest.raises(SandboxError):
            await sandbox.evidence_diff()
        await sandbox.reset()
        assert (await sandbox.run(["test", "-e", "x"])).exit_code == 1


async def test_a_closed_sandbox_refuses(opened):
    async with opened() as sandbox:
        pass
    for attempt in (sandbox.run(["true"]), sandbox.reset(), sandbox.evidence_diff()):
        with pytest.raises(SandboxError, match="closed"):
            await attempt
