"""The container backend meets the conformance suite, on Podman and on Docker."""

from __future__ import annotations

import tempfile
from pathlib import Path

import anyio
import pytest

from repo_guardian.sandbox.conformance.frame import run_case
from repo_guardian.sandbox.conformance.suite import CASES

_AT_ONCE = 4


@pytest.fixture(scope="module")
def outcomes(backend):
    """Every case's check by name, several at once: most of a case is waiting for the engine."""
    checks = {}

    async def run(case, width) -> None:
        async with width:
            with tempfile.TemporaryDirectory(prefix="guardian-case-") as folder:
                checks[case.name] = await run_case(backend, case, Path(folder))

    async def main() -> None:
        width = anyio.Semaphore(_AT_ONCE)
        async with anyio.create_task_group() as tasks:
            for case in CASES:
                tasks.start_soon(run, case, width)

    anyio.run(main)
    return checks


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_container(outcomes, name):
    assert outcomes[name].passed, outcomes[name].detail


def test_memory_is_bounded_by_a_control_group(outcomes):
    assert outcomes["memory_together"].detail == "bounded together by a control group"
    assert "out_of_memory" in outcomes["memory"].detail
