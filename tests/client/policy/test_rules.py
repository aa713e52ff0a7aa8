"""The ``rules`` policy over a real server: what comes first, what is left, and that it repeats itself."""

from __future__ import annotations

import json

import pytest
from fastmcp import Client

from repo_guardian.client.policy.interface import Budget
from repo_guardian.client.policy.rules import RulesPolicy
from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.app import build_server
from repo_guardian.server.contract.cycles import ExitReason
from repo_guardian.server.settings import ServerSettings

BEFORE = {
    "pkg/__init__.py": "",
    "pkg/m.py": "def announced(a, b=1):\n    return a\n\n\ndef silent(a, b=1):\n    return a\n\n\n"
    "def scale(x):\n    return x * 2\n\n\nLIMIT = 3\n",
    "tests/test_m.py": "from pkg.m import scale\n\n\ndef test_scale():\n    assert scale(2) == 4\n",
    "CHANGES.md": "# Changes\n",
}
AFTER = {
    "pkg/m.py": BEFORE["pkg/m.py"]
    .replace("announced(a, b=1)", "announced(a)")
    .replace("silent(a, b=1)", "silent(a)")
    .replace("LIMIT = 3", "LIMIT = 4"),
    "CHANGES.md": "# Changes\n\n- `announced()` no longer takes `b`.\n",
}


@pytest.fixture
def decide(repository, tmp_path, home):
    """Run the policy in a state directory; the outcome, the state after it, and the decisions."""

    async def run(budget, *, state=home, clock=lambda: 0.0):
        settings = ServerSettings(home=state, repositories=(str(repository.path),), sandbox="bubblewrap")
        async with Client(build_server(settings)) as client:
            toolbox = Toolbox(client)
            cycle = await toolbox.begin(str(repository.path), None, None)
            await toolbox.refresh(cycle)
            outcome = await RulesPolicy().run(toolbox, cycle, budget, clock)
            after = await toolbox.state(cycle)
            decisions = [(d.tool, d.arguments) for d in toolbox.decisions[1:]]
            await toolbox.discard(cycle, "a test")
        return outcome, after, decisions

    return run


def first_symbols(state):
    return [hypothesis.draft.locus.symbols[0] for hypothesis in state.hypotheses]


async def test_unannounced_changes_come_first_and_the_budget_ends_it(repository, decide):
    repository.commit(BEFORE)
    repository.commit(AFTER)
    outcome, state, _ = await decide(Budget(proofs=2, execute=False))
    assert first_symbols(state) == ["pkg.m.silent", "pkg.m.LIMIT"]
    assert {h.grade.value for h in state.hypotheses} == {"finding"}
    assert outcome.exit_reason is ExitReason.BUDGET
    assert outcome.executed is None
    left = {item.line.partition(":")[0]: item.reason for item in outcome.backlog}
    assert left["pkg.m.announced"] == "the budget was spent on what came before"
    few, state, _ = await decide(Budget(proofs=9, probes=1, execute=False))
    assert (len(state.hypotheses), few.exit_reason) == (1, ExitReason.BUDGET)
    late, state, _ = await decide(Budget(wall_s=5.0), clock=lambda: 5.0)
    assert (state.hypotheses, late.exit_reason, late.executed) == ((), ExitReason.WALL_CLOCK, None)


async def test_the_same_commit_and_memory_give_the_same_decisions(repository, decide, home, tmp_path):
    repository.commit(BEFORE)
    broken = AFTER["pkg/m.py"].replace("x * 2", "x * 3")
    repository.commit({**AFTER, "pkg/m.py": broken})
    other = tmp_path / "other"
    other.mkdir()
    (other / "harness").symlink_to((home / "harness").readlink())
    seen = []
    for state_dir in (home, other):
        outcome, state, decisions = await decide(Budget(proofs=1), state=state_dir)
        hypotheses = [json.loads(h.model_dump_json()) for h in state.hypotheses]
        probes = [(p.tool, p.side, p.test_digest, p.evidence, p.transition) for p in state.probes]
        seen.append((outcome, hypotheses, probes, decisions))
    assert seen[0] == seen[1]
    outcome, hypotheses, _, decisions = seen[0]
    assert "signals_execute" in [decision[0] for decision in decisions]
    assert outcome.executed.added == 2
    assert [h["grade"] for h in hypotheses] == ["finding"]
    assert "tests/test_m.py::test_scale" in hypotheses[0]["draft"]["claim"]
