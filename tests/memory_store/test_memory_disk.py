"""A full disk and a read-only one, for real: small and read-only mounts in a mount namespace of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from repo_guardian.memory_store import open_store

from .conftest import full_write, put

NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]

PRELUDE = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from memory_child import COMMIT, write_of
from repo_guardian.errors import *
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.lock import lock
from repo_guardian.memory_store.records import CycleIntent

mount = Path(sys.argv[1])
memory = mount / "memory"

def refused(kind, call):
    try:
        call()
    except kind as error:
        assert type(error) is kind and error.hint, repr(error)
        print(error.message.replace(str(mount), "DIR"))
    else:
        raise AssertionError(f"{kind.__name__} expected")

def begin(store):
    return store.begin(CycleIntent(commit=COMMIT, base=None))
"""


def run_in(mount: Path, command: str, script: str) -> str:
    """Run ``script`` where ``command`` has changed the mount at ``mount``; its output."""
    code = PRELUDE + textwrap.dedent(script)
    here = str(Path(__file__).parent)
    shell = f'{command} && exec "$2" -c "$3" "$1" "$4"'
    arguments = [*NAMESPACE, "sh", "-c", shell, "sh", str(mount), sys.executable, code, here]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_full_disk_is_said_and_costs_no_history(tmp_path):
    said = run_in(
        tmp_path,
        'mount -t tmpfs -o size=900k none "$1"',
        """
        store = open_store(memory)
        store.begin(CycleIntent(commit=COMMIT, base=None))
        store.commit(write_of(1))
        filler = mount / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        refused(DiskFullError, lambda: [begin(store) and store.commit(write_of(2)) for _ in range(500)])
        assert store.cycle(1) == write_of(1) and store.summary().cycles == 1
        refused(DiskFullError, lambda: open_store(mount / "another"))
        refused(DiskFullError, lambda: lock(mount / "lockdir" / "x").__enter__())
        filler.unlink()
        number = begin(store)
        receipt = store.commit(write_of(number))
        assert not receipt.json_problem and store.cycle(number) == write_of(number)
        """,
    )
    assert "no room left to write DIR/memory/index.sqlite" in said


def test_a_disk_that_fills_before_the_json_file_keeps_the_cycle(tmp_path):
    run_in(
        tmp_path,
        'mount -t tmpfs -o size=8m none "$1"',
        """
        store = open_store(memory)
        number = begin(store)
        (memory / "cycles").mkdir()
        (memory / "cycles" / f".{number}_{COMMIT}.json.partial").symlink_to("/dev/full")
        receipt = store.commit(write_of(number))
        assert "no room left" in receipt.json_problem, receipt
        assert store.cycle(number) == write_of(number)
        assert store.rebuild_json() == (receipt.json_path,)
        assert receipt.json_path.is_file()
        """,
    )


READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'


def test_a_read_only_directory_can_be_read_and_says_what_cannot_be_written(tmp_path):
    store = open_store(tmp_path / "memory")
    put(store, full_write)
    said = run_in(
        tmp_path,
        READ_ONLY,
        """
        reader = open_store(memory, read_only=True)
        assert reader.summary().cycles == 1 and reader.findings().total == 1
        writer = open_store(memory)
        assert writer.summary().cycles == 1
        refused(StateDirError, lambda: begin(writer))
        refused(StateDirError, lambda: open_store(mount / "another"))
        refused(StateDirError, lambda: lock(mount).__enter__())
        """,
    )
    assert said.count("cannot use DIR") == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory"]


def test_an_interrupted_write_on_a_read_only_directory_is_explained(tmp_path):
    store = open_store(tmp_path / "memory")
    put(store, full_write)
    pid = os.fork()
    if pid == 0:
        from .memory_child import arm, run_cycle

        arm("spilled insert 8")
        run_cycle(tmp_path / "memory", "spilled insert 8")
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9
    said = run_in(
        tmp_path,
        READ_ONLY,
        "refused(StateDirError, lambda: open_store(memory, read_only=True).summary())",
    )
    assert "middle of a write" in said
    assert store.cycle(1) == full_write()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_directory_of_another_user_is_a_typed_error(tmp_path):
    put(open_store(tmp_path / "memory"), full_write)
    tmp_path.joinpath("memory").chmod(0o700)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            open_store(tmp_path / "memory")
        except Exception as error:
            status = 0 if type(error).__name__ == "StateDirError" else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
