"""What humans said: append-only, the latest word counts, and a running cycle does not see it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from pydantic import ValidationError

from repo_guardian.errors import MemoryStoreError, UsageError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.glance import may_hold_words
from repo_guardian.memory_store.records import HumanWordRecord

from .conftest import commit_id, intent


def word(key="k-load", **changes):
    values = {
        "hypothesis": key,
        "word": "dismissed",
        "reason": "nobody calls it",
        "claim": "load() is broken",
        "commit": commit_id(1),
        "blobs": {"pkg/io.py": commit_id(7), "gone.py": ""},
    }
    return HumanWordRecord(**{**values, **changes})


def test_the_latest_word_on_each_hypothesis_is_read(store):
    first, other, later = word(), word("k-dump"), word(word="accepted", reason="known after all")
    for record in (first, other, later):
        store.say(record)
    assert store.words(["k-load", "k-dump", "k-none"]) == {"k-load": later, "k-dump": other}
    assert store.words([]) == {}


def test_a_word_on_what_no_cycle_knows_is_kept(store):
    store.say(word("never-persisted"))
    assert store.hypothesis("never-persisted") is None
    assert (
        open_store(store.directory).words(["never-persisted"])["never-persisted"].reason == "nobody calls it"
    )


def test_a_cycle_sees_what_was_said_before_it_began(store):
    store.say(word("before"))
    running = store.begin(intent(1))
    store.say(word("meanwhile"))
    keys = ["before", "meanwhile"]
    assert set(store.words(keys, before_cycle=running)) == {"before"}
    assert set(store.words(keys)) == {"before", "meanwhile"}
    store.discard(running, "given up")
    assert set(store.words(keys, before_cycle=store.begin(intent(2)))) == {"before", "meanwhile"}


def test_a_word_that_came_too_late_does_not_hide_an_earlier_one(store):
    store.say(word(reason="first"))
    running = store.begin(intent(1))
    store.say(word(reason="second", word="accepted"))
    assert store.words(["k-load"], before_cycle=running)["k-load"].reason == "first"


def test_all_words_are_paged_the_latest_first(store):
    for number in range(5):
        store.say(word(f"k{number}"))
    first = store.all_words(limit=2)
    assert ([w.hypothesis for w in first.items], first.total) == (["k4", "k3"], 5)
    second = store.all_words(limit=2, cursor=first.next_cursor)
    last = store.all_words(limit=2, cursor=second.next_cursor)
    assert [w.hypothesis for w in (*second.items, *last.items)] == ["k2", "k1", "k0"]
    assert last.next_cursor is None
    with pytest.raises(UsageError):
        store.all_words(cursor="k3")


def test_texts_of_strangers_are_stored(store):
    odd = word(
        "k\x00\udcff" + "x" * 5000, reason="\ud800 why", blobs={"caf\udce9.py": "", "a\nb": commit_id(3)}
    )
    store.say(odd)
    (found,) = store.all_words().items
    assert found == odd
    assert store.words(["k\x00\udcff" + "x" * 5000]).popitem()[1] == odd


@pytest.mark.parametrize("changes", [{"reason": ""}, {"word": "shrugged"}, {"commit": "HEAD"}])
def test_what_is_no_word_is_refused(changes):
    with pytest.raises(ValidationError):
        word(**changes)


def test_a_record_built_past_its_checks_is_refused(store):
    with pytest.raises(MemoryStoreError, match="the record is not valid: reason"):
        store.say(word().model_copy(update={"reason": 3}))
    assert store.all_words().total == 0


def test_too_many_keys_are_refused(store):
    with pytest.raises(UsageError, match="hypothesis keys"):
        store.words([str(number) for number in range(501)])


def test_words_cannot_be_changed_or_removed(store):
    store.say(word())
    with closing(sqlite3.connect(store.directory / "index.sqlite")) as connection:
        for statement in ("UPDATE human_words SET reason = 'x'", "DELETE FROM human_words"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)


def test_a_glance_tells_whether_there_may_be_words(store, tmp_path):
    assert not may_hold_words(tmp_path / "nowhere")
    assert not may_hold_words(store.directory)
    store.say(word())
    assert may_hold_words(store.directory)
    older = tmp_path / "older"
    older.mkdir()
    with closing(sqlite3.connect(older / "index.sqlite")) as connection:
        connection.execute("CREATE TABLE migrations (position INTEGER)")
    assert not may_hold_words(older)
    (older / "index.sqlite").write_bytes(b"no database at all, but long enough to be taken for one" * 40)
    assert may_hold_words(older)


def test_a_read_only_memory_takes_no_word(store):
    store.say(word())
    reader = open_store(store.directory, read_only=True)
    assert reader.words(["k-load"])["k-load"] == word(said_at=reader.words(["k-load"])["k-load"].said_at)
    with pytest.raises(MemoryStoreError, match="read-only"):
        reader.say(word())
