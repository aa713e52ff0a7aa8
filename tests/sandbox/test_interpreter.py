"""Which Pythons of the host are offered: real installations only, and nothing that a repository planted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.interface import SandboxSpec
from repo_guardian.sandbox.interpreter import OLDEST, choose, current_interpreter, host_interpreters
from repo_guardian.sandbox.registry import load


@pytest.fixture
def looked_for_anew():
    """What is found in the test is found on the host as the test has it."""
    host_interpreters.cache_clear()
    yield
    host_interpreters.cache_clear()


def test_the_running_one_comes_first_and_each_version_once():
    found = host_interpreters()
    versions = [interpreter.version for interpreter in found]
    assert found[0] == current_interpreter()
    assert len(versions) == len(set(versions))
    assert versions[1:] == sorted(versions[1:], reverse=True)
    assert all(version >= OLDEST for version in versions)


def test_each_is_an_installation_and_no_virtual_environment():
    for interpreter in host_interpreters():
        code = "import sys; print(sys.prefix == sys.base_prefix, *sys.version_info[:2])"
        said = subprocess.run(
            [interpreter.host, "-I", "-c", code], capture_output=True, text=True, check=True
        )
        assert said.stdout.split() == ["True", *map(str, interpreter.version)]


@pytest.mark.usefixtures("looked_for_anew")
def test_nothing_that_was_planted_is_started(tmp_path, monkeypatch):
    marker = tmp_path / "ran"
    script = f"#!/bin/sh\ntouch '{marker}'\n"
    shims, relative = tmp_path / "shims", tmp_path / "relative"
    environment = tmp_path / "venv" / "bin"
    for folder in (shims, relative, environment):
        folder.mkdir(parents=True)
        (folder / "python3.14").write_text(script)
        (folder / "python3.14").chmod(0o755)
    (environment.parent / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (environment / "python3.14").unlink()
    (environment / "python3.14").symlink_to(Path(sys.executable).resolve())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{shims}:relative:.:{environment}:{os.environ['PATH']}")
    found = host_interpreters()
    assert not marker.exists()
    assert not [one for one in found if tmp_path in one.prefix.parents]


def test_one_that_is_not_there_names_those_that_are():
    with pytest.raises(SandboxUnavailableError, match=r"Python 3\.99") as caught:
        choose(host_interpreters(), (3, 99))
    assert all(".".join(map(str, one.version)) in caught.value.hint for one in host_interpreters())


async def test_the_worktree_runs_the_one_that_was_asked_for(checkout):
    backend = load("worktree")
    for runtime in backend.interpreters():
        async with backend.open(SandboxSpec(checkout, "c", python=runtime.version)) as sandbox:
            assert sandbox.python == runtime.path == runtime.host_path
