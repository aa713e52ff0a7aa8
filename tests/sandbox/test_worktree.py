"""The debugging backend says what it is, keeps the checkout clean and finds its places."""

from __future__ import annotations

import os
import tempfile

from repo_guardian.sandbox.conformance.frame import LIMITS, tree_digest
from repo_guardian.sandbox.interface import ProcessStatus, ReadOnlyMount, SandboxSpec
from repo_guardian.sandbox.worktree.backend import WorktreeBackend


async def test_it_warns_and_leaves_checkout_and_host_as_they_were(checkout, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    digest, temporary = tree_digest(checkout), os.listdir(tmp_path)
    async with WorktreeBackend().open(SandboxSpec(checkout, "c", limits=LIMITS)) as sandbox:
        assert capsys.readouterr().err.count("isolates NOTHING") == 1
        assert (await sandbox.run(["sh", "-c", "echo x >> a.txt; rm pkg/m.py"])).ok
        assert {change.path for change in await sandbox.evidence_diff()} == {"a.txt", "pkg/m.py"}
        await sandbox.reset()
        assert await sandbox.evidence_diff() == ()
        assert capsys.readouterr().err == ""
    assert tree_digest(checkout) == digest
    assert os.listdir(tmp_path) == temporary


async def test_inside_paths_lead_to_the_copy(checkout, tmp_path):
    source = tmp_path / "tool"
    source.mkdir()
    (source / "module.py").write_text("VALUE = 5\n")
    spec = SandboxSpec(checkout, "c", mounts=(ReadOnlyMount(source, "/toolchain/site"),), limits=LIMITS)
    async with WorktreeBackend().open(spec) as sandbox:
        assert (await sandbox.run(["cat", "/repo/a.txt"], cwd="/repo/pkg")).stdout == b"a\n"
        assert (await sandbox.run(["cat", "/repository"])).exit_code == 1
        code = "import module, pkg.m; print(module.VALUE + pkg.m.VALUE)"
        variables = {"PYTHONPATH": "/toolchain/site:/repo"}
        result = await sandbox.run([sandbox.python, "-c", code], cwd="/tmp", environment=variables)
        assert result.stdout == b"6\n", result
        assert (result.cwd, result.argv[-1]) == ("/tmp", code)
        await sandbox.write_file("/out/x", b"x")
        assert await sandbox.read_file("/out/x", limit_bytes=1) == b"x"


async def test_a_time_out_kills_the_process_group(checkout):
    async with WorktreeBackend().open(SandboxSpec(checkout, "c")) as sandbox:
        from dataclasses import replace

        result = await sandbox.run(["sh", "-c", "sleep 60 & sleep 60"], limits=replace(LIMITS, wall_s=0.3))
    assert result.status is ProcessStatus.TIMED_OUT
    assert result.duration_s < 10
