"""Every attack of the hostile battery on every backend that isolates and is installed."""

from __future__ import annotations

import pytest

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.hostile.frame import run_attack
from repo_guardian.sandbox.hostile.suite import CASES, FAMILIES, run_battery
from repo_guardian.sandbox.registry import load

REPRESENTATIVE = (
    *("fork_bomb", "memory_hog", "disk_fill", "raised_limits", "daemon", "kill_everything", "set_clocks"),
    *("environment", "other_trees", "lower_layer", "outside_writes", "tcp", "unix_sockets", "namespaces"),
    *("mounts", "tracing", "identity", "set_id_programs", "channel_artefacts", "evidence_artefacts"),
    *("forged_marks", "forbidden_files", "swapped_links", "deep_folders"),
)
"""Attacks that an ordinary user's sandbox meets in another way than root's."""

HARMLESS = ("environment", "host_files", "tcp", "unix_sockets", "identity", "filter")
"""Attacks that only look, and so may be tried where nothing isolates."""

_AS_USER = """
import sys, tempfile, anyio
from pathlib import Path
from repo_guardian.sandbox.hostile.frame import run_attack
from repo_guardian.sandbox.hostile.suite import CASES
from repo_guardian.sandbox.registry import load

async def run(family, attack, width):
    async with width:
        with tempfile.TemporaryDirectory() as folder:
            outcome = await run_attack(load("bubblewrap"), family, attack, Path(folder))
    print("ok" if outcome.held else "FAILED", outcome.name, outcome.outcome, outcome.detail)

async def main():
    width = anyio.Semaphore(2)
    async with anyio.create_task_group() as tasks:
        for family, attack in CASES:
            if attack.name in sys.argv[1:]:
                tasks.start_soon(run, family, attack, width)

anyio.run(main)
"""


def test_the_battery_has_the_promised_breadth():
    names = [attack.name for _, attack in CASES]
    assert len(names) == len(set(names)) >= 40
    assert set(REPRESENTATIVE) | set(HARMLESS) <= set(names)
    assert all(FAMILIES.values())


@pytest.mark.parametrize(("family", "attack"), CASES, ids=lambda value: getattr(value, "name", value))
async def test_an_attack_gains_nothing_and_the_next_probe_works(isolating_backend, family, attack, tmp_path):
    outcome = await run_attack(isolating_backend, family, attack, tmp_path)
    assert outcome.held, f"{outcome.outcome}: {outcome.detail}"


def test_an_ordinary_user_is_served_as_well(run_as_nobody):
    lines = run_as_nobody(_AS_USER, *REPRESENTATIVE)
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert len(lines) == len(REPRESENTATIVE)


@pytest.mark.parametrize("name", HARMLESS)
async def test_the_battery_notices_where_nothing_isolates(name, tmp_path):
    family, attack = next((family, attack) for family, attack in CASES if attack.name == name)
    outcome = await run_attack(load("worktree"), family, attack, tmp_path)
    assert not outcome.held, outcome


async def test_the_battery_is_not_run_where_nothing_isolates():
    with pytest.raises(SandboxUnavailableError, match="does not isolate"):
        await run_battery(load("worktree"))
