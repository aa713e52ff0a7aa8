"""What strangers leave behind, seen closely: evidence by kind of file and its bounds; mounts; programs."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import LIMITS
from repo_guardian.sandbox.interface import ChangeKind, ProcessStatus, ReadOnlyMount


async def test_exits_are_the_commands_own_even_when_they_look_like_failures(opened):
    async with opened() as sandbox:
        loud = await sandbox.run(["sh", "-c", "echo 'bwrap: execvp: No such file' >&2; exit 1"])
        assert (loud.status, loud.exit_code) == (ProcessStatus.EXITED, 1)
        assert (await sandbox.run(["sh", "-c", "exit 127"])).exit_code == 127
        assert (await sandbox.run(["sh", "-c", "no-such-command"])).exit_code == 127


async def test_evidence_survives_every_kind_of_file(opened):
    script = r"""
import os, socket
os.mkfifo("fifo"); os.symlink("/etc/passwd", "link-out"); os.symlink("/", "folder-out")
socket.socket(socket.AF_UNIX).bind("socket")
open("one", "w").write("1"); os.link("one", "two")
open(b"n\xff\nname", "w").write("odd")
open("secret", "w").write("s"); os.chmod("secret", 0)
os.mkdir("closed"); open("closed/in", "w").write("c"); os.chmod("closed", 0)
with open("sparse", "wb") as f: f.truncate(3 << 20)
os.remove("pkg/m.py"); os.remove("pkg/__init__.py"); os.rmdir("pkg"); os.mkdir("pkg")
open("pkg/new", "w").write("n")
os.remove("a.txt"); os.mkdir("a.txt"); open("a.txt/inner", "w").write("i")
os.remove("link"); os.symlink("a.txt", "link")
os.rename("run.sh", "moved.sh")
os.chmod("private", 0o755)
os.utime("private", (1, 1))
"""
    async with opened() as sandbox:
        result = await sandbox.run([sandbox.python, "-c", script])
        assert result.ok, result.stderr
        changes = await sandbox.evidence_diff(limit_bytes=1 << 20)
    assert list(changes) == sorted(changes, key=lambda change: change.path)
    kinds = {change.path: change.kind for change in changes}
    special, written, deleted = ChangeKind.SPECIAL, ChangeKind.WRITTEN, ChangeKind.DELETED
    assert kinds == {
        **dict.fromkeys(("fifo", "link-out", "folder-out", "socket"), special),
        **dict.fromkeys(("one", "two", "secret", "closed/in", "sparse", "pkg/new", "a.txt/inner"), written),
        **dict.fromkeys(("moved.sh", "private", os.fsdecode(b"n\xff\nname")), written),
        **dict.fromkeys(("a.txt", "pkg/m.py", "pkg/__init__.py", "run.sh"), deleted),
    }
    content = {change.path: (change.content, change.truncated) for change in changes}
    assert content["two"] == (b"1", False)
    assert content["secret"] == (b"s", False)
    assert content["sparse"] == (bytes(1 << 20), True)
    assert all(content[path] == (b"", False) for path, kind in kinds.items() if kind is not written)


async def test_evidence_out_of_bounds_is_an_error(opened):
    code = "import os\nfor _ in range(400):\n os.mkdir('d'); os.chdir('d')"
    async with opened() as sandbox:
        assert (await sandbox.run([sandbox.python, "-c", code])).ok
        with pytest.raises(SandboxError, match="nested deeper"):
            await sandbox.evidence_diff()
        await sandbox.reset()
        assert await sandbox.evidence_diff() == ()


async def test_mounts_are_read_only_and_nowhere_else(opened, tmp_path):
    source = tmp_path / "tool, with:comma"
    source.mkdir()
    (source / "data").write_text("d")
    (source / "data").chmod(0o600)
    async with opened(mounts=(ReadOnlyMount(source, "/toolchain/site"),)) as sandbox:
        assert (await sandbox.run(["cat", "/toolchain/site/data"])).stdout == b"d"
        for command in ("echo x > /toolchain/site/data", "touch /toolchain/x", "chmod 777 /toolchain/site"):
            assert not (await sandbox.run(["sh", "-c", command])).ok
    assert (source / "data").read_text() == "d"


@pytest.mark.parametrize(
    "target", ["relative", "/", "/usr", "/repo/x", "/tmp", "/etc", "/a/../etc", "/proc/x"]
)
async def test_mounts_in_places_of_the_sandbox_are_refused(target, opened, tmp_path):
    with pytest.raises(SandboxError):
        async with opened(mounts=(ReadOnlyMount(tmp_path, target),)):
            pass


async def test_ordinary_programs_work(opened):
    async with opened(limits=replace(LIMITS, memory_bytes=1 << 30, processes=64)) as sandbox:
        for code in (
            "import multiprocessing as m\nwith m.Pool(2) as p: assert p.map(abs, [-1]) == [1]",
            "import subprocess; subprocess.run(['sh', '-c', 'true'], check=True)",
            "import socket; a, b = socket.socketpair(); s = socket.create_server(('127.0.0.1', 0))",
            "import tempfile; tempfile.TemporaryFile().write(b'x')",
            "import asyncio; asyncio.run(asyncio.sleep(0))",
            "import getpass, pathlib; assert str(pathlib.Path.home()) == '/tmp'; print(getpass.getuser())",
            "import threading; t = threading.Thread(target=print); t.start(); t.join()",
            "import ctypes, ssl, sqlite3, zlib, random; random.SystemRandom().random()",
        ):
            result = await sandbox.run([sandbox.python, "-c", code])
            assert result.ok, (code, result.stderr)
