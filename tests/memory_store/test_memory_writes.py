"""What a write may do, what it leaves behind, and what is refused."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from repo_guardian.errors import MemoryStoreError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.records import CycleIntent, CycleWrite, HumanWordRecord, HypothesisEvent

from .conftest import commit_id, cycle_record, full_write, hypothesis, intent, probe, put, signal


def test_a_cycle_comes_back_as_it_was_written(store):
    number = store.begin(intent(1))
    receipt = store.commit(full_write())
    assert number == 1
    assert receipt.json_problem == ""
    assert store.cycle(1) == full_write()
    assert store.cycle(2) is None


def test_the_json_file_holds_everything_and_is_derived_again_byte_for_byte(store):
    put(store, full_write)
    path = store.directory / "cycles" / f"1_{commit_id(1)}.json"
    written = path.read_bytes()
    document = json.loads(written)
    assert document.pop("format") == 1
    assert CycleWrite.model_validate(document, strict=False) == full_write()
    assert store.rebuild_json() == ()
    path.write_bytes(b"scribbled over")
    assert store.rebuild_json(1) == (path,)
    assert path.read_bytes() == written


def test_a_json_file_that_cannot_be_written_is_said_and_made_up_for(store):
    (store.directory / "cycles").write_bytes(b"a file where the folder should be")
    store.begin(intent(1))
    receipt = store.commit(full_write())
    assert "cannot use" in receipt.json_problem
    assert store.cycle(1) == full_write()
    (store.directory / "cycles").unlink()
    store.begin(intent(2))
    assert receipt.json_path.is_file()


def test_numbers_are_never_reused(store):
    assert [store.begin(intent(1)), store.begin(intent(1))] == [1, 2]
    store.discard(2, "given up")
    assert store.begin(intent(1)) == 3
    store.commit(CycleWrite(cycle=cycle_record(3, commit=commit_id(1), base=None)))
    assert [record.number for record in store.cycles().items] == [3]


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda store: None, "cycle 1 was never begun"),
        (lambda store: put(store, full_write), "cycle 1 was committed already"),
        (lambda store: store.discard(store.begin(intent(1)), "given up"), "cycle 1 was discarded"),
        (lambda store: store.begin(intent(2)), f"begun with commit {commit_id(2)}, not {commit_id(1)}"),
        (
            lambda store: store.begin(CycleIntent(commit=commit_id(1), base=None, arm="memoryless")),
            "begun with arm memoryless, not memory",
        ),
    ],
)
def test_only_what_was_begun_and_is_open_can_be_committed(store, prepare, message):
    prepare(store)
    before = store.summary()
    with pytest.raises(MemoryStoreError, match=message) as caught:
        store.commit(full_write())
    assert caught.value.hint
    assert store.summary() == before


def test_only_open_cycles_can_be_discarded(store):
    put(store)
    for number, message in ((1, "committed already"), (7, "never begun")):
        with pytest.raises(MemoryStoreError, match=message):
            store.discard(number, "no")
    store.discard(store.begin(intent(2)), "nul\x00 and surrogate \udcff")
    with pytest.raises(MemoryStoreError, match="was discarded"):
        store.discard(2, "again")


def test_an_intent_is_used_once(store):
    with pytest.raises(MemoryStoreError, match="cycle 4 was begun already"):
        store.begin(CycleIntent(commit=commit_id(1), base=None, number=4))


def test_a_cycle_of_this_process_is_not_an_interrupted_one(store):
    store.begin(intent(1))
    assert store.interrupted() == ()


def test_rows_of_an_earlier_boot_or_a_reused_process_id_are_interrupted(store):
    mine = intent(1)
    reused = mine.process.model_copy(update={"start_ticks": mine.process.start_ticks - 1})
    earlier = mine.process.model_copy(update={"boot_id": "00000000-0000-0000-0000-000000000000"})
    for process in (reused, earlier):
        store.begin(CycleIntent(commit=commit_id(1), base=None, process=process))
    found = store.interrupted()
    assert [(each.number, each.process) for each in found] == [(1, reused), (2, earlier)]


def test_what_was_built_past_validation_is_caught_before_it_is_written(store):
    store.begin(intent(1))
    forged = full_write().model_copy(
        update={"signals": (signal().model_copy(update={"score": float("nan")}),)}
    )
    with pytest.raises(MemoryStoreError, match=r"not valid: signals\.0\.score"):
        store.commit(forged)
    wrong_type = full_write().model_copy(update={"cycle": cycle_record(1).model_copy(update={"number": "1"})})
    with pytest.raises(MemoryStoreError, match=r"not valid: cycle\.number"):
        store.commit(wrong_type)
    assert store.summary().cycles == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"events": (HypothesisEvent(hypothesis="never made", grade="finding"),)},
        {"probes": (probe(hypothesis="never made"),)},
    ],
)
def test_a_row_about_an_unknown_hypothesis_undoes_the_whole_cycle(store, changes):
    store.begin(intent(1))
    with pytest.raises(MemoryStoreError, match="FOREIGN KEY"):
        store.commit(CycleWrite(cycle=cycle_record(1), signals=(signal(),), **changes))
    assert store.summary().cycles == store.summary().signals == 0
    assert not (store.directory / "cycles").exists()
    store.commit(CycleWrite(cycle=cycle_record(1)))


def test_a_hypothesis_is_written_once(store):
    put(store, full_write)
    store.begin(intent(2))
    with pytest.raises(MemoryStoreError, match="k-load is known since cycle 1") as caught:
        store.commit(CycleWrite(cycle=cycle_record(2), hypotheses=(hypothesis(),)))
    assert "recurred" in caught.value.hint


def tables(index) -> list[str]:
    with closing(sqlite3.connect(index)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return sorted(name for (name,) in found)


def test_no_row_can_be_changed_removed_or_replaced(store, index):
    put(store, full_write)
    store.discard(store.begin(intent(2)), "given up")
    said = {"hypothesis": "k-load", "word": "dismissed", "reason": "as meant", "claim": "it is broken"}
    store.say(HumanWordRecord(**said, commit=commit_id(1)))
    names = tables(index)
    assert len(names) == 16
    with closing(sqlite3.connect(index, isolation_level=None)) as connection:
        for name in names:
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
            rows = connection.execute(f"SELECT * FROM {name}").fetchall()
            assert rows, name
            places = ", ".join("?" * len(columns))
            for statement, values in (
                (f"UPDATE {name} SET {columns[0]} = {columns[0]}", ()),
                (f"DELETE FROM {name}", ()),
                (f"INSERT OR REPLACE INTO {name} VALUES ({places})", rows[0]),
                (f"INSERT OR IGNORE INTO {name} VALUES ({places})", rows[0]),
            ):
                with pytest.raises(sqlite3.IntegrityError, match=r"append-only|already holds"):
                    connection.execute(statement, values)
            assert connection.execute(f"SELECT * FROM {name}").fetchall() == rows


def test_a_replacing_insert_cannot_push_out_a_row_by_its_other_keys(store, index):
    put(store, full_write)
    with closing(sqlite3.connect(index, isolation_level=None)) as connection:
        (row,) = connection.execute("SELECT * FROM hypotheses").fetchall()
        elsewhere = (row[0], 99, *row[2:])
        with pytest.raises(sqlite3.IntegrityError, match="already holds"):
            connection.execute(f"INSERT OR REPLACE INTO hypotheses VALUES ({', '.join('?' * 11)})", elsewhere)


def test_the_tables_are_strict(store, index):
    store.begin(intent(1))
    with closing(sqlite3.connect(index)) as connection:
        for values, message in (
            ("1, x'00', 't'", "cannot store BLOB value in TEXT"),
            ("'one', 'r', 't'", "mismatch"),
        ):
            with pytest.raises(sqlite3.IntegrityError, match=message):
                connection.execute(f"INSERT INTO cycle_discards VALUES ({values})")


def test_a_read_only_store_writes_nothing(store):
    put(store, full_write)
    reader = open_store(store.directory, read_only=True)
    for write in (
        lambda: reader.begin(intent(2)),
        lambda: reader.commit(full_write()),
        lambda: reader.discard(1, "no"),
        reader.rebuild_json,
    ):
        with pytest.raises(MemoryStoreError, match="read-only"):
            write()
    assert reader.cycle(1) == full_write()


def test_rebuilding_an_unknown_cycle_is_refused(store):
    with pytest.raises(MemoryStoreError, match="no cycle 9"):
        store.rebuild_json(9)
