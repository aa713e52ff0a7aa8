"""A process that uses the store and nothing else, to be killed or to compete with others.

``memory_child.py serve DIRECTORY`` answers one line of JSON per line of JSON on stdin: ``{"point": NAME}``
forks a child that runs one cycle and kills itself at that point, ``{"delay_s": SECONDS}`` forks one that is
killed from outside. ``memory_child.py write DIRECTORY COUNT`` writes cycles one after the other.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from repo_guardian.memory_store import cycle_files, open_store
from repo_guardian.memory_store.records import (
    CycleIntent,
    CycleRecord,
    CycleWrite,
    DecisionRecord,
    HypothesisEvent,
    HypothesisRecord,
    ProbeRecord,
    SignalRecord,
    SymbolEvent,
)

COMMIT = "c" * 40
INSERTS = 10
"""How many statements ``begin`` and ``commit`` need: the intent, the cycle, six kinds of row, two of loci."""

POINTS = (
    *(f"insert {number}" for number in range(1, INSERTS + 1)),
    *(f"spilled insert {number}" for number in range(6, INSERTS + 1)),
    "commit 1",
    "after begin",
    "commit 2",
    "before json",
    "inside json",
    "after commit",
)
"""``insert N`` and ``commit N`` kill just before that statement; spilled ones leave a hot journal."""


def write_of(number: int) -> CycleWrite:
    """The whole content of cycle ``number``, the same in whatever process it is made."""
    key = f"k{number}"
    return CycleWrite(
        cycle=CycleRecord(
            number=number,
            commit=COMMIT,
            base=None,
            arm="memory",
            policy="rules",
            model=None,
            sandbox="bubblewrap",
            exit_reason="submitted",
            degraded=False,
            wall_s=1.0,
            started_at="2026-01-01T00:00:00Z",
            ended_at="2026-01-01T00:00:01Z",
        ),
        signals=tuple(
            SignalRecord(key=f"s{i}", kind="churn", line="changed", symbols=(f"pkg.f{i}",)) for i in range(10)
        ),
        symbols=tuple(
            SymbolEvent(event="born", symbol=f"pkg.c{number}.f{i}", kind="function", path="pkg/a.py")
            for i in range(80)
        ),
        hypotheses=(
            HypothesisRecord(
                key=key,
                id="h1",
                claim="claim",
                consequence="consequence",
                remedy="remedy",
                origin="signal",
                locus_symbols=("pkg.f1",),
            ),
        ),
        events=(HypothesisEvent(hypothesis=key, grade="finding", citations=("p1",)),),
        probes=(
            ProbeRecord(
                id="p1",
                hypothesis=key,
                hypothesis_id="h1",
                tool="run_test",
                commit=COMMIT,
                evidence_status="valid",
                stdout="x" * 9000,
            ),
        ),
        decisions=(DecisionRecord(turn=1, tool="run_test"),),
    )


def run_cycle(directory: Path, point: str = "") -> None:
    """One whole cycle; dies at ``point`` when it gets there."""
    store = open_store(directory)
    number = store.begin(CycleIntent(commit=COMMIT, base=None))
    _die_at(point, "after begin")
    store.commit(write_of(number))
    _die_at(point, "after commit")


def arm(point: str) -> None:
    """Make this process die at ``point``."""
    seen = {"insert": 0, "commit": 0, "dirty": 0}

    def on_statement(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if statement.startswith("INSERT"):
            seen["insert"] += 1
            seen["dirty"] = 1
            _die_at(point.removeprefix("spilled "), f"insert {seen['insert']}")

    def on_commit(connection: Any) -> None:
        if seen["dirty"]:
            seen["commit"] += 1
            seen["dirty"] = 0
            _die_at(point, f"commit {seen['commit']}")

    def on_connect(connection: Any, record: Any) -> None:
        if point.startswith("spilled"):
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("PRAGMA cache_spill = 1")

    event.listen(Engine, "before_cursor_execute", on_statement)
    event.listen(Engine, "commit", on_commit)
    event.listen(Engine, "connect", on_connect)
    if point in ("before json", "inside json"):
        cycle_files.write_file = _dying("before json", point, cycle_files.write_file)
        cycle_files.sync = _dying("inside json", point, cycle_files.sync)


def _dying(name: str, point: str, wrapped: Any) -> Any:
    def call(*arguments: Any) -> Any:
        _die_at(point, name)
        return wrapped(*arguments)

    return call


def _die_at(point: str, here: str) -> None:
    if point == here:
        os.kill(os.getpid(), signal.SIGKILL)


def serve(directory: Path) -> None:
    """Answer kill requests until stdin ends."""
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            arm(request.get("point", ""))
            run_cycle(directory, request.get("point", ""))
            os._exit(0)
        if "delay_s" in request:
            time.sleep(request["delay_s"])
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        print(json.dumps({"pid": pid, "signal": killed}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(Path(sys.argv[2]))
    else:
        for _ in range(int(sys.argv[3])):
            run_cycle(Path(sys.argv[2]))
