"""A bench with the pinned runner and no dependencies, for whatever runs a tree's own suite."""

from __future__ import annotations

import pytest

from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.execution.toolchains import prepare_toolchains


@pytest.fixture
async def bench(home):
    """The bench that suites run on."""
    backend = await select("bubblewrap")
    toolchains = await prepare_toolchains(
        backend, Declared((), ()), as_of=None, harness_root=home / "harness", site_root=home / "site"
    )
    limits = Limits(wall_s=60.0, cpu_s=60, processes=64, output_bytes=32 * 1024**2)
    return Bench(backend, toolchains, limits)
