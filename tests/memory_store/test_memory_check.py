"""Checking and backing up: whole, truncated, corrupted, lost, older and newer memories."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from repo_guardian.errors import MemoryCorruptError, MemoryStoreError, SchemaTooNewError, UsageError
from repo_guardian.memory_store import cycle_files, open_store
from repo_guardian.memory_store.records import CycleWrite
from repo_guardian.memory_store.sql.migrations import MIGRATIONS
from repo_guardian.memory_store.sql.opening import open_database
from repo_guardian.memory_store.upkeep.archive import export
from repo_guardian.memory_store.upkeep.backing_up import backup
from repo_guardian.memory_store.upkeep.checking import check
from repo_guardian.memory_store.upkeep.rebuilding import rebuild

from .conftest import commit_id, cycle_record, full_write, intent, put
from .test_memory_opening import OLD_ROWS, listing, raw
from .test_memory_words import word


@pytest.fixture
def grown(store):
    """A memory of three cycles, with a word and a graph snapshot that is there."""
    put(store, full_write)
    put(store)
    store.say(word())
    put(store)
    graph = store.directory / "graph"
    graph.mkdir()
    (graph / f"{commit_id(1)}.json").write_text("{}")
    return store


def told(directory, **options):
    return [found.what for found in check(directory, **options).damage]


def test_a_whole_memory_is_whole_and_nothing_is_written(grown, index):
    before = index.read_bytes(), listing(grown.directory)
    health = check(grown.directory)
    assert (health.whole, health.cycles, health.words, health.snapshots) == (True, 3, 1, 1)
    assert (health.interrupted, health.older) == ((), False)
    assert (index.read_bytes(), listing(grown.directory)) == before


def test_the_beginning_of_a_cycle_that_is_not_valid_is_damage(grown, index):
    grown.begin(intent(4))
    raw(index, "DROP TRIGGER cycle_intents_no_update", "UPDATE cycle_intents SET pid = -1 WHERE number = 4")
    with pytest.raises(MemoryCorruptError, match="a row is not valid: pid"):
        grown.interrupted()
    assert any("a row is not valid: pid" in what for what in told(grown.directory))


def test_an_interrupted_cycle_is_named_and_is_no_damage(grown):
    pid = os.fork()
    if pid == 0:
        open_store(grown.directory).begin(intent(4))
        os._exit(0)
    os.waitpid(pid, 0)
    health = check(grown.directory)
    assert (health.interrupted, health.whole) == ((4,), True)


def test_there_is_nothing_to_check(tmp_path):
    with pytest.raises(MemoryStoreError, match="no memory yet"):
        check(tmp_path / "memory")
    assert listing(tmp_path) == []


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_truncated_database_is_told(grown, index, kept):
    whole = index.read_bytes()
    index.write_bytes(whole[: int(len(whole) * kept)])
    health = check(grown.directory)
    assert not health.whole
    assert "malformed" in health.damage[0].what
    assert "guardian memory rebuild" in health.damage[0].way_out


def test_corrupted_pages_are_told(grown, index):
    content = bytearray(index.read_bytes())
    content[8192:] = os.urandom(len(content) - 8192)
    index.write_bytes(content)
    health = check(grown.directory)
    assert not health.whole
    assert all("rebuild" in found.way_out or "backup" in found.way_out for found in health.damage)


def test_a_lost_database_is_told(grown, index):
    index.unlink()
    (damage,) = check(grown.directory).damage
    assert "beside it lie 3 recorded cycles" in damage.what
    assert "guardian memory rebuild" in damage.way_out


def test_orphans_and_missing_guards_are_told(grown, index):
    raw(
        index,
        "DROP TRIGGER cycles_no_delete",
        "INSERT INTO cycle_discards VALUES (77, 'names no intent', 'never')",
    )
    assert told(grown.directory) == [
        "a row of cycle_discards names a missing row of cycle_intents",
        "the trigger cycles_no_delete is missing",
    ]


def test_a_changed_row_shows_against_the_json_of_its_cycle(grown, index):
    raw(
        index,
        "DROP TRIGGER hypotheses_no_update",
        "UPDATE hypotheses SET claim = 'something else'",
        "CREATE TRIGGER hypotheses_no_update BEFORE UPDATE ON hypotheses "
        "BEGIN SELECT RAISE(ABORT, 'hypotheses is append-only'); END",
    )
    assert told(grown.directory) == [f"cycles/1_{commit_id(1)}.json is not what cycle 1 wrote"]


def test_the_json_of_a_cycle_is_the_same_whatever_the_order_of_its_details(store):
    detail = {"b": {"z": 1, "a": [{"y": 1, "x": 2}]}, "a": 1}
    number = store.begin(intent(1))
    receipt = store.commit(CycleWrite(cycle=cycle_record(number, detail=detail)))
    assert receipt.json_path.read_bytes() == cycle_files.rendered(store.cycle(1))
    assert store.rebuild_json() == ()
    document = json.loads(receipt.json_path.read_bytes())
    document["cycle"]["detail"] = detail
    receipt.json_path.write_text(json.dumps(document))  # as an earlier version ordered it
    assert check(store.directory).whole


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("detail = '{'", "a column holds no JSON"),
        ("policy = ''", "a row is not valid: policy"),
        ("started_at = 'never'", "a row is not valid: started_at"),
    ],
)
def test_rows_that_are_not_valid_are_damage(grown, index, tmp_path, change, reason):
    raw(index, "DROP TRIGGER cycles_no_update", f"UPDATE cycles SET {change} WHERE number = 2")
    assert any(
        f"cycle 2 cannot be read: the memory is damaged: {reason}" in what for what in told(grown.directory)
    )
    for read in (lambda: grown.cycle(2), grown.cycles, lambda: export(grown.directory, tmp_path / "archive")):
        with pytest.raises(MemoryCorruptError, match=reason) as caught:
            read()
        assert "guardian memory rebuild" in caught.value.hint
    assert not (tmp_path / "archive").exists()
    assert rebuild(grown.directory).losses == ()
    assert told(grown.directory) == []


def test_json_files_that_are_missing_damaged_and_foreign_are_told(grown):
    path = cycle_files.path_of(grown.directory, 1, commit_id(1))
    cycle_files.path_of(grown.directory, 2, commit_id(2)).unlink()
    path.with_name(f"3_{commit_id(9)}.json").write_bytes(path.read_bytes())
    path.rename(path.with_name(f"8_{commit_id(8)}.json"))
    path.write_bytes(b"{")
    assert told(grown.directory) == [
        f"cycles/1_{commit_id(1)}.json is not what cycle 1 wrote",
        f"cycles/2_{commit_id(2)}.json is missing",
        f"cycles/3_{commit_id(9)}.json is of another cycle 3 than the database holds",
        f"cycles/8_{commit_id(8)}.json is of a cycle that the database does not hold",
    ]


def test_snapshots_that_are_missing_or_changed_are_told(grown):
    assert check(grown.directory, snapshot_check=lambda snapshot: "").whole
    (changed,) = told(grown.directory, snapshot_check=lambda snapshot: f"{snapshot.digest} does not match")
    assert changed.endswith("cannot be used: ab does not match")
    (grown.directory / "graph" / f"{commit_id(1)}.json").unlink()
    (missing,) = told(grown.directory)
    assert missing.endswith("cannot be used: it is missing")


def test_an_older_memory_is_checked_through_a_migrated_copy(tmp_path):
    open_database(tmp_path, read_only=False, migrations=MIGRATIONS[:1])
    raw(tmp_path / "index.sqlite", *OLD_ROWS)
    before = (tmp_path / "index.sqlite").read_bytes()
    health = check(tmp_path)
    assert (health.older, health.cycles, health.interrupted) == (True, 1, (2,))
    assert [found.what for found in health.damage] == [f"cycles/1_{'a' * 40}.json is missing"]
    assert (tmp_path / "index.sqlite").read_bytes() == before
    assert listing(tmp_path) == ["index.sqlite"]


def test_a_newer_memory_is_refused(grown, index, tmp_path):
    raw(index, "INSERT INTO migrations VALUES (9, '0009_from_the_future', '9.0', '2030-01-01')")
    with pytest.raises(SchemaTooNewError, match="0009_from_the_future"):
        check(grown.directory)


def test_a_file_of_a_cycle_is_read_strictly(grown, tmp_path):
    write = grown.cycle(1)
    path = cycle_files.path_of(grown.directory, 1, commit_id(1))
    assert cycle_files.parsed(path) == write
    document = json.loads(path.read_bytes())
    cases = {
        "it does not say its format": {**document, "format": None},
        "cycle.number": {**document, "cycle": {**document["cycle"], "number": "1"}},
        "another cycle than its name": {**document, "cycle": {**document["cycle"], "number": 2}},
    }
    for reason, content in cases.items():
        path.write_text(json.dumps(content))
        with pytest.raises(MemoryCorruptError, match=reason):
            cycle_files.parsed(path)
    for content in (b"", b"[]", b"\xff", cycle_files.rendered(write)[:-20], b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(MemoryCorruptError, match="is damaged"):
            cycle_files.parsed(path)
    path.write_text(json.dumps({**document, "format": 99}))
    with pytest.raises(SchemaTooNewError, match="newer version"):
        cycle_files.parsed(path)


def test_a_backup_is_a_memory(grown, tmp_path):
    target = tmp_path / "copies" / "index.sqlite"
    target.parent.mkdir()
    copied = backup(grown.directory, target)
    assert (copied.path, copied.cycles, copied.words) == (target, 3, 1)
    assert listing(target.parent) == ["index.sqlite"]
    restored = open_store(target.parent, read_only=True)
    assert [restored.cycle(number) for number in (1, 2, 3)] == [grown.cycle(number) for number in (1, 2, 3)]
    assert restored.all_words() == grown.all_words()


def test_a_backup_replaces_nothing(grown, tmp_path):
    target = tmp_path / "mine"
    target.write_bytes(b"mine")
    with pytest.raises(UsageError, match="is there already"):
        backup(grown.directory, target)
    assert target.read_bytes() == b"mine"


def test_a_damaged_memory_has_no_backup(grown, index, tmp_path):
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MemoryCorruptError):
        backup(grown.directory, tmp_path / "copy")
    raw_orphan = "INSERT INTO cycle_discards VALUES (77, 'names no intent', 'never')"
    index.write_bytes(whole)
    raw(index, raw_orphan)
    with pytest.raises(MemoryCorruptError, match="names a missing row"):
        backup(grown.directory, tmp_path / "copy")
    assert listing(tmp_path) == ["memory"]


def test_an_older_memory_is_copied_as_it_is(tmp_path: Path):
    open_database(tmp_path / "memory", read_only=False, migrations=MIGRATIONS[:1])
    raw(tmp_path / "memory" / "index.sqlite", *OLD_ROWS)
    copied = backup(tmp_path / "memory", tmp_path / "copy")
    assert (copied.cycles, copied.words) == (1, 0)
    with closing(sqlite3.connect(tmp_path / "copy")) as connection:
        assert connection.execute("SELECT count(*) FROM migrations").fetchone() == (1,)
