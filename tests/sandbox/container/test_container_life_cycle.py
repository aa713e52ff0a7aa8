"""A container leaves nothing behind, however it ends, and never outlives its owner or its deadline."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import LIMITS, tree_digest
from repo_guardian.sandbox.container import session
from repo_guardian.sandbox.container.backend import sweep
from repo_guardian.sandbox.container.ground import ROOT, owner_file_of
from repo_guardian.sandbox.container.ownership import LABEL, Owner
from repo_guardian.sandbox.interface import ProcessStatus, SandboxSpec

MARK = str(200_000_000 + os.getpid())
"""Seconds to sleep that no other process on this machine asks for."""

_CLIENT = """
import sys, anyio
from pathlib import Path
from repo_guardian.sandbox.container.backend import ContainerBackend
from repo_guardian.sandbox.container.engine import connect
from repo_guardian.sandbox.interface import SandboxSpec

async def main():
    backend = ContainerBackend(sys.argv[1])
    backend._engine = connect(Path(sys.argv[2]))
    async with backend.open(SandboxSpec(Path(sys.argv[3]), "c")) as sandbox:
        print(sandbox._ground.base, sandbox._ground._process.pid, flush=True)
        await sandbox.run(["sh", "-c", f"(setsid sleep {sys.argv[4]} &) ; sleep {sys.argv[4]}"])

anyio.run(main)
"""


def sleepers() -> int:
    """How many processes sleep for ``MARK`` seconds."""
    found = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                found += (entry / "cmdline").read_bytes() == f"sleep\0{MARK}\0".encode()
    return found


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def containers(backend, base: Path | None = None) -> list[str]:
    """Identifiers of this program's containers, or of the one over ``base``."""
    if base is not None:
        rows = backend.engine()._client.api.containers(all=True, filters={"name": f"guardian-{base.name}"})
        return [row["Id"] for row in rows]
    return [
        found.identifier
        for found in backend.engine().labelled(LABEL)
        if found.labels[LABEL] == str(os.getpid())
    ]


def grounds() -> set[str]:
    """Names below the place of grounds that this program owns, mounted or not."""
    mine = set()
    for owner_file in ROOT.glob("*.owner"):
        with suppress(OSError, ValueError):
            if json.loads(owner_file.read_text()).get(LABEL) == str(os.getpid()):
                mine.add(owner_file.stem)
    return mine


@pytest.fixture
def client(backend, checkout):
    """A program that holds a sandbox with a command and a daemon in it: its process, ground, holder."""
    command = [sys.executable, "-c", _CLIENT, backend.engine().name, str(backend.engine().socket)]
    with subprocess.Popen([*command, str(checkout), MARK], stdout=subprocess.PIPE, text=True) as process:
        base, holder = process.stdout.readline().split()
        assert within(20, lambda: sleepers() == 2), "the daemon did not start"
        yield process, Path(base), int(holder)
        process.kill()


async def test_nothing_is_left_after_closing(backend, checkout):
    seen = set()
    async with backend.open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        await sandbox.run(["sh", "-c", f"echo x > /repo/x; (setsid sleep {MARK} &)"])
        seen |= grounds()
        assert len(containers(backend)) == 1
        await sandbox.reset()
        seen |= grounds()
        assert len(containers(backend)) == 1
        assert sleepers() == 0
    assert len(seen) == 2
    assert sleepers() == 0
    assert containers(backend) == []
    assert grounds() == set()
    mounts = Path("/proc/self/mountinfo").read_text()
    assert not any(name in mounts for name in seen)


async def test_the_checkout_is_untouched_down_to_owner_and_times(backend, checkout):
    def details():
        return {path: (path.lstat().st_uid, path.lstat().st_mtime_ns) for path in checkout.rglob("*")}

    before, digest = details(), tree_digest(checkout)
    async with backend.open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        assert (await sandbox.run(["sh", "-c", "cat private && echo x >> private && chmod 777 run.sh"])).ok
        assert (await sandbox.run(["sh", "-c", "rm -rf /repo/* /repo/.[!.]*"])).ok
        assert (await sandbox.run(["ls", "-A"])).stdout == b""
    assert details() == before
    assert tree_digest(checkout) == digest


def test_a_killed_client_leaves_no_process_container_or_mount(backend, client):
    process, base, _ = client
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert within(10, lambda: sleepers() == 0)
    assert within(10, lambda: not base.exists() and not owner_file_of(base).exists())
    assert str(base) not in Path("/proc/self/mountinfo").read_text()
    assert within(20, lambda: containers(backend, base) == []), "the engine did not remove it"


def test_what_a_dead_owner_left_is_swept_and_a_live_owner_s_is_not(backend, client):
    process, base, holder = client
    assert sweep(backend.engine()) == []
    assert base.exists()
    assert sleepers() == 2
    os.kill(holder, signal.SIGKILL)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert within(10, lambda: sleepers() == 0)
    assert str(base) in Path("/proc/self/mountinfo").read_text(), "nothing was left to sweep"
    sweep(backend.engine())
    assert not base.exists()
    assert not owner_file_of(base).exists()
    assert str(base) not in Path("/proc/self/mountinfo").read_text()
    assert containers(backend, base) == []


def test_an_owner_is_told_from_a_later_process_and_has_a_deadline():
    owner = Owner.current(60)
    assert Owner.parse(owner.labels()) == owner
    assert not owner.gone()
    assert replace(owner, started="1").gone()
    assert replace(owner, pid=2**22 + 1).gone()
    assert replace(owner, boot="another").gone()
    assert replace(owner, deadline=int(time.time()) - 1).gone()
    assert not replace(owner, pid=2**22 + 1, namespace="another").gone()
    assert Owner.parse({LABEL: "1"}) is None


async def test_a_container_ends_at_its_deadline(backend, checkout, monkeypatch):
    monkeypatch.setattr(session, "LIFETIME_S", 1.5)
    async with backend.open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        result = await sandbox.run(["sleep", MARK])
        assert (result.status, result.exit_code) == (ProcessStatus.SANDBOX_FAILED, None)
        assert sleepers() == 0
        assert within(20, lambda: containers(backend) == [])
        monkeypatch.setattr(session, "LIFETIME_S", 60.0)
        await sandbox.reset()
        assert (await sandbox.run(["true"])).ok


async def test_cancelling_at_any_moment_leaves_nothing(backend, checkout):
    spec = SandboxSpec(checkout, "c", limits=LIMITS)
    for delay in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8):
        with anyio.move_on_after(delay) as scope:
            async with backend.open(spec) as sandbox:
                await sandbox.run(["sleep", MARK])
        assert scope.cancelled_caught
        assert sleepers() == 0, f"after {delay} s"
        assert containers(backend) == [], f"after {delay} s"
        assert grounds() == set(), f"after {delay} s"


async def test_a_lost_container_is_a_failure_of_the_sandbox_and_a_reset_mends_it(backend, checkout):
    async with backend.open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        await sandbox.write_file("/repo/x", b"x")
        os.kill(sandbox._cell.pid, signal.SIGKILL)
        result = await sandbox.run(["true"])
        assert (result.status, result.exit_code) == (ProcessStatus.SANDBOX_FAILED, None)
        assert result.reason
        with pytest.raises(SandboxError):
            await sandbox.read_file("/repo/x", limit_bytes=10)
        with pytest.raises(SandboxError):
            await sandbox.evidence_diff()
        await sandbox.reset()
        assert (await sandbox.run(["test", "-e", "x"])).exit_code == 1


async def test_a_closed_sandbox_refuses(backend, checkout):
    async with backend.open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        pass
    for attempt in (sandbox.run(["true"]), sandbox.reset(), sandbox.evidence_diff()):
        with pytest.raises(SandboxError, match="closed"):
            await attempt


async def test_a_limit_of_one_command_does_not_bind_the_next(backend, checkout):
    code = "held = bytearray(300 * 1024**2)"
    async with backend.open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        wide = replace(LIMITS, memory_bytes=1024**3)
        assert (await sandbox.run([sandbox.python, "-c", code], limits=wide)).ok
        assert (await sandbox.run([sandbox.python, "-c", code])).status is ProcessStatus.OUT_OF_MEMORY
        assert (await sandbox.run([sandbox.python, "-c", code], limits=wide)).ok
