"""Whether a work tree differs from HEAD: what counts, what runs nothing, what stays untouched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_guardian.tools.git.dirtiness import Dirtiness, dirtiness
from repo_guardian.tools.git.history import first_parents
from repo_guardian.tools.git.mirror import Mirror, locate


def ask(path: Path, state: Path) -> Dirtiness | None:
    source = locate(str(path))
    return dirtiness(path, source, Mirror.sync(source, state / "mirror.git").git)


@pytest.fixture
def started(repository):
    for name in ("a.py", "b.py", "sub/c.py"):
        repository.write(name, "x = 1\n")
    repository.write(".gitignore", "*.pyc\n")
    repository.commit()
    return repository


def test_a_clean_work_tree_and_one_whose_times_alone_differ(started, tmp_path):
    assert ask(started.path, tmp_path) == Dirtiness(0, 0)
    os.utime(started.path / "a.py", (1, 1))
    found = ask(started.path, tmp_path)
    assert found == Dirtiness(0, 0)
    assert not found.dirty


def test_edits_deletions_staged_and_untracked_files_count_and_ignored_ones_do_not(started, tmp_path):
    started.write("a.py", "x = 2\n")
    (started.path / "b.py").unlink()
    started.write("staged.py", "y = 1\n")
    started.git("add", "staged.py")
    started.write("new/one.py")
    started.write("new/two.py")
    started.write("odd\nname\xff.txt")
    started.write("a.pyc")
    started.write("local.txt")
    (started.path / ".git/info").mkdir(exist_ok=True)
    (started.path / ".git/info/exclude").write_text("local.txt\n")
    assert ask(started.path, tmp_path) == Dirtiness(3, 2)


def test_asked_from_below_and_from_a_linked_work_tree(started, tmp_path):
    started.write("a.py", "x = 2\n")
    assert ask(started.path / "sub", tmp_path / "one") == Dirtiness(1, 0)
    linked = tmp_path / "linked"
    started.git("worktree", "add", "-q", "--detach", str(linked))
    assert ask(linked, tmp_path / "two") == Dirtiness(0, 0)
    (linked / "b.py").unlink()
    assert ask(linked / "sub", tmp_path / "two") == Dirtiness(1, 0)


def test_where_nothing_can_be_known(started, tmp_path):
    bare = tmp_path / "bare.git"
    started.git("clone", "-q", "--bare", str(started.path), str(bare))
    assert ask(bare, tmp_path / "one") is None
    (started.path / ".git/index").unlink()
    assert ask(started.path, tmp_path / "two") is None
    started.git("reset", "-q")
    (started.path / ".git/index").write_bytes(b"DIRC")
    assert ask(started.path, tmp_path / "three") is None


def test_nothing_configured_runs_and_nothing_is_written(started, tmp_path):
    trap = tmp_path / "trap"
    command = f"touch {trap}; cat"
    for name in ("filter.x.clean", "filter.x.smudge", "core.fsmonitor", "diff.x.textconv"):
        started.git("config", name, command)
    started.write(".gitattributes", "*.py filter=x diff=x\n")
    started.write("a.py", "x = 9\n")
    hook = started.path / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{command}\n")
    hook.chmod(0o755)
    trap.unlink(missing_ok=True)
    before = (started.path / ".git/index").read_bytes()
    found = ask(started.path, tmp_path / "state")
    assert found == Dirtiness(1, 1)
    assert not trap.exists()
    assert (started.path / ".git/index").read_bytes() == before
    assert not list((started.path / ".git").glob("*.lock"))


def test_the_commits_that_led_to_one(started, tmp_path):
    first = started.head()
    started.git("switch", "-q", "-c", "side")
    started.commit("on the side")
    started.git("switch", "-q", "-")
    main = started.commit("on main")
    started.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    git = Mirror.sync(locate(str(started.path)), tmp_path / "mirror.git").git
    assert first_parents(git, started.head(), 99)[:3] == [started.head(), main, first]
    assert (
        first_parents(git, started.head(), 99)[-1]
        == started.git("rev-list", "--max-parents=0", "HEAD").decode()
    )
    assert first_parents(git, started.head(), 2) == [started.head(), main]
