"""Every backend meets the conformance suite; bubblewrap as root and as an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from repo_guardian.sandbox.conformance.frame import run_case
from repo_guardian.sandbox.conformance.suite import CASES
from repo_guardian.sandbox.registry import load

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
_AS_USER = """
import sys, tempfile, anyio
from pathlib import Path
from repo_guardian.sandbox.conformance.frame import run_case
from repo_guardian.sandbox.conformance.suite import CASES
from repo_guardian.sandbox.registry import load

async def run(case, width):
    async with width:
        with tempfile.TemporaryDirectory() as folder:
            check = await run_case(load("bubblewrap"), case, Path(folder))
    print("ok" if check.passed else "FAILED", check.name, check.detail)

async def main():
    width = anyio.Semaphore(4)
    async with anyio.create_task_group() as tasks:
        for case in CASES:
            tasks.start_soon(run, case, width)

anyio.run(main)
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_bubblewrap(case, tmp_path):
    check = await run_case(load("bubblewrap"), case, tmp_path)
    assert check.passed, check.detail


@pytest.mark.parametrize("case", [case for case in CASES if not case.isolation], ids=lambda case: case.name)
async def test_worktree(case, tmp_path):
    check = await run_case(load("worktree"), case, tmp_path)
    assert check.passed, check.detail


def readable_python() -> str | None:
    """An interpreter that an ordinary user may run: ours, else the system's."""
    base = Path(sys.base_prefix).resolve()
    ours = base / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for candidate in (str(ours), "/usr/bin/python3"):
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        if subprocess.run(as_nobody(candidate, "-c", code), capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def as_nobody(*command: str) -> list[str]:
    """The command line as an ordinary user."""
    identity = ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    return ["setpriv", *identity, "--no-new-privs", "--", *command]


def test_bubblewrap_as_an_ordinary_user():
    if os.geteuid() != 0:
        pytest.skip("this run is by an ordinary user already")
    python = readable_python()
    if python is None:
        pytest.skip("no Python 3.11 that an ordinary user may run")
    with tempfile.TemporaryDirectory(prefix="guardian-user-") as folder:
        library = Path(folder) / "library"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "core", library / "repo_guardian", ignore=ignore)
        shutil.copytree(ROOT / "sandbox", library / "repo_guardian" / "sandbox", ignore=ignore)
        site = Path(sysconfig.get_path("purelib"))
        for name in ("anyio", "idna"):
            shutil.copytree(site / name, library / name, ignore=ignore)
        shutil.copy(site / "typing_extensions.py", library)
        Path(folder).chmod(0o755)
        environment = {"PATH": os.defpath, "PYTHONPATH": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
        command = as_nobody(python, "-s", "-c", _AS_USER)
        done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [], done.stdout
    assert (len(lines), done.returncode) == (len(CASES), 0), done.stderr
