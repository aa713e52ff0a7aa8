"""Opening: new, missing, foreign, damaged, newer and older files."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, inspect

from repo_guardian.errors import MemoryCorruptError, MemoryStoreError, SchemaTooNewError, StateDirError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.connections import APPLICATION_ID, Database
from repo_guardian.memory_store.sql.migrations import MIGRATIONS, Migration
from repo_guardian.memory_store.sql.opening import open_database

from .conftest import full_write, intent, put


def listing(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def raw(index: Path, *statements: str) -> None:
    with closing(sqlite3.connect(index, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_the_package_is_imported_without_its_database():
    code = (
        "import sys, repo_guardian.memory_store as m; "
        "assert callable(m.open_store); "
        "print([n for n in ('sqlmodel', 'sqlalchemy', 'pydantic', 'sqlite3') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_at_rest_a_memory_is_one_file(store):
    put(store, full_write)
    assert listing(store.directory) == ["cycles", "index.sqlite"]


def test_reading_what_is_not_there_creates_nothing(tmp_path):
    for directory in (tmp_path / "memory", tmp_path):
        with pytest.raises(MemoryStoreError, match="no memory yet") as caught:
            open_store(directory, read_only=True)
        assert caught.value.hint
    assert listing(tmp_path) == []


def test_a_name_with_reserved_characters_is_an_ordinary_name(tmp_path):
    directory = tmp_path / "a?mode=memory#%41 ü"
    put(open_store(directory), full_write)
    assert open_store(directory, read_only=True).cycle(1) == full_write()


def test_a_name_that_is_not_utf8_is_refused(tmp_path):
    with pytest.raises(StateDirError, match="not UTF-8"):
        open_store(tmp_path / os.fsdecode(b"caf\xe9"))


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "memory").write_bytes(b"")
    with pytest.raises(StateDirError, match="cannot use"):
        open_store(tmp_path / "memory")
    with pytest.raises(StateDirError, match="cannot use"):
        open_store(tmp_path / "memory", read_only=True)


def test_a_creation_that_was_killed_is_finished(tmp_path):
    (tmp_path / "index.sqlite").write_bytes(b"")
    with pytest.raises(MemoryStoreError, match="no memory yet"):
        open_store(tmp_path, read_only=True)
    put(open_store(tmp_path), full_write)
    assert open_store(tmp_path).cycle(1) == full_write()


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("empty", [True, False])
def test_a_lost_memory_is_not_a_new_one(store, index, read_only, empty):
    put(store, full_write)
    index.write_bytes(b"") if empty else index.unlink()
    with pytest.raises(MemoryCorruptError, match="beside it lie 1 recorded cycles") as caught:
        open_store(store.directory, read_only=read_only)
    assert "backup" in caught.value.hint


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_no_database_is_refused(store, index, read_only):
    index.write_bytes(b"not a database at all, but long enough to have a header. " * 100)
    with pytest.raises(MemoryCorruptError, match="file is not a database") as caught:
        open_store(store.directory, read_only=read_only)
    assert "cycles/" in caught.value.hint


@pytest.mark.parametrize("read_only", [True, False])
def test_another_programs_database_is_refused(tmp_path, read_only):
    raw(tmp_path / "index.sqlite", "CREATE TABLE mine (x)", "INSERT INTO mine VALUES (1)")
    before = (tmp_path / "index.sqlite").read_bytes()
    with pytest.raises(MemoryCorruptError, match="not a memory"):
        open_store(tmp_path, read_only=read_only)
    assert (tmp_path / "index.sqlite").read_bytes() == before


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_truncated_file_is_refused(store, index, kept):
    put(store, full_write)
    whole = index.read_bytes()
    index.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(MemoryCorruptError, match="malformed"):
        open_store(store.directory)


def test_damaged_pages_are_noticed_by_what_reads_them(store, index):
    put(store, full_write)
    content = bytearray(index.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    index.write_bytes(content)
    with pytest.raises(MemoryCorruptError, match="malformed"):
        open_store(store.directory).summary()


def test_a_missing_table_is_damage(store, index):
    raw(index, "DROP TABLE probes")
    with pytest.raises(MemoryCorruptError, match="no such table: probes"):
        store.summary()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_foreign_write_ahead_log_is_refused_and_not_read(store, index, read_only):
    put(store, full_write)
    before = index.read_bytes()
    index.with_name("index.sqlite-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))
    with pytest.raises(MemoryCorruptError, match=r"index\.sqlite-wal does not belong") as caught:
        open_store(store.directory, read_only=read_only)
    assert "move that file away" in caught.value.hint
    with pytest.raises(MemoryCorruptError):
        store.begin(intent(2))
    assert index.read_bytes() == before


def test_a_newer_schema_is_refused(store, index):
    put(store, full_write)
    raw(index, "INSERT INTO migrations VALUES (5, '0005_from_the_future', '9.0', '2030-01-01')")
    before = index.read_bytes()
    for read_only in (True, False):
        with pytest.raises(SchemaTooNewError, match="0005_from_the_future") as caught:
            open_store(store.directory, read_only=read_only)
        assert "upgrade" in caught.value.hint
    assert index.read_bytes() == before


OLD_ROWS = (
    f"INSERT INTO cycle_intents VALUES (1, '{'a' * 40}', NULL, 'memory', '2026-01-01T00:00:00Z', 1, 1, 'b')",
    f"INSERT INTO cycles VALUES (1, '{'a' * 40}', NULL, 'memory', 'rules', NULL, 'bubblewrap', 'submitted', "
    "0, 0, 0, 0, 1.0, '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', '{}')",
    f"INSERT INTO cycle_intents VALUES (2, '{'b' * 40}', NULL, 'memory', '2026-01-02T00:00:00Z', 1, 1, 'b')",
)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A memory as the first migration alone would have left it, with a cycle and an interrupted one."""
    directory = tmp_path / "older"
    open_database(directory, read_only=False, migrations=MIGRATIONS[:1])
    raw(directory / "index.sqlite", *OLD_ROWS)
    return directory


def test_an_older_memory_is_migrated_with_all_it_holds(older):
    stale = older / "index.sqlite.migrating-1"
    stale.write_bytes(b"left by a migration that was killed")
    before = (older / "index.sqlite").stat().st_ino
    with pytest.raises(MemoryStoreError, match="older version"):
        open_store(older, read_only=True)
    store = open_store(older)
    assert (older / "index.sqlite").stat().st_ino != before
    assert listing(older) == ["index.sqlite"]
    assert [record.number for record in store.cycles().items] == [1]
    assert [found.number for found in store.interrupted()] == [2]
    assert store.begin(intent(1)) == 3
    with closing(sqlite3.connect(older / "index.sqlite")) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY position")]
        assert names == [migration.name for migration in MIGRATIONS]
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("DELETE FROM cycles")


def breaking(connection):
    connection.exec_driver_sql("CREATE TABLE half (x)")
    raise sqlite3.OperationalError("stopped half way")


def losing(connection):
    connection.exec_driver_sql("DROP TABLE cycle_discards")


@pytest.mark.parametrize(
    ("step", "message"), [(breaking, "stopped half way"), (losing, "would have changed the rows")]
)
def test_a_migration_that_goes_wrong_leaves_the_old_file(older, step, message):
    before = (older / "index.sqlite").read_bytes()
    with pytest.raises(MemoryStoreError, match=message):
        open_database(older, read_only=False, migrations=(*MIGRATIONS, Migration("0004_wrong", step)))
    assert (older / "index.sqlite").read_bytes() == before
    assert listing(older) == ["index.sqlite"]


def test_a_damaged_older_memory_is_kept_and_not_migrated(older):
    raw(older / "index.sqlite", "INSERT INTO cycle_discards VALUES (77, 'names no intent', 'never')")
    before = (older / "index.sqlite").read_bytes()
    with pytest.raises(MemoryCorruptError, match="cycle_discards names a missing row of cycle_intents"):
        open_store(older)
    assert (older / "index.sqlite").read_bytes() == before
    assert listing(older) == ["index.sqlite"]


def test_a_migration_that_is_killed_leaves_the_old_file(older):
    before = (older / "index.sqlite").read_bytes()
    pid = os.fork()
    if pid == 0:
        kill = Migration("0004_killed", lambda connection: os.kill(os.getpid(), 9))
        open_database(older, read_only=False, migrations=(*MIGRATIONS, kill))
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9
    assert (older / "index.sqlite").read_bytes() == before
    assert open_store(older).cycles().total == 1
    assert listing(older) == ["index.sqlite"]


def test_a_write_that_waited_for_a_migration_lands_in_the_new_file(store, index):
    put(store, full_write)
    copy = index.with_name("copy")
    Database(index).copy_to(copy)
    connected = threading.Event()

    def on_connect(connection, record):
        connected.set()

    event.listen(Engine, "connect", on_connect)
    try:
        with closing(sqlite3.connect(index, isolation_level=None)) as migration:
            migration.execute("BEGIN IMMEDIATE")
            waiting = threading.Thread(target=store.begin, args=(intent(2),))
            waiting.start()
            assert connected.wait(timeout=30)  # the old file is open now, and can't be written yet
            copy.replace(index)
            migration.execute("ROLLBACK")
        waiting.join()
    finally:
        event.remove(Engine, "connect", on_connect)
    with closing(sqlite3.connect(index)) as connection:
        assert connection.execute("SELECT max(number) FROM cycle_intents").fetchone() == (2,)


def test_the_migrations_lead_to_the_table_models(store, index):
    with Database(index, read_only=True).read() as connection:
        found = inspect(connection)
        assert set(found.get_table_names()) == set(tables.Rows.metadata.tables) | {"migrations"}
        for name, table in tables.Rows.metadata.tables.items():
            columns = {column["name"]: column["nullable"] for column in found.get_columns(name)}
            expected = {column.name: bool(column.nullable) for column in table.columns}
            # SQLite reports a rowid alias as nullable although it never is.
            keys = [column.name for column in table.primary_key.columns]
            columns.update(dict.fromkeys(keys, False))
            assert columns == expected, name
            assert found.get_pk_constraint(name)["constrained_columns"] == keys
            foreign = {
                (tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"]))
                for key in found.get_foreign_keys(name)
            }
            assert foreign == {
                (
                    tuple(key.column_keys),
                    key.referred_table.name,
                    tuple(element.column.name for element in key.elements),
                )
                for key in table.foreign_key_constraints
            }, name
