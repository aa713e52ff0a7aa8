"""Rebuilding: truncated, corrupted, lost and older databases, and JSON files that are not what they were."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from repo_guardian.errors import MemoryCorruptError, MemoryStoreError
from repo_guardian.memory_store import cycle_files, open_store
from repo_guardian.memory_store.records import CycleWrite, HypothesisEvent
from repo_guardian.memory_store.sql.migrations import MIGRATIONS
from repo_guardian.memory_store.sql.opening import open_database
from repo_guardian.memory_store.upkeep.backing_up import backup
from repo_guardian.memory_store.upkeep.checking import check
from repo_guardian.memory_store.upkeep.rebuilding import rebuild

from .conftest import commit_id, cycle_record, full_write, intent, probe, put
from .test_memory_opening import OLD_ROWS, listing, raw
from .test_memory_words import word


def recurring(number):
    """A cycle that speaks of the first one's hypothesis, and of itself."""
    return CycleWrite(
        cycle=cycle_record(number),
        events=(HypothesisEvent(hypothesis="k-load", kind="recurred", citations=("p1",)),),
        probes=(probe("p1"), probe("p2", parent="p1")),
    )


@pytest.fixture
def grown(store):
    """Cycles 1, 2 and 4; 3 was discarded; a word of a human; graph snapshots apart."""
    put(store, full_write)
    put(store, recurring)
    store.discard(store.begin(intent(3)), "given up")
    store.say(word())
    number = store.begin(intent(4))
    store.commit(CycleWrite(cycle=cycle_record(number)))
    return store


def damage(directory):
    return [found.what for found in check(directory).damage if "graph snapshot" not in found.what]


def history(store):
    return [store.cycle(number) for number in range(1, 6)]


def path_of(store, number):
    return cycle_files.path_of(store.directory, number, commit_id(number))


def test_a_whole_memory_stays_as_it_is(grown, index):
    before = index.read_bytes(), listing(grown.directory)
    done = rebuild(grown.directory)
    assert (done.cycles, done.words, done.anew, done.added, done.written) == (3, 1, False, (), ())
    assert (done.aside, done.losses) == (None, ())
    assert (index.read_bytes(), listing(grown.directory)) == before


def test_there_is_nothing_to_rebuild(tmp_path):
    with pytest.raises(MemoryStoreError, match="no memory yet"):
        rebuild(tmp_path / "memory")
    assert listing(tmp_path) == []


@pytest.mark.parametrize("empty", [True, False])
def test_a_lost_database_comes_back_from_the_json_of_its_cycles(grown, index, empty):
    before = history(grown)
    index.write_bytes(b"") if empty else index.unlink()
    done = rebuild(grown.directory)
    assert (done.cycles, done.words, done.anew, done.added, done.aside) == (3, 0, True, (1, 2, 4), None)
    assert [loss.partition(":")[0] for loss in done.losses] == [
        "what humans said, if they did",
        "which cycles were begun and never finished, and by which process others were run",
    ]
    store = open_store(grown.directory)
    assert history(store) == before
    assert damage(grown.directory) == []
    assert store.interrupted() == ()
    assert store.begin(intent(5)) == 5


@pytest.mark.parametrize("kept", [0.02, 0.3, 0.7, 0.99])
def test_a_truncated_database_is_made_anew_and_kept_aside(grown, index, kept):
    before = history(grown)
    whole = index.read_bytes()
    index.write_bytes(whole[: int(len(whole) * kept)])
    cut = index.read_bytes()
    done = rebuild(grown.directory)
    assert (done.cycles, done.anew) == (3, True)
    assert history(open_store(grown.directory)) == before
    assert damage(grown.directory) == []
    assert done.aside is not None
    assert (done.aside / "index.sqlite.damaged").read_bytes() == cut
    assert listing(grown.directory) == ["cycles", "damaged-1", "index.sqlite"]


def test_what_is_in_no_json_is_taken_from_the_damaged_database(grown, index):
    """Only the pages of one table are gone: words, discards and intents are not."""
    raw(index, "DROP TRIGGER signals_no_delete", "DELETE FROM signal_loci WHERE 0", "DROP TABLE signals")
    done = rebuild(grown.directory)
    assert (done.words, done.losses) == (1, ())
    store = open_store(grown.directory)
    assert store.all_words().total == 1
    assert store.cycle(1) == full_write()
    with pytest.raises(MemoryStoreError, match="was discarded"):
        store.discard(3, "again")
    assert damage(grown.directory) == []


def test_any_corrupted_page_is_survived(grown, index):
    before = history(grown)
    whole = index.read_bytes()
    for page in range(0, len(whole) // 4096, 3):
        content = bytearray(whole)
        content[page * 4096 : (page + 1) * 4096] = os.urandom(4096)
        index.write_bytes(content)
        done = rebuild(grown.directory)
        assert history(open_store(grown.directory)) == before
        assert damage(grown.directory) == [], page
        assert done.words == 1 or any("humans" in loss for loss in done.losses), page


def test_rows_that_a_json_file_lacks_come_from_the_damaged_database(grown, index):
    before = history(grown)
    path_of(grown, 4).unlink()
    path_of(grown, 2).write_bytes(b"{")
    raw(index, "DROP TRIGGER cycles_no_delete")
    done = rebuild(grown.directory)
    assert (done.cycles, done.anew, done.losses) == (3, True, ())
    assert history(open_store(grown.directory)) == before
    assert done.aside is not None
    assert (done.aside / path_of(grown, 2).name).read_bytes() == b"{"
    assert sorted(done.written) == [path_of(grown, 2), path_of(grown, 4)]


def test_a_cycle_that_is_lost_takes_only_what_speaks_of_it(grown, index):
    index.unlink()
    path_of(grown, 1).write_bytes(path_of(grown, 1).read_bytes()[:-100])
    done = rebuild(grown.directory)
    assert (done.cycles, done.added) == (2, (2, 4))
    assert f"cycles/{path_of(grown, 1).name}: it is damaged" in done.losses
    assert any(loss.startswith("1 events and 2 probes of cycle 2") for loss in done.losses)
    assert open_store(grown.directory).cycle(2) == CycleWrite(cycle=cycle_record(2))
    assert damage(grown.directory) == []
    assert done.aside is not None
    assert listing(done.aside) == [path_of(grown, 1).name, path_of(grown, 2).name]


def test_nothing_at_all_is_left(grown, index):
    index.write_bytes(os.urandom(9000))
    for path in (grown.directory / "cycles").iterdir():
        path.unlink()
    before = index.read_bytes()
    with pytest.raises(MemoryCorruptError, match="nothing is left") as caught:
        rebuild(grown.directory)
    assert "backup" in caught.value.hint
    assert index.read_bytes() == before


def test_an_older_backup_catches_up_with_the_json_beside_it(store, index, tmp_path):
    put(store, full_write)
    store.say(word())
    backup(store.directory, tmp_path / "backup")
    put(store, recurring)
    put(store)
    before = history(store)
    (tmp_path / "backup").replace(index)
    assert len(damage(store.directory)) == 2
    done = rebuild(store.directory)
    assert (done.anew, done.added, done.losses, done.words) == (False, (2, 3), (), 1)
    assert history(open_store(store.directory)) == before
    assert damage(store.directory) == []


def test_json_files_that_are_missing_or_changed_are_written_anew(grown):
    before = history(grown)
    path_of(grown, 1).unlink()
    document = json.loads(path_of(grown, 2).read_bytes())
    document["probes"][0]["stdout"] = "something else"
    path_of(grown, 2).write_text(json.dumps(document))
    done = rebuild(grown.directory)
    assert done.written == (path_of(grown, 1), path_of(grown, 2))
    assert done.aside is not None
    assert listing(done.aside) == [path_of(grown, 2).name]
    assert history(grown) == before
    assert damage(grown.directory) == []


def test_a_file_of_another_history_is_put_aside(grown):
    foreign = path_of(grown, 4).with_name(f"4_{commit_id(9)}.json")
    write = CycleWrite(cycle=cycle_record(4, commit=commit_id(9)))
    cycle_files.write_file(foreign, write)
    done = rebuild(grown.directory)
    assert done.losses == (f"cycles/{foreign.name}: it is of another cycle 4 than the database holds",)
    assert not foreign.exists()
    assert damage(grown.directory) == []


def test_two_files_of_one_number_are_for_a_human_to_decide(grown, index):
    foreign = path_of(grown, 4).with_name(f"4_{commit_id(9)}.json")
    cycle_files.write_file(foreign, CycleWrite(cycle=cycle_record(4, commit=commit_id(9))))
    index.unlink()
    with pytest.raises(MemoryCorruptError, match="claim to be cycle 4"):
        rebuild(grown.directory)
    assert not index.exists()
    foreign.unlink()
    assert rebuild(grown.directory).cycles == 3


def test_a_foreign_log_is_not_rebuilt_over(grown, index):
    index.with_name("index.sqlite-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))
    with pytest.raises(MemoryCorruptError, match="does not belong"):
        rebuild(grown.directory)


def test_a_damaged_older_memory_is_rebuilt(tmp_path):
    directory = tmp_path / "memory"
    open_database(directory, read_only=False, migrations=MIGRATIONS[:1])
    raw(
        directory / "index.sqlite",
        *OLD_ROWS,
        "INSERT INTO cycle_discards VALUES (77, 'names no intent', 'never')",
    )
    done = rebuild(directory)
    assert (done.cycles, done.words, done.anew, done.losses) == (1, 0, True, ())
    store = open_store(directory)
    assert [found.number for found in store.interrupted()] == [2]
    assert damage(directory) == []


def die_at(place):
    """Make this process die at its ``place``-th commit or rename, whichever comes."""
    seen = []

    def count(*_):
        seen.append(1)
        if len(seen) == place:
            os.kill(os.getpid(), 9)

    def counted(path, target, rename=Path.replace):
        count()
        return rename(path, target)

    event.listen(Engine, "commit", count)
    Path.replace = counted


def test_a_rebuild_that_is_killed_anywhere_is_finished_by_the_next(grown, index, tmp_path):
    before = history(grown)
    path_of(grown, 2).write_bytes(b"{")
    raw(index, "DROP TRIGGER cycles_no_delete")  # damage that leaves every row to be taken
    kills = 0
    for place in range(1, 100):
        directory = tmp_path / f"killed-{place}"
        shutil.copytree(grown.directory, directory)
        pid = os.fork()
        if pid == 0:
            die_at(place)
            rebuild(directory)
            os._exit(0)
        if not os.WIFSIGNALED(os.waitpid(pid, 0)[1]):
            break
        kills += 1
        done = rebuild(directory)
        assert (done.cycles, done.words, done.losses) == (3, 1, ()), place
        assert history(open_store(directory)) == before, place
        assert damage(directory) == [], place
        assert {name for name in listing(directory) if not name.startswith("damaged-")} == {
            "cycles",
            "index.sqlite",
        }, place
    assert kills >= 10
