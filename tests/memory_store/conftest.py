"""Shared parts of the memory's tests: real stores on real files, and cycles to put in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.interface import MemoryStore
from repo_guardian.memory_store.records import (
    CycleIntent,
    CycleRecord,
    CycleWrite,
    DecisionRecord,
    EdgeEvent,
    GraphSnapshotRecord,
    HypothesisEvent,
    HypothesisRecord,
    ProbeRecord,
    SignalRecord,
    SymbolEvent,
    TestOutcomeRecord,
)

STARTED = "2026-01-01T00:00:00+00:00"
ENDED = "2026-01-01T00:01:00+00:00"


def commit_id(number: int) -> str:
    """A full object id that is easy to recognize."""
    return f"{number:040x}"


def intent(number: int) -> CycleIntent:
    """The intent of the cycle on commit ``number``, whose base is the commit before it."""
    return CycleIntent(commit=commit_id(number), base=commit_id(number - 1) if number > 1 else None)


def cycle_record(number: int, /, **changes: Any) -> CycleRecord:
    """A valid record for the cycle begun with ``intent(number)``."""
    values: dict[str, Any] = {
        "number": number,
        "commit": commit_id(number),
        "base": commit_id(number - 1) if number > 1 else None,
        "arm": "memory",
        "policy": "rules",
        "model": None,
        "sandbox": "bubblewrap",
        "exit_reason": "submitted",
        "degraded": False,
        "wall_s": 1.5,
        "started_at": STARTED,
        "ended_at": ENDED,
    }
    return CycleRecord(**{**values, **changes})


def signal(key: str = "s-load", **changes: Any) -> SignalRecord:
    """A signal about ``pkg.load`` in ``pkg/__init__.py``."""
    values: dict[str, Any] = {
        "key": key,
        "kind": "contract_changed",
        "line": "load() lost its default for Loader",
        "symbols": ("pkg.load",),
        "paths": ("pkg/__init__.py",),
        "before": "(stream, Loader=None)",
        "after": "(stream, Loader)",
        "score": 0.75,
        "detail": {"change": "made_required", "lagging": 3},
    }
    return SignalRecord(**{**values, **changes})


def hypothesis(key: str = "k-load", **changes: Any) -> HypothesisRecord:
    """A hypothesis about ``pkg.load``."""
    values: dict[str, Any] = {
        "key": key,
        "id": "h1",
        "claim": "callers without Loader fail",
        "consequence": "TypeError at run time",
        "remedy": "pass Loader at the three call sites",
        "origin": "signal",
        "locus_files": ("pkg/__init__.py", "app.py"),
        "locus_symbols": ("pkg.load",),
        "signal_keys": ("s-load",),
    }
    return HypothesisRecord(**{**values, **changes})


def probe(id: str = "p1", **changes: Any) -> ProbeRecord:
    """A probe on ``k-load``."""
    values: dict[str, Any] = {
        "id": id,
        "hypothesis": "k-load",
        "hypothesis_id": "h1",
        "tool": "run_test",
        "argv": ("python", "-m", "pytest"),
        "commit": commit_id(1),
        "process_status": "exited",
        "exit_code": 1,
        "outcomes": {"test_load": "failed"},
        "evidence_status": "valid",
        "test_source": "def test_load(): ...",
        "stdout": "1 failed",
        "duration_s": 0.5,
    }
    return ProbeRecord(**{**values, **changes})


def full_write(number: int = 1) -> CycleWrite:
    """A cycle with at least one row in every table; for the first cycle of a memory."""
    return CycleWrite(
        cycle=cycle_record(number, detail={"python": "3.11"}),
        signals=(signal(), signal("s-churn", kind="churn", symbols=(), paths=("app.py",))),
        symbols=(
            SymbolEvent(event="born", symbol="pkg.load", kind="function", path="pkg/__init__.py"),
            SymbolEvent(
                event="moved",
                symbol="pkg.new.dump",
                kind="function",
                path="pkg/new.py",
                moved_from="pkg.dump",
            ),
        ),
        edges=(EdgeEvent(event="born", source="app.main", target="pkg.load", kind="call"),),
        hypotheses=(hypothesis(),),
        events=(
            HypothesisEvent(
                hypothesis="k-load",
                grade="finding",
                verdict="confirmed",
                reason="fails now, passed before",
                citations=("p1", "p2"),
                confidence=0.9,
            ),
        ),
        probes=(probe("p2", parent="p1", tree="base", exit_code=0), probe("p1")),
        decisions=(
            DecisionRecord(
                turn=1, tool="run_test", arguments={"id": "h1"}, state_digest="d", observation="failed"
            ),
        ),
        test_outcomes=(
            TestOutcomeRecord(test_id="t::1", commit=commit_id(number), outcome="failed", duration_s=0.1),
        ),
        graph_snapshots=(
            GraphSnapshotRecord(
                commit=commit_id(number), digest="ab", path=f"graph/{commit_id(number)}.json"
            ),
        ),
    )


def put(store: MemoryStore, make: Callable[[int], CycleWrite] | None = None) -> int:
    """Begin and commit the next cycle; ``make`` builds it from its number."""
    number = store.summary().cycles + 1
    number = store.begin(intent(number))
    store.commit(CycleWrite(cycle=cycle_record(number)) if make is None else make(number))
    return number


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    """A new, empty memory."""
    return open_store(tmp_path / "memory")


@pytest.fixture
def index(store: MemoryStore) -> Path:
    """The SQLite file of ``store``."""
    return store.directory / "index.sqlite"
