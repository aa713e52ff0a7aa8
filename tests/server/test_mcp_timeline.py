"""``memory_timeline``: the past at a glance, as an agent and the reports get it."""

from __future__ import annotations

import pytest
from fastmcp import Client

from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.records import (
    CycleIntent,
    CycleRecord,
    CycleWrite,
    HypothesisEvent,
    HypothesisRecord,
    SignalRecord,
)
from repo_guardian.server.app import build_server
from repo_guardian.server.session.state_dir import StateDir
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.git.source import locate

AT = "2026-01-01T00:00:00+00:00"


def cycle(number, commit, **rows):
    record = CycleRecord(
        number=number, commit=commit, base=None, arm="memory", policy="rules", model=None, sandbox="none",
        exit_reason="submitted", degraded=False, wall_s=1.5, started_at=AT, ended_at=AT,
    )  # fmt: skip
    return CycleWrite(cycle=record, **rows)


@pytest.fixture
def remembered(repository, home):
    """A repository whose first cycle made a finding, and whose second saw its signal again."""
    commits = [repository.commit({"m.py": "x = 1\n"}), repository.commit({"m.py": "x = 2\n"})]
    store = open_store(StateDir(home, locate(str(repository.path)).repository_id).memory)
    signal = SignalRecord(key="s1", kind="definition_altered", line="m.x changed", paths=("m.py",))
    claim = HypothesisRecord(
        key="k1", id="h1", claim="m.x is 1", consequence="it is not", remedy="make it", origin="signal",
        locus_files=("m.py",), signal_keys=("s1",),
    )  # fmt: skip
    graded = HypothesisEvent(hypothesis="k1", grade="finding", verdict="confirmed", reason="shown")
    for rows in ({"hypotheses": (claim,), "events": (graded,), "signals": (signal,)}, {"signals": (signal,)}):
        number = store.begin(CycleIntent(commit=commits[0], base=None))
        store.commit(cycle(number, commits[0], **rows))
    return repository


async def test_the_past_is_told_cycle_by_cycle(remembered, home):
    settings = ServerSettings(home=home, repositories=(str(remembered.path),), sandbox="worktree")
    async with Client(build_server(settings)) as client:
        begun = (
            await client.call_tool("cycle_begin", {"repository": str(remembered.path)})
        ).structured_content
        asked = {"cycle_id": begun["cycle_id"]}
        found = (await client.call_tool("memory_timeline", asked)).structured_content
        latest = (await client.call_tool("memory_timeline", {**asked, "cycles": 1})).structured_content
    assert [(c["number"], c["signals"], c["grades"]) for c in found["cycles"]] == [
        (1, 1, {"finding": 1}),
        (2, 1, {}),
    ]
    (claim,) = found["claims"]
    assert claim["events"] == [{"cycle": 1, "what": "finding"}, {"cycle": 2, "what": "seen"}]
    assert (claim["key"], claim["grade"], claim["word"]) == ("k1", "finding", None)
    assert ([c["number"] for c in latest["cycles"]], latest["cycles_total"]) == ([2], 2)
