"""Export and import: everything comes back under its number, and a bad archive is refused whole."""

from __future__ import annotations

import json
import os

import pytest

from repo_guardian.errors import MemoryCorruptError, MemoryStoreError, SchemaTooNewError, UsageError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.records import CycleWrite
from repo_guardian.memory_store.sql.migrations import MIGRATIONS
from repo_guardian.memory_store.sql.opening import open_database
from repo_guardian.memory_store.upkeep.archive import export
from repo_guardian.memory_store.upkeep.checking import check
from repo_guardian.memory_store.upkeep.importing import import_archive

from .conftest import commit_id, cycle_record, full_write, intent, put
from .test_memory_opening import OLD_ROWS, listing, raw
from .test_memory_words import word


@pytest.fixture
def grown(store):
    """Cycles 1, 3 and 5; 2 was discarded, 4 is still running; two words of humans."""
    put(store, full_write)
    store.discard(store.begin(intent(2)), "given up")
    store.say(word())
    for number in (3, 4, 5):
        assert store.begin(intent(number)) == number
    for number in (3, 5):
        store.commit(CycleWrite(cycle=cycle_record(number)))
    store.say(word("k-dump", word="accepted"))
    return store


@pytest.fixture
def archive(grown, tmp_path):
    """The archive of ``grown``."""
    export(grown.directory, tmp_path / "archive.jsonl")
    return tmp_path / "archive.jsonl"


def without_snapshots(directory):
    return [found.what for found in check(directory).damage if "graph snapshot" not in found.what]


def test_everything_comes_back_under_its_number(grown, archive, tmp_path):
    copied = import_archive(tmp_path / "other", archive)
    assert (copied.cycles, copied.words) == (3, 2)
    other = open_store(tmp_path / "other")
    assert other.summary() == grown.summary()
    for number in range(1, 6):
        assert other.cycle(number) == grown.cycle(number)
    assert other.all_words() == grown.all_words()
    assert set(other.words(["k-load", "k-dump"], before_cycle=3)) == {"k-load"}
    assert without_snapshots(tmp_path / "other") == []
    export(tmp_path / "other", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == archive.read_bytes()
    with pytest.raises(MemoryStoreError, match="was discarded"):
        other.discard(2, "again")
    assert other.begin(intent(6)) == 6


def test_an_archive_is_lines_that_say_what_they_are(archive):
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    assert [line["kind"] for line in lines] == [
        "memory",
        *["begun"] * 5,
        *["cycle"] * 3,
        *["word"] * 2,
        "end",
    ]
    assert lines[-1]["lines"] == len(lines) - 1
    assert lines[6]["hypotheses"][0]["claim"] == "callers without Loader fail"
    assert lines[9]["word"]["reason"] == "nobody calls it"
    assert lines[2]["discard"]["reason"] == "given up"


def test_an_export_replaces_nothing_and_leaves_nothing(grown, index, archive, tmp_path):
    before = archive.read_bytes()
    with pytest.raises(UsageError, match="is there already"):
        export(grown.directory, archive)
    assert archive.read_bytes() == before
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MemoryCorruptError):
        export(grown.directory, tmp_path / "of-a-damaged-one")
    assert listing(tmp_path) == ["archive.jsonl", "memory"]


def test_an_import_mixes_nothing(grown, archive, tmp_path):
    before = check(grown.directory)
    with pytest.raises(MemoryStoreError, match="holds 5 cycles and 2 words of humans already") as caught:
        import_archive(grown.directory, archive)
    assert "an empty one" in caught.value.hint
    assert check(grown.directory) == before


def test_an_import_does_not_hide_a_lost_memory(grown, index, archive):
    index.unlink()
    with pytest.raises(MemoryCorruptError, match=r"nothing was imported: .* recorded cycles"):
        import_archive(grown.directory, archive)
    assert not index.exists()


def test_an_empty_memory_is_filled(archive, tmp_path):
    open_store(tmp_path / "empty")
    assert import_archive(tmp_path / "empty", archive).cycles == 3


def refused(archive, directory, content, error, match):
    archive.write_bytes(content)
    with pytest.raises(error, match=match) as caught:
        import_archive(directory, archive)
    assert caught.value.hint
    assert listing(directory) == []


def test_a_cut_changed_or_foreign_archive_is_refused_whole(archive, tmp_path):
    whole = archive.read_bytes()
    lines = whole.splitlines(keepends=True)
    other = tmp_path / "other"
    cases = (
        (b"", "cut off"),
        (b"\x00\xff" * 50, "no archive"),
        (b"[]\n", "no archive"),
        (b'{"kind": "begun"}\n', "no archive of a memory"),
        (b"".join(lines[:-1]), "cut off"),
        (b"".join(lines[:7]), "cut off"),
        (whole[: len(whole) // 2], "no JSON object"),
        (whole[:-30], "no JSON object"),
        (b"".join([*lines[:4], *lines[5:]]), "not as it was written"),
        (whole.replace(b"callers without", b"callers with"), "not as it was written"),
        (whole + lines[0], "not as it was written"),
        (whole.replace(b'"kind":"word"', b'"kind":"song"'), "line 10 is of no known kind"),
        (whole.replace(b'"degraded":false', b'"degraded":"no"'), "line 7 is not valid: cycle.degraded"),
        (b"".join([lines[0], b"[" * 100_000 + b"\n"]), "line 2 is no JSON object"),
    )
    for content, match in cases:
        refused(archive, other, content, MemoryCorruptError, match)


def test_what_occurs_twice_is_refused(archive, tmp_path):
    lines = archive.read_bytes().splitlines(keepends=True)
    other = tmp_path / "other"
    for place, match in (
        (1, "cycle 1 occurs twice"),
        (6, "cycle 1 was committed already"),
        (10, "word 2 occurs twice"),
    ):
        content = b"".join([*lines[: place + 1], lines[place], *lines[place + 1 :]])
        refused(archive, other, content, MemoryStoreError, match)
    first = json.loads(lines[6])
    second = {**json.loads(lines[7]), "hypotheses": first["hypotheses"]}
    content = b"".join([*lines[:7], json.dumps(second).encode() + b"\n", *lines[8:]])
    refused(archive, other, content, MemoryStoreError, "hypothesis k-load is known since cycle 1")
    unbegun = b"".join([*lines[:1], *lines[2:]])
    refused(archive, other, unbegun, MemoryStoreError, "cycle 1 was never begun")


def test_a_newer_archive_is_refused(archive, tmp_path):
    content = archive.read_bytes().replace(b'"format":1', b'"format":2', 1)
    refused(archive, tmp_path / "other", content, SchemaTooNewError, "newer version")


def test_an_older_memory_is_exported_as_it_would_be_migrated(tmp_path):
    open_database(tmp_path / "memory", read_only=False, migrations=MIGRATIONS[:1])
    raw(tmp_path / "memory" / "index.sqlite", *OLD_ROWS)
    before = (tmp_path / "memory" / "index.sqlite").read_bytes()
    export(tmp_path / "memory", tmp_path / "archive")
    assert (tmp_path / "memory" / "index.sqlite").read_bytes() == before
    import_archive(tmp_path / "other", tmp_path / "archive")
    other = open_store(tmp_path / "other")
    assert [record.number for record in other.cycles().items] == [1]
    assert [found.number for found in other.interrupted()] == [2]


def test_an_import_that_is_killed_leaves_nothing_that_counts(archive, tmp_path):
    other = tmp_path / "other"
    pid = os.fork()
    if pid == 0:
        from sqlalchemy import Engine, event

        event.listen(Engine, "commit", lambda connection: os.kill(os.getpid(), 9))
        import_archive(other, archive)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 9
    assert not (other / "index.sqlite").exists()
    assert import_archive(other, archive).cycles == 3
    assert [name for name in listing(other) if "importing" in name and "journal" not in name] == []
    assert (other / "cycles" / f"1_{commit_id(1)}.json").is_file()
