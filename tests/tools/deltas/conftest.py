"""Trees of texts with their graphs, and a bench."""

from __future__ import annotations

import pytest

from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link


@pytest.fixture
async def bench(home):
    backend = await select("bubblewrap")
    toolchains = await prepare_toolchains(
        backend, Declared((), ()), as_of=None, harness_root=home / "harness", site_root=home / "site"
    )
    limits = Limits(wall_s=60.0, cpu_s=60, processes=64, output_bytes=32 * 1024**2)
    return Bench(backend, toolchains, limits)


@pytest.fixture
def tree(tmp_path):
    """Write a tree of texts under a label and return its checkout."""

    def write(label: str, files: dict[str, str]) -> Checkout:
        for name, text in files.items():
            file = tmp_path / label / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Checkout(tmp_path / label, label)

    return write


@pytest.fixture
def graph():
    """The linked graph of a tree of texts."""
    extractor = extractor_for("python")

    def make(label: str, files: dict[str, str]):
        sources = {name: text.encode() for name, text in files.items() if name.endswith(".py")}
        facts = {name: extractor.extract(source, ExtractLimits()) for name, source in sources.items()}
        return link(label, facts)

    return make
