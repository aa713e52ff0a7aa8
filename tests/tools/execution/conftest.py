"""A bench over a tree made of texts, with the pinned runner and no dependencies."""

import pytest

from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.toolchains import prepare_toolchains

LIMITS = Limits(wall_s=60.0, cpu_s=60, processes=64, output_bytes=32 * 1024**2)


@pytest.fixture
async def bench(home):
    """The bench that suites run on."""
    backend = await select("bubblewrap")
    toolchains = await prepare_toolchains(
        backend, Declared((), ()), as_of=None, harness_root=home / "harness", site_root=home / "site"
    )
    return Bench(backend, toolchains, LIMITS)


@pytest.fixture
def tree(tmp_path):
    """Write a tree of texts and return its checkout."""

    def write(files):
        path = tmp_path / "checkout"
        for name, text in files.items():
            file = path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Checkout(path, "c")

    return write
