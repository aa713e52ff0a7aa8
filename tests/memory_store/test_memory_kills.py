"""SIGKILL at every named point of a cycle and at random ones: the history before it is never touched."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.interface import MemoryStore

from .memory_child import POINTS, run_cycle, write_of

CHILD = Path(__file__).with_name("memory_child.py")
RANDOM_KILLS = 20

Request = Callable[[dict[str, object]], dict[str, int]]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A memory with two cycles in it."""
    path = tmp_path / "memory"
    run_cycle(path)
    run_cycle(path)
    return path


@pytest.fixture
def kill(directory: Path) -> Iterator[Request]:
    """Runs one cycle in a child of a warm process and has it killed."""
    arguments = [sys.executable, str(CHILD), "serve", str(directory)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout

        def request(what: dict[str, object]) -> dict[str, int]:
            print(json.dumps(what), file=server.stdin, flush=True)
            return json.loads(server.stdout.readline())

        yield request
        server.stdin.close()


def rows(directory: Path) -> set[tuple[object, ...]]:
    """Every row of every table, read without the store; the file is sound."""
    with closing(sqlite3.connect(directory / "index.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {(name, *row) for (name,) in tables for row in connection.execute(f"SELECT * FROM {name}")}


def assert_whole(directory: Path, before: set[tuple[object, ...]]) -> MemoryStore:
    """All that was there is there, and the newest cycle that is visible is visible whole."""
    store = open_store(directory, read_only=True)
    newest = store.summary().last_cycle
    assert newest is not None
    assert store.cycle(newest.number) == write_of(newest.number)
    assert rows(directory) >= before
    return store


def json_numbers(directory: Path) -> set[int]:
    return {int(path.name.partition("_")[0]) for path in (directory / "cycles").glob("[0-9]*_*.json")}


def numbers(store: MemoryStore) -> set[int]:
    return {record.number for record in store.cycles(limit=200).items}


def test_every_named_point(directory, kill):
    for point in POINTS:
        before, history = numbers(open_store(directory)), rows(directory)
        answer = kill({"point": point})
        assert answer["signal"] == signal.SIGKILL, point
        store = assert_whole(directory, history)
        new = numbers(store) - before
        begun = point not in ("insert 1", "commit 1")
        committed = point in ("before json", "inside json", "after commit")
        assert len(new) == committed, point
        interrupted = store.interrupted()
        assert len(interrupted) == (begun and not committed), point
        for intent in interrupted:
            assert intent.process.pid == answer["pid"]
            assert intent.number not in before
            writer = open_store(directory)
            writer.discard(intent.number, f"killed at {point}")
            assert writer.interrupted() == ()
        # The next cycle makes up for a JSON file that the kill cost, and leaves no part of it behind.
        run_cycle(directory)
        assert json_numbers(directory) == numbers(open_store(directory))
        assert list((directory / "cycles").glob(".*")) == []
    assert open_store(directory).rebuild_json() == ()


def test_random_moments(directory, kill):
    moments = random.Random(20261130)
    deaths, longest_s = 0, 0.1
    while deaths < RANDOM_KILLS:
        history = rows(directory)
        answer = kill({"delay_s": moments.uniform(0.0, longest_s)})
        died = answer["signal"] == signal.SIGKILL
        deaths += died
        longest_s *= 1.0 if died else 0.9  # this machine is faster than that: aim inside the cycle
        store = assert_whole(directory, history)
        writer = open_store(directory)
        for intent in store.interrupted():
            assert intent.process.pid == answer["pid"]
            writer.discard(intent.number, "killed")
    history = rows(directory)
    run_cycle(directory)
    assert json_numbers(directory) == numbers(assert_whole(directory, history))


def test_a_hot_journal_is_rolled_back_even_by_a_reader(directory, kill):
    assert kill({"point": "spilled insert 8"})["signal"] == signal.SIGKILL
    assert (directory / "index.sqlite-journal").stat().st_size > 0
    store = open_store(directory, read_only=True)
    assert numbers(store) == {1, 2}
    assert not (directory / "index.sqlite-journal").exists()
