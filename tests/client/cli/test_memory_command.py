"""``guardian memory`` over the memory of a real cycle: checked, copied, exported, imported, rebuilt."""

import json

import pytest

from repo_guardian.memory_store import open_store
from repo_guardian.server.session.state_dir import StateDir
from repo_guardian.tools.git.source import locate


@pytest.fixture
def memory(repository, guardian, home):
    """The memory after one real cycle."""
    repository.commit({"pkg/__init__.py": "def f(a):\n    return a\n"}, "first")
    repository.commit({"pkg/__init__.py": "def f(a):\n    return [a]\n"}, "second")
    assert guardian("cycle", repository.path).code == 0
    return StateDir(home, locate(str(repository.path)).repository_id).memory


def test_a_memory_is_checked_and_copied(memory, repository, guardian, tmp_path):
    told = guardian("memory", "check", repository.path)
    assert (told.code, told.out, told.err) == (
        0,
        "whole: 1 cycles, 0 words of humans, 1 graph snapshots\n",
        "",
    )
    assert guardian("memory", "check", repository.path, "--json").report["whole"] is True

    copied = guardian("memory", "backup", repository.path, tmp_path / "copy.sqlite")
    assert (copied.code, copied.err) == (0, "")
    assert copied.out.startswith("1 cycles and 0 words of humans in ")
    again = guardian("memory", "backup", repository.path, tmp_path / "copy.sqlite")
    assert again.code == 2
    assert "is there already" in again.err

    for pack in (memory / "graph" / "packs").iterdir():
        pack.chmod(0o600)
        content = bytearray(pack.read_bytes())
        content[-1] ^= 1
        pack.unlink()
        pack.write_bytes(content)
    write = open_store(memory, read_only=True).cycle(1)
    (memory / "cycles" / f"1_{write.cycle.commit}.json").unlink()
    told = guardian("memory", "check", repository.path)
    assert (told.code, told.err) == (3, "")
    assert told.out.startswith("damaged: 1 cycles")
    assert "is missing" in told.out and "way out: guardian memory rebuild" in told.out
    assert "the graph snapshot of" in told.out
    damage = json.loads(guardian("memory", "check", repository.path, "--json").out)["damage"]
    assert len(damage) == 2
    assert all(found["way_out"] for found in damage)


def test_a_memory_is_taken_elsewhere_and_made_whole_again(memory, repository, guardian, tmp_path):
    shown = guardian("memory", "show", repository.path, "--json").out
    written = guardian("memory", "export", repository.path, tmp_path / "archive")
    assert (written.code, written.err) == (0, "")
    assert written.out.startswith("1 cycles and 0 words of humans in ")
    refused = guardian("memory", "import", repository.path, tmp_path / "archive")
    assert refused.code == 3
    assert "holds 1 cycles and 0 words of humans already" in refused.err

    memory.rename(tmp_path / "elsewhere")
    taken = guardian("memory", "import", repository.path, tmp_path / "archive")
    assert (taken.code, taken.err) == (0, "")
    assert taken.out.startswith("1 cycles and 0 words of humans imported\n")
    assert guardian("memory", "show", repository.path, "--json").out == shown
    told = guardian("memory", "check", repository.path)
    assert "the graph snapshot of" in told.out
    (tmp_path / "elsewhere" / "graph").rename(memory / "graph")
    assert guardian("memory", "check", repository.path).code == 0

    index = memory / "index.sqlite"
    index.write_bytes(index.read_bytes()[:5000])
    assert guardian("memory", "show", repository.path).code == 3
    mended = guardian("memory", "rebuild", repository.path)
    assert (mended.code, mended.err) == (0, "")
    assert mended.out.startswith("the database is made anew: 1 cycles")
    assert "lost: what humans said" in mended.out
    assert guardian("memory", "show", repository.path, "--json").out == shown
    again = guardian("memory", "rebuild", repository.path, "--json").report
    assert (again["anew"], again["added"], again["written"], again["losses"]) == (False, [], [], [])
    later = guardian("cycle", repository.path, "--json").report
    assert later["memory"]["past_cycles"] == 1


def test_there_is_nothing_to_look_at_yet(repository, guardian, home, tmp_path):
    repository.commit({"a.py": "x = 1\n"}, "first")
    before = sorted(home.iterdir())
    for arguments in (["check"], ["backup", tmp_path / "b"], ["export", tmp_path / "e"], ["rebuild"]):
        ran = guardian("memory", arguments[0], repository.path, *arguments[1:])
        assert ran.code == 3
        assert "no memory yet" in ran.err
        assert "guardian cycle" in ran.err
    assert sorted(home.iterdir()) == before
    assert not (tmp_path / "b").exists()
    assert not (tmp_path / "e").exists()


def test_an_import_stays_out_of_the_watched_repository(repository, guardian_process, tmp_path):
    repository.commit({"a.py": "x = 1\n"}, "first")
    before = repository.fingerprint()
    (tmp_path / "archive").write_text("{}\n")
    inside = repository.path / "state"
    ran = guardian_process("memory", "import", repository.path, tmp_path / "archive", "--home", inside)
    assert ran.code == 2
    assert "inside the watched repository" in ran.err
    assert repository.fingerprint() == before
