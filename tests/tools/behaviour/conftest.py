"""Two versions of one package, and their graphs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from repo_guardian.sandbox.interface import Limits
from repo_guardian.tools.behaviour.compare import compare
from repo_guardian.tools.behaviour.generate import generate
from repo_guardian.tools.behaviour.interface import BehaviourLimits, BehaviourReport
from repo_guardian.tools.behaviour.record import record
from repo_guardian.tools.behaviour.replay import replay
from repo_guardian.tools.behaviour.select import changed_functions
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.execution.suite import plan_suite
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link

COMMANDS = Limits(wall_s=60.0, cpu_s=60, processes=64, output_bytes=32 * 1024**2)
LIMITS = BehaviourLimits(call_s=0.5, target_s=10.0, first_s=40.0, total_s=40.0, commands=COMMANDS)


@dataclass(frozen=True)
class Version:
    """One tree of texts on disk, with its graph."""

    checkout: Checkout
    graph: object

    def read(self, path: str) -> bytes | None:
        file = self.checkout.path / path
        return file.read_bytes() if file.is_file() else None


def version(root: Path, label: str, files: dict[str, str]) -> Version:
    for name, text in files.items():
        file = root / label / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    extractor = extractor_for("python")
    facts = {name: extractor.extract(text.encode(), ExtractLimits()) for name, text in files.items()}
    return Version(Checkout(root / label, label), link(label, facts))


@pytest.fixture
def versions(tmp_path):
    """Two trees that share their tests and differ in the package's text."""

    def make(old: str, new: str, tests: str) -> tuple[Version, Version]:
        common = {"tests/test_pkg.py": tests}
        return (
            version(tmp_path, "old", {"pkg/__init__.py": old, **common}),
            version(tmp_path, "new", {"pkg/__init__.py": new, **common}),
        )

    return make


@pytest.fixture
def targets():
    def select_from(old: Version, new: Version):
        return list(changed_functions(old.graph, new.graph, old.read, new.read))

    return select_from


@pytest.fixture
def run(bench, targets):
    """The whole comparison."""

    async def go(old: Version, new: Version, limits: BehaviourLimits = LIMITS) -> BehaviourReport:
        chosen = targets(old, new)
        plan = plan_suite(old.checkout.path, bench.site_packages)
        recording = await record(bench, old.checkout, plan, chosen, limits)
        recording = await generate(bench, old.checkout, plan, chosen, recording=recording, limits=limits)
        assert recording.problem == ""
        before = await replay(bench, old.checkout, plan, chosen, recording=recording, limits=limits)
        after = await replay(bench, new.checkout, plan, chosen, recording=recording, limits=limits)
        return compare(chosen, recording, before, after)

    return go
