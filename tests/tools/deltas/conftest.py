"""Trees of texts with their graphs."""

from __future__ import annotations

import pytest

from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link


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
