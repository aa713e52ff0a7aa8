"""Several processes at once: one writes, the others wait or read what was there before."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from repo_guardian.errors import StateDirError, StateLockedError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.lock import holder, lock
from repo_guardian.memory_store.sql import writing
from repo_guardian.memory_store.sql.connections import Database

from .conftest import full_write, intent, put
from .memory_child import write_of

CHILD = Path(__file__).with_name("memory_child.py")


def test_a_reader_during_a_write_sees_what_was_there_before(store, index):
    store.begin(intent(1))
    reader = open_store(store.directory, read_only=True)
    with Database(index).write() as connection:
        writing.put_cycle(connection, full_write())
        assert reader.summary().cycles == 0
        assert reader.recall_locus(["pkg.load"]).total == 0
    assert reader.summary().cycles == 1
    assert reader.recall_locus(["pkg.load"]).total == 3


def test_a_write_that_fails_leaves_nothing(store, index):
    store.begin(intent(1))
    with pytest.raises(ZeroDivisionError), Database(index).write() as connection:
        writing.put_cycle(connection, full_write())
        raise ZeroDivisionError
    assert store.summary().cycles == 0
    store.commit(full_write())


def test_a_writer_that_waited_long_enough_says_so(store, index):
    with closing(sqlite3.connect(index, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(StateLockedError, match="another process is writing"),
            Database(index, busy_timeout_s=0.05).write(),
        ):
            pytest.fail("two writers at once")
        assert store.summary().cycles == 0


def test_writers_and_readers_at_once(store):
    command = [sys.executable, str(CHILD), "write", str(store.directory), "6"]
    writers = [subprocess.Popen(command) for _ in range(3)]
    seen = [0]
    while any(writer.poll() is None for writer in writers):
        summary = store.summary()
        # One view of the file: a cycle is there with all of its rows, or not at all.
        assert summary.signals == 10 * summary.cycles
        assert summary.probes == summary.hypotheses == summary.cycles
        seen.append(summary.cycles)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert seen == sorted(seen)
    assert [record.number for record in store.cycles().items] == list(range(18, 0, -1))
    assert all(store.cycle(number) == write_of(number) for number in range(1, 19))
    assert store.interrupted() == ()


def test_a_store_survives_a_fork(store):
    put(store, full_write)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if store.begin(intent(2)) == 2 else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert [found.number for found in store.interrupted()] == [2]
    assert store.begin(intent(2)) == 3


def test_the_lock_shuts_out_a_second_cycle_and_names_the_first(tmp_path):
    home = tmp_path / "home"
    with lock(home):
        assert holder(home) == os.getpid()
        with pytest.raises(StateLockedError, match=f"process {os.getpid()}") as caught, lock(home):
            pytest.fail("locked twice")
        assert caught.value.hint
    with lock(home):
        pass


def test_the_lock_is_let_go_when_its_holder_is_killed(tmp_path):
    held, holds = os.pipe()
    pid = os.fork()
    if pid == 0:
        with lock(tmp_path):
            os.write(holds, b"1")
            signal.pause()
    os.read(held, 1)
    with pytest.raises(StateLockedError, match=f"process {pid}"), lock(tmp_path):
        pytest.fail("locked twice")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with lock(tmp_path):
        assert holder(tmp_path) == os.getpid()


def test_the_lock_is_not_inherited_by_programs(tmp_path):
    with lock(tmp_path):
        sleeper = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        with lock(tmp_path):
            assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


def test_a_lock_that_cannot_be_made_is_a_typed_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StateDirError, match="cannot use"), lock(tmp_path / "file"):
        pytest.fail("locked a file")
    assert holder(tmp_path / "nowhere") is None
