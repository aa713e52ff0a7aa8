"""``guardian views``: build, status, verify, gc: on histories, on damage, in a pipe and on a terminal."""

import json
import os
from itertools import pairwise

import pytest

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "def f():\n    return 1\n",
    "pkg/b.py": "from pkg.a import f\n\n\ndef g():\n    return f()\n",
    "notes.md": "# Notes\n\nHow retries are counted.\n",
    ".env": "PASSWORD=hunter2\n",
}
VIEWS = ["symbol_graph", "lexical", "vector"]


@pytest.fixture
def history(repository):
    """Four commits, each with another body of one function."""
    commits = [repository.commit(FILES, "number 0")]
    for number in range(1, 4):
        text = f"def f():\n    return {number}\n"
        commits.append(repository.commit({"pkg/a.py": text}, f"number {number}"))
    return commits


@pytest.fixture
def asked(repository, guardian):
    """Run a subcommand with ``--json``; the object that it prints."""

    def call(subcommand, *arguments, code=0):
        ran = guardian("views", subcommand, repository.path, *arguments, "--json")
        assert ran.code == code, ran.err
        assert ran.err == ""
        return json.loads(ran.out)

    return call


def test_head_is_built_whole_and_then_kept(history, asked, repository):
    before = repository.fingerprint()
    (first,) = asked("build")["built"]
    assert (first["commit"], first["state"], first["reused"]) == (history[-1], "whole", False)
    assert [view["name"] for view in first["views"]] == VIEWS
    assert (first["files_seen"], first["withheld"]) == (5, 1)
    (again,) = asked("build")["built"]
    assert again == {**first, "reused": True}
    assert repository.fingerprint() == before


def test_a_history_is_built_oldest_first_and_each_commit_from_the_one_before(history, asked):
    built = asked("build", "--last", "3")["built"]
    assert [item["commit"] for item in built] == history[1:]
    for earlier, later in pairwise(built):
        graph = later["views"][0]
        assert graph["since"] == earlier["commit"]
        assert graph["made"] < graph["files"]
        assert later["facts_extracted"] == 1
    alone = asked("build", history[0], "HEAD~1", "--view", "symbol_graph")["built"]
    assert [(item["commit"], item["reused"]) for item in alone] == [(history[0], False), (history[2], True)]
    assert [view["name"] for view in alone[0]["views"]] == ["symbol_graph"]


def test_warm_and_cold_builds_have_equal_digests(history, asked, guardian, repository, tmp_path):
    warm = asked("build", "--last", "4")["built"][-1]
    cold = guardian("views", "build", repository.path, "--json", "--home", tmp_path / "other")
    digests = [view["digest"] for view in json.loads(cold.out)["built"][0]["views"]]
    assert digests == [view["digest"] for view in warm["views"]]


def test_status_lists_the_latest_built_first_with_sizes(history, asked, guardian, repository):
    assert asked("status")["total"] == 0
    assert "no views are published" in guardian("views", "status", repository.path).out
    asked("build", "--last", "3")
    answer = asked("status", "--limit", "2")
    assert [item["commit"] for item in answer["items"]] == [history[3], history[2]]
    assert (answer["total"], answer["next_offset"], answer["head"]) == (3, 2, history[-1])
    newest = answer["items"][0]
    assert (newest["state"], newest["subject"]) == ("whole", "number 3")
    assert newest["symbols"] >= 5
    assert newest["edges"] >= 3
    assert answer["disk_bytes"]["packs"] > 0
    assert "python" in answer["capabilities"]
    shown = guardian("views", "status", repository.path, "--limit", "2").out
    assert f"{history[3][:12]}  whole  all" in shown
    assert "… 1 more; raise --limit" in shown


def test_verify_finds_damage_and_the_next_build_mends_it(history, asked, guardian, repository, home):
    asked("build", "--last", "2")
    assert asked("verify")["whole"]
    for pack in home.glob("*/packs/*"):
        if pack.is_file() and pack.stat().st_size:
            data = bytearray(pack.read_bytes())
            data[-1] ^= 1
            pack.chmod(0o600)
            pack.write_bytes(data)
    found = asked("verify", code=3)
    assert not found["whole"]
    assert all(item["state"] == "damaged" and item["reason"] for item in found["commits"])
    ran = guardian("views", "verify", repository.path, "HEAD")
    assert ran.code == 3
    assert f"{history[-1][:12]}  damaged" in ran.out
    asked("build", "--last", "2")
    assert asked("verify")["whole"]


def test_verify_of_what_was_never_built(history, asked, guardian, repository):
    assert asked("verify") == {"repository": str(repository.path), "whole": True, "commits": []}
    asked("build")
    ran = guardian("views", "verify", repository.path, "HEAD~1")
    assert ran.code == 3
    assert "no views of commit" in ran.out + ran.err
    assert guardian("views", "verify", repository.path, "nowhere").code == 2


def test_gc_keeps_the_latest_and_what_they_need(history, asked, guardian, repository):
    assert asked("gc")["removed"] == []
    asked("build", "--last", "4")
    answer = asked("gc", "--keep", "1")
    assert answer["kept"] == [history[-1]]
    assert sorted(answer["removed"]) == sorted(history[:-1])
    assert answer["freed_bytes"] > 0
    assert asked("verify")["whole"]
    assert json.loads(guardian("callers", repository.path, "pkg.a.f", "--json").out)["callers_total"] == 1
    assert asked("gc", "--keep", "0")["kept"] == []
    assert asked("status")["total"] == 0
    assert [item["reused"] for item in asked("build")["built"]] == [False]


def test_gc_waits_for_no_cycle(history, asked, guardian, repository, home):
    from repo_guardian.memory_store.lock import lock
    from repo_guardian.tools.git.source import locate

    asked("build")
    with lock(home / locate(str(repository.path)).repository_id):
        ran = guardian("views", "gc", repository.path)
    assert ran.code == 3
    assert "another cycle" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [["build", "--view", "nothing"], ["build", "nowhere"], ["build", "--last", "0"], ["gc", "--keep", "-1"]],
)
def test_bad_calls(history, guardian, repository, arguments):
    subcommand, *rest = arguments
    ran = guardian("views", subcommand, repository.path, *rest)
    assert (ran.code, ran.out) == (2, "")
    assert "Traceback" not in ran.err


def test_a_moved_state_directory_works(history, asked, guardian, repository, home, tmp_path):
    asked("build")
    moved = tmp_path / "elsewhere"
    home.rename(moved)
    home.mkdir()
    ran = guardian("views", "verify", repository.path, "--json", "--home", moved)
    assert json.loads(ran.out)["whole"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_a_full_disk_is_said_and_nothing_half_written_is_left(repository, guardian_process, tmp_path):
    repository.commit({**FILES, "big.py": "".join(f"def f{n}():\n    return {n}\n" for n in range(9000))})
    state = tmp_path / "small"
    state.mkdir()
    script = (
        f'mount -t tmpfs -o size=700k tmpfs {state} && "$@"; code=$?; '
        f"find {state} -path '*/views/*' -o -name '.tmp-*'; exit $code"
    )
    ran = guardian_process(
        *("views", "build", repository.path, "--home", state),
        wrapper=("unshare", "--mount", "sh", "-c", script, "sh"),
    )
    assert ran.code == 3, ran.err
    assert "free some space" in ran.err
    assert ran.out == ""


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_fits_the_terminal(repository, guardian, guardian_process, columns):
    repository.commit(FILES, "a\x1b[2J subject of \u65e5\u672c\u8a9e " + "x" * 150)
    guardian("views", "build", repository.path)
    ran = guardian_process(
        "views", "status", repository.path, wrapper=("script", "--quiet", "--return", "--command"), tty=True,
        environment={"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "xterm"},
    )  # fmt: skip
    from repo_guardian.client.cli.terminal import width

    head, row, *_ = ran.out.replace("\r", "").split("\n")
    assert head.startswith("commit        state  views")
    assert row.endswith("…")
    assert width(row) <= columns
    assert "\\x1b[2J" in row or columns < 120
    assert "\x1b" not in row
