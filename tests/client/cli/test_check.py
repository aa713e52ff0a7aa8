"""``guardian check --fast``: what broke, for whom, with which exit code; on hostile work trees, too."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

BEFORE = {
    "pkg/__init__.py": "",
    "pkg/io.py": "def load(path, strict=False):\n    return path\n\n\ndef dump(path):\n    return path\n",
    "pkg/app.py": "from pkg.io import load\n\n\ndef run():\n    return load('x')\n",
}
BROKEN = BEFORE["pkg/io.py"].replace("strict=False", "strict")
GUARDIAN = Path(sys.executable).with_name("guardian")


@pytest.fixture
def watched(repository):
    repository.commit(BEFORE, "first")
    return repository


@pytest.fixture
def broken(watched):
    (watched.path / "pkg/io.py").write_text(BROKEN)
    return watched


def signals(report):
    return [signal["line"].partition(":")[0] for signal in report["unproven"]]


def test_a_use_that_is_left_behind_is_told_and_fails_when_asked(broken, guardian):
    before = broken.fingerprint()
    told = guardian("check", broken.path, "--fast")
    assert (told.code, told.err) == (0, "")
    assert "the work tree against" in told.out and "1 file differs" in told.out
    assert "broken   pkg.io.load: parameter 'strict' became required (was strict=False)" in told.out
    assert "- load(path, strict=False)" in told.out and "+ load(path, strict)" in told.out
    assert "pkg/app.py:5  return load('x')" in told.out
    assert "1 with uses left behind" in told.out
    assert guardian("check", broken.path, "--fast", "--fail-on", "lagging").code == 1
    assert broken.fingerprint() == before


def test_all_is_well_in_two_lines(watched, guardian):
    told = guardian("check", watched.path, "--fast", "--fail-on", "lagging")
    assert told.code == 0
    assert len(told.out.splitlines()) == 2
    assert "0 files differ" in told.out and "no use in this repository is left behind" in told.out


def test_a_check_that_executes_is_as_short_when_nothing_changed(watched, guardian):
    told = guardian("check", watched.path, "--sandbox", "worktree")
    assert (told.code, len(told.out.splitlines())) == (0, 2)


def test_what_nothing_lags_behind_is_told_and_fails_nothing(watched, guardian):
    (watched.path / "pkg/io.py").write_text(BEFORE["pkg/io.py"].replace("dump(path)", "dump(path, mode)"))
    told = guardian("check", watched.path, "--fast", "--fail-on", "lagging")
    assert told.code == 0
    assert "pkg.io.dump: required parameter 'mode' was added" in told.out
    assert "broken" not in told.out


def test_staged_or_on_disk(broken, guardian):
    assert signals(guardian("check", broken.path, "--fast", "--staged", "--json").report) == []
    broken.git("add", "pkg/io.py")
    (broken.path / "pkg/io.py").write_text(BEFORE["pkg/io.py"])
    report = guardian("check", broken.path, "--fast", "--staged", "--json").report
    assert signals(report) == ["pkg.io.load"]
    assert (report["cycle"]["scope"], report["cycle"]["number"]) == ("staged", 0)
    assert signals(guardian("check", broken.path, "--fast", "--json").report) == []


def test_another_base(broken, guardian):
    broken.git("commit", "--all", "--quiet", "--message", "break it")
    assert signals(guardian("check", broken.path, "--fast", "--json").report) == []
    report = guardian("check", broken.path, "--fast", "--base", "HEAD~1", "--json").report
    assert signals(report) == ["pkg.io.load"]
    refused = guardian("check", broken.path, "--fast", "--base", "nowhere")
    assert (refused.code, "nowhere" in refused.err) == (2, True)


def test_from_a_folder_inside_and_with_a_detached_head(broken, guardian, monkeypatch):
    broken.git("checkout", "--quiet", "--detach")
    monkeypatch.chdir(broken.path / "pkg")
    assert signals(guardian("check", "--fast", "--json").report) == ["pkg.io.load"]
    assert signals(guardian("check", "..", "--fast", "--json").report) == ["pkg.io.load"]


def test_a_repository_without_a_commit_has_nothing_to_compare_with(repository, guardian):
    (repository.path / "new.py").write_text("x = 1\n")
    for arguments in (("--fast", "--staged", "--fail-on", "lagging"), ()):
        told = guardian("check", repository.path, *arguments)
        assert (told.code, told.out) == (0, "HEAD has no commit yet, so there is nothing to compare with\n")
    assert "no commit yet" in json.loads(guardian("check", repository.path, "--json").out)["note"]


def test_a_bare_repository_and_what_is_none_are_refused(watched, guardian, tmp_path):
    bare = tmp_path / "bare.git"
    watched.git("clone", "--quiet", "--bare", str(watched.path), str(bare))
    refused = guardian("check", bare, "--fast")
    assert (refused.code, "no work tree" in refused.err) == (2, True)
    assert guardian("check", tmp_path / "nowhere", "--fast").code == 2


@pytest.mark.parametrize(
    "arguments",
    [("--fast", "--no-investigate"), ("--fast", "--fail-on", "finding"), ("--fail-on", "shrug")],
)
def test_what_makes_no_sense_together_is_refused(watched, guardian, arguments):
    assert guardian("check", watched.path, *arguments).code == 2


@contextmanager
def a_socket(path):
    folder = os.getcwd()
    os.chdir(path.parent)  # the path of a socket has at most 107 bytes
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(path.name)
        os.chdir(folder)
        yield
    finally:
        os.chdir(folder)
        server.close()


def test_a_hostile_work_tree_costs_no_answer(broken, guardian):
    root = os.fsencode(broken.path)
    for name in (b"caf\xe9.py", b"new\nline.py", b"\x1b[31mred.py"):
        with open(os.path.join(root, name), "wb") as file:
            file.write(b"def f(: \xff\xfe\n")
    os.mkfifo(broken.path / "pipe.py")
    with open(broken.path / "huge.bin", "wb") as file:
        file.truncate(3 * 1024**3)
    (broken.path / "out.py").symlink_to("/etc/passwd")
    (broken.path / "loop").symlink_to("loop")
    (broken.path / ".gitattributes").write_text("*.dat filter=evil\n")
    (broken.path / "a.dat").write_bytes(b"\0")
    deep = broken.path.joinpath(*["d"] * 60)
    deep.mkdir(parents=True)
    (deep / "m.py").write_text("x = 1\n")
    broken.git("config", "filter.evil.clean", f"touch {broken.path}/ran; cat")
    with a_socket(broken.path / "pkg/sock.py"):
        told = guardian("check", broken.path, "--fast", "--fail-on", "lagging")
    assert told.code == 1, told.err
    assert "broken   pkg.io.load" in told.out
    assert "note: 2 paths were not compared and count as unchanged" in told.out
    assert "\x1b" not in told.out
    assert not (broken.path / "ran").exists()


def test_a_hook_sees_the_index_that_is_about_to_be_committed(broken, home, tmp_path):
    hook = broken.path / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {GUARDIAN} check --staged --fast --fail-on lagging\n")
    hook.chmod(0o755)

    def commit(*arguments):
        return subprocess.run(
            [
                "git",
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.invalid",
                "commit",
                "-m",
                "x",
                *arguments,
            ],
            cwd=broken.path,
            env={**os.environ, "GUARDIAN_HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path)},
            check=False,
            capture_output=True,
            text=True,
        )

    head = broken.git("rev-parse", "HEAD")
    for arguments in (["--all"], ["pkg/io.py"]):
        done = commit(*arguments)
        assert done.returncode == 1, done.stderr
        assert "what is staged against" in done.stdout + done.stderr
        assert broken.git("rev-parse", "HEAD") == head
    (broken.path / "pkg/app.py").write_text(BEFORE["pkg/app.py"].replace("load('x')", "load('x', True)"))
    done = commit("--all")
    assert done.returncode == 0, done.stdout + done.stderr
    assert broken.git("rev-parse", "HEAD") != head


def test_a_lock_of_somebody_elses_on_the_index_is_no_obstacle(broken, guardian):
    broken.git("add", "pkg/io.py")
    (broken.path / ".git/index.lock").write_bytes(b"")
    before = broken.fingerprint()
    report = guardian("check", broken.path, "--fast", "--staged", "--json").report
    assert signals(report) == ["pkg.io.load"]
    assert broken.fingerprint() == before


def test_nothing_of_a_check_enters_the_memory(broken, guardian, home):
    assert guardian("check", broken.path, "--fast").code == 0
    (state,) = [path for path in home.iterdir() if path.name.startswith("watched-")]
    assert not (state / "memory").exists()
    assert [path.name for path in (state / "checks").iterdir()] == ["last_fast.json"]


def test_a_fast_check_loads_neither_the_framework_nor_the_database(broken, home):
    code = (
        "import sys; from repo_guardian.client.cli.main import cli\n"
        f"cli.main(args=['check', {str(broken.path)!r}, '--fast', '--home', {str(home)!r}], "
        "standalone_mode=False)\n"
        "print([n for n in ('fastmcp', 'mcp', 'sqlmodel', 'sqlalchemy', 'docker', 'jinja2', 'rich', 'anyio') "
        "if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_reports_for_code_hosts(broken, guardian, tmp_path):
    sarif, page, summary = tmp_path / "out.sarif", tmp_path / "out.html", tmp_path / "summary.md"
    summary.write_text("before\n")
    told = guardian(*("check", broken.path, "--fast", "--sarif", sarif, "--html", page, "--summary", summary))
    assert told.code == 0, told.err
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "contract_changed"
    assert page.read_text().startswith("<!doctype html>")
    assert summary.read_text().startswith("before\n") and "pkg.io.load" in summary.read_text()
    refused = guardian("check", broken.path, "--fast", "--sarif", tmp_path / "no/where.sarif")
    assert (refused.code, "cannot write" in refused.err) == (2, True)
