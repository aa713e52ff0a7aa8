"""Cases: what a command does is reported exactly, and the overlay behaves like the tree that it shows."""

from __future__ import annotations

import os
from collections.abc import Awaitable
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import (
    Case,
    demand,
    demand_status,
    output_of,
    python,
    summary,
    tree_digest,
)
from repo_guardian.sandbox.interface import REPO, ChangeKind, ProcessStatus, Sandbox

_HEARTBEAT = "while true; do echo x >> beat; sleep 0.01; done"


async def exit_codes(sandbox: Sandbox, _: Path) -> str:
    """Every exit code is the command's own, those that shells give a meaning too."""
    for code in (0, 1, 125, 126, 127, 137, 255):
        result = await sandbox.run(["sh", "-c", f"exit {code}"])
        demand(result.status is ProcessStatus.EXITED and result.exit_code == code, summary(result))
    return "0 to 255 as they are"


async def signals(sandbox: Sandbox, _: Path) -> str:
    """Death by a signal is told from an exit code."""
    for number in (6, 9, 11, 15):
        result = await sandbox.run(["sh", "-c", f"kill -{number} $$"])
        demand(result.status is ProcessStatus.SIGNALED and result.signal == number, summary(result))
    return "signals by number"


async def spawn_failures(sandbox: Sandbox, _: Path) -> str:
    """A command that cannot start is neither an exit code nor a failure of the sandbox."""
    missing = await sandbox.run(["/no/such/command"])
    for result in (
        missing,
        await sandbox.run(["no-such-command"]),
        await sandbox.run(["/repo/a.txt"]),
        await sandbox.run(["true"], cwd="/repo/nowhere"),
        await sandbox.run([]),
        await sandbox.run(["echo", "a\0b"]),
    ):
        demand_status(result, ProcessStatus.SPAWN_FAILED)
        demand(bool(result.reason) and result.exit_code is None, "no reason is given")
    return missing.reason


async def streams(sandbox: Sandbox, _: Path) -> str:
    """Bytes pass through standard input and output unchanged, and input ends."""
    content = bytes(range(256)) * 128
    result = await sandbox.run(["cat"], stdin=content)
    demand(result.stdout == content, f"{len(result.stdout)} of {len(content)} bytes came back")
    demand((await sandbox.run(["cat"])).stdout == b"", "standard input is not empty by default")
    ignored = await sandbox.run(["true"], stdin=b"x" * 1_000_000)
    demand(ignored.ok, f"unread input: {summary(ignored)}")
    return f"{len(content)} arbitrary bytes"


async def arguments(sandbox: Sandbox, _: Path) -> str:
    """Arguments arrive unchanged, no shell between."""
    hostile = ["$(id)", "`id`", "a b", "'", '"', "\n", "", "--", "-c", "*", os.fsdecode(b"\xff\xfe"), "é"]
    result = await sandbox.run([sandbox.python, "-c", "import sys; print(ascii(sys.argv[1:]))", *hostile])
    demand(result.stdout.decode() == ascii(hostile) + "\n", summary(result))
    return f"{len(hostile)} hostile arguments"


async def working_directory(sandbox: Sandbox, _: Path) -> str:
    """Commands start in the repository, or where they are told to."""
    demand(await output_of(sandbox, "cat", "a.txt") == "a\n", "the repository is not the default folder")
    result = await sandbox.run(["cat", "m.py"], cwd=f"{REPO}/pkg")
    demand(result.ok and result.cwd == f"{REPO}/pkg", summary(result))
    return "default and given"


async def environment(sandbox: Sandbox, _: Path) -> str:
    """Only the allow-list, the specification's and the command's variables are there."""
    result = await sandbox.run(["env", "--null"], environment={"GIVEN": "two\nlines"})
    names = {item.partition(b"=")[0].decode() for item in result.stdout.split(b"\0") if item}
    fixed = {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "PYTHONHASHSEED", "SOURCE_DATE_EPOCH", "GIVEN"}
    python_only = {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONNOUSERSITE"}
    demand(names == fixed | python_only, f"variables: {sorted(names)}")
    demand(b"GIVEN=two\nlines" in result.stdout.split(b"\0"), "a value was changed")
    return f"{len(names)} variables, none of the host's"


async def files(sandbox: Sandbox, _: Path) -> str:
    """Files are written and read whole; what is not a regular file within the limit is refused."""
    content = bytes(range(256)) * 512
    await sandbox.write_file("/repo/new/deep/file.bin", content)
    demand(await sandbox.read_file("/repo/new/deep/file.bin", limit_bytes=len(content)) == content, "changed")
    await sandbox.write_file("/out/result", b"first, and longer")
    await sandbox.write_file("/out/result", b"second")
    demand(await sandbox.read_file("/out/result", limit_bytes=100) == b"second", "not replaced")
    await output_of(sandbox, "sh", "-c", "mkfifo fifo; ln -s /etc/passwd planted")
    special = ("/repo/fifo", "/repo/planted", "/repo/pkg")
    for path in (*special, "/repo/none", "/etc/passwd", "a.txt", "/repo/../etc/passwd"):
        await _refused(sandbox.read_file(path, limit_bytes=1000), f"read {path}")
    for path in (*special, "/usr/x", "/repo", "relative"):
        await _refused(sandbox.write_file(path, b"x"), f"wrote {path}")
    await _refused(sandbox.read_file("/out/result", limit_bytes=3), "read more than the limit")
    return "written, replaced, read; links, FIFOs and folders refused"


async def _refused(attempt: Awaitable[object], what: str) -> None:
    try:
        await attempt
    except SandboxError:
        return
    demand(False, what)


async def replacement(sandbox: Sandbox, checkout: Path) -> str:
    """A larger file of the checkout is replaced by a shorter one, though it is copied up whole first."""
    large = (checkout / "large.bin").stat().st_size
    await sandbox.write_file("/repo/large.bin", b"short")
    demand(await sandbox.read_file("/repo/large.bin", limit_bytes=10) == b"short", "not replaced")
    changes = await sandbox.evidence_diff()
    demand([change.content for change in changes] == [b"short"], f"changes: {changes}")
    return f"{large} bytes replaced by 5"


async def overlay(sandbox: Sandbox, checkout: Path) -> str:
    """Commands may change and delete anything under the repository; the checkout does not notice."""
    before = tree_digest(checkout)
    script = "echo b >> a.txt; chmod 600 pkg/m.py; ln -sf x link; rm -rf pkg; echo x > pkg; rm -rf /repo/*"
    await output_of(sandbox, "sh", "-ec", script)
    demand(await output_of(sandbox, "ls") == "", "the repository is not empty")
    demand(tree_digest(checkout) == before, "the checkout has changed")
    return "everything deleted above, nothing changed below"


async def evidence(sandbox: Sandbox, _: Path) -> str:
    """The evidence lists changed, new and deleted files, and special ones without opening them."""
    demand(await sandbox.evidence_diff() == (), "a fresh overlay has changes")
    script = """
echo changed > a.txt; echo new > new.txt; rm pkg/m.py; mkfifo fifo; ln -s /etc/passwd planted
echo changed > run.sh; printf '#!/bin/sh\\necho ran\\n' > run.sh
mkdir empty; dd if=/dev/zero of=large bs=1000 count=5
"""
    await output_of(sandbox, "sh", "-c", script)
    changes = {change.path: change for change in await sandbox.evidence_diff(limit_bytes=1000)}
    kinds = {path: change.kind for path, change in changes.items()}
    expected = {
        "a.txt": ChangeKind.WRITTEN,
        "new.txt": ChangeKind.WRITTEN,
        "large": ChangeKind.WRITTEN,
        "pkg/m.py": ChangeKind.DELETED,
        "fifo": ChangeKind.SPECIAL,
        "planted": ChangeKind.SPECIAL,
    }
    demand(kinds == expected, f"seen: {kinds}")
    demand(changes["a.txt"].content == b"changed\n", "wrong content")
    demand(changes["large"].truncated and len(changes["large"].content) == 1000, "the limit does not hold")
    return f"{len(changes)} changes"


async def reset(sandbox: Sandbox, _: Path) -> str:
    """After a reset no file of earlier commands is left anywhere, and the tree is whole again."""
    script = "rm -rf /repo/*; for d in /repo /out /tmp /dev/shm; do echo x > $d/left; done"
    await sandbox.run(["sh", "-c", script])
    await sandbox.reset()
    script = "ls -A /out /tmp; ls /dev/shm/left 2>/dev/null; cat a.txt link"
    left = await output_of(sandbox, "sh", "-c", script)
    demand("left" not in left and left.endswith("a\na\n"), f"left over: {left!r}")
    demand(await sandbox.evidence_diff() == (), "the overlay is not fresh")
    return "files gone, tree whole"


async def cancellation(sandbox: Sandbox, _: Path) -> str:
    """Cancelling a run kills the command before the cancellation propagates."""
    with anyio.move_on_after(0.5) as scope:
        await sandbox.run(["sh", "-c", _HEARTBEAT])
    demand(scope.cancelled_caught, "it was not cancelled")
    first = await sandbox.read_file("/repo/beat", limit_bytes=10_000)
    await output_of(sandbox, "sleep", "0.1")
    second = await sandbox.read_file("/repo/beat", limit_bytes=10_000)
    demand(len(first) > 0 and first == second, "the command outlived its cancellation")
    return "dead before the cancellation propagated"


async def bytecode(sandbox: Sandbox, _: Path) -> str:
    """Bytecode that lies in the tree is not loaded, and none is written."""
    plant = """
import py_compile, sys
source = "planted.py"
open(source, "w").write("VALUE = 666\\n")
target = f"pkg/__pycache__/m.{sys.implementation.cache_tag}.pyc"
py_compile.compile(source, target, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""
    result = await python(sandbox, plant)
    demand(result.ok, summary(result))
    value = await output_of(sandbox, sandbox.python, "-c", "import pkg.m; print(pkg.m.VALUE)")
    demand(value == "1\n", f"planted bytecode was loaded: {value}")
    listed = await output_of(sandbox, "find", ".", "-name", "*.pyc")
    demand(listed.count("\n") == 1, f"written: {listed}")
    return "planted bytecode ignored"


CASES = (
    Case("exit_codes", exit_codes),
    Case("signals", signals),
    Case("spawn_failures", spawn_failures),
    Case("streams", streams),
    Case("arguments", arguments),
    Case("working_directory", working_directory),
    Case("environment", environment, fast=True),
    Case("files", files),
    Case("replacement", replacement),
    Case("overlay", overlay, isolation=True, fast=True),
    Case("evidence", evidence),
    Case("reset", reset, isolation=True, fast=True),
    Case("cancellation", cancellation),
    Case("bytecode", bytecode),
)
