"""Every backend meets the conformance suite; bubblewrap as root and as an ordinary user."""

from __future__ import annotations

import pytest

from repo_guardian.sandbox.conformance.frame import run_case
from repo_guardian.sandbox.conformance.suite import CASES
from repo_guardian.sandbox.registry import load

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


def test_bubblewrap_as_an_ordinary_user(run_as_nobody):
    lines = run_as_nobody(_AS_USER)
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert len(lines) == len(CASES)
