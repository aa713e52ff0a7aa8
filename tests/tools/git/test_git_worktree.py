"""The work tree as a pseudo-commit: what counts as changed, what runs nothing, what stays untouched."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from repo_guardian.errors import EmptyRepositoryError, GitError, NotARepositoryError
from repo_guardian.tools.git import worktree
from repo_guardian.tools.git.mirror import Mirror, locate
from repo_guardian.tools.git.objects import list_tree, read_blobs
from repo_guardian.tools.git.worktree import WorktreeLimits, WorktreeSnapshot, worktree_root


def take(repository, state: Path, limits: WorktreeLimits | None = None) -> WorktreeSnapshot:
    source = locate(str(repository.path))
    mirror = Mirror.sync(source, state / "mirror.git")
    root = worktree_root(repository.path, source)
    return worktree.snapshot(root, source, mirror, state / "worktree.git", limits)


def changes(found: WorktreeSnapshot) -> dict[str, str]:
    return {os.fsdecode(change.path): change.status for change in found.changes}


def contents(found: WorktreeSnapshot) -> dict[str, bytes]:
    entries = [entry for entry in list_tree(found.git, found.tree) if entry.type == "blob"]
    blobs = read_blobs(found.git, [entry.oid for entry in entries])
    return {os.fsdecode(e.path): b.data for e, b in zip(entries, blobs, strict=True)}


@pytest.fixture
def started(repository):
    repository.write("kept.py", "x = 1\n")
    repository.write("edited.py", "x = 1\n")
    repository.write("deleted.py", "x = 1\n")
    repository.write("sub/deep.py", "x = 1\n")
    repository.commit()
    return repository


def test_a_clean_work_tree_is_head(started, tmp_path):
    found = take(started, tmp_path / "state")
    assert found.tree == started.git("rev-parse", "HEAD^{tree}").decode()
    assert not found.is_dirty


def test_staged_unstaged_untracked_and_deleted(started, tmp_path):
    started.write("edited.py", "x = 2\n")
    started.write("staged.py", "y = 1\n")
    started.git("add", "staged.py")
    started.write("untracked.py", "z = 1\n")
    (started.path / "deleted.py").unlink()
    found = take(started, tmp_path / "state")
    assert changes(found) == {"edited.py": "M", "staged.py": "A", "untracked.py": "A", "deleted.py": "D"}
    assert contents(found)["edited.py"] == b"x = 2\n"
    assert contents(found)["untracked.py"] == b"z = 1\n"


def test_what_is_on_disk_counts_and_not_what_is_staged(started, tmp_path):
    started.write("edited.py", "x = 'staged'\n")
    started.git("add", "edited.py")
    started.write("edited.py", "x = 'on disk'\n")
    assert contents(take(started, tmp_path / "state"))["edited.py"] == b"x = 'on disk'\n"


def test_the_watched_repository_stays_as_it_is(started, tmp_path, snapshot):
    started.write("edited.py", "x = 2\n")
    started.write("staged.py", "y = 1\n")
    started.git("add", "staged.py")
    before = snapshot(started.path)
    found = take(started, tmp_path / "state")
    assert found.is_dirty
    assert snapshot(started.path) == before


def test_one_content_on_one_head_has_one_name_and_a_second_look_sees_edits(started, tmp_path):
    state = tmp_path / "state"
    started.write("edited.py", "x = 2\n")
    first, again = take(started, state), take(started, state)
    assert first == again
    started.write("edited.py", "x = 3\n")
    started.write("untracked.py", "")
    assert changes(take(started, state)) == {"edited.py": "M", "untracked.py": "A"}
    (started.path / "untracked.py").unlink()
    started.write("edited.py", "x = 1\n")
    assert not take(started, state).is_dirty


def test_ignored_files_are_left_out_unless_they_are_tracked(started, tmp_path):
    started.write(".gitignore", "*.log\nout/\n")
    started.commit()
    started.write("a.log", "noise")
    started.write("out/b.py", "noise")
    started.write("forced.log", "kept")
    started.git("add", "-f", "forced.log")
    (started.path / ".git/info").mkdir(exist_ok=True)
    started.write(".git/info/exclude", "private.py\n")
    started.write("private.py", "noise")
    assert changes(take(started, tmp_path / "state")) == {"forced.log": "A"}


def test_line_ends_alone_are_no_change(started, tmp_path):
    started.write("edited.py", "x = 1\r\n")
    found = take(started, tmp_path / "state")
    assert not found.is_dirty
    assert contents(found)["edited.py"] == b"x = 1\n"
    started.write("edited.py", "x = 2\r\n")
    assert changes(take(started, tmp_path / "state")) == {"edited.py": "M"}


@pytest.mark.parametrize("attribute", ["filter=anything", "ident", "working-tree-encoding=UTF-16"])
def test_what_git_stores_otherwise_is_listed_and_taken_from_head(started, tmp_path, attribute):
    started.write(".gitattributes", f"*.dat {attribute}\n")
    started.write("a.dat", "stored as it is\n".encode("utf-16") if "encoding" in attribute else "stored\n")
    started.commit()
    started.write("a.dat", "other\n".encode("utf-16") if "encoding" in attribute else "other\n")
    started.write("new.dat", "new\n".encode("utf-16") if "encoding" in attribute else "new\n")
    found = take(started, tmp_path / "state")
    assert changes(found) == {}
    assert [entry.path for entry in found.not_comparable] == [b"a.dat", b"new.dat"]
    assert all(attribute.partition("=")[0] in entry.reason for entry in found.not_comparable)


def test_no_filter_hook_or_monitor_of_the_repository_runs(started, tmp_path):
    canary = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {canary}\ncat\n")
    program.chmod(0o755)
    started.write(".gitattributes", "*.py filter=evil\n*.txt diff=evil\n")
    started.write("a.txt", "a\n")
    started.commit()
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv"):
        started.git("config", key, str(program))
    started.git("config", "core.hooksPath", str(tmp_path))
    started.git("config", "core.worktree", "/")
    started.write("kept.py", "x = 2\n")
    started.write("a.txt", "b\n")
    found = take(started, tmp_path / "state")
    assert not canary.exists()
    assert changes(found) == {"a.txt": "M"}
    assert [entry.path for entry in found.not_comparable] == [b"kept.py"]


def test_a_submodule_is_not_looked_into(started, tmp_path):
    canary = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >> {canary}\n")
    program.chmod(0o755)
    nested = started.path / "nested"
    started.git("init", "-q", str(nested))
    started.git("-C", str(nested), "commit", "-q", "--allow-empty", "-m", "inner")
    started.git("add", "nested")
    started.git("commit", "-qm", "a submodule")
    started.git("-C", str(nested), "config", "core.fsmonitor", str(program))
    (nested / "new.py").write_text("x = 1\n")
    other = started.path / "untracked-repository"
    started.git("init", "-q", str(other))
    (other / "inner.py").write_text("x = 1\n")
    found = take(started, tmp_path / "state")
    assert not canary.exists()
    assert changes(found) == {}


def test_a_file_hidden_by_a_sparse_checkout_is_not_deleted(started, tmp_path):
    started.git("update-index", "--skip-worktree", "deleted.py")
    (started.path / "deleted.py").unlink()
    (started.path / "edited.py").unlink()
    found = take(started, tmp_path / "state")
    assert changes(found) == {"edited.py": "D"}
    started.git("update-index", "--no-skip-worktree", "deleted.py")
    assert changes(take(started, tmp_path / "state")) == {"edited.py": "D", "deleted.py": "D"}


def test_a_real_sparse_checkout(started, tmp_path):
    started.git("sparse-checkout", "set", "--no-cone", "/*.py")
    assert not (started.path / "sub/deep.py").exists()
    assert not take(started, tmp_path / "state").is_dirty


def test_an_index_that_marks_an_edited_file_as_unchanged_hides_nothing(started, tmp_path):
    started.git("update-index", "--assume-unchanged", "edited.py")
    started.write("edited.py", "x = 2\n")
    assert changes(take(started, tmp_path / "state")) == {"edited.py": "M"}


def test_a_file_where_a_directory_was_and_the_other_way_round(started, tmp_path):
    (started.path / "sub/deep.py").unlink()
    (started.path / "sub").rmdir()
    started.write("sub", "now a file\n")
    (started.path / "edited.py").unlink()
    started.write("edited.py/inside.py", "x = 1\n")
    found = changes(take(started, tmp_path / "state"))
    assert found == {"sub": "A", "sub/deep.py": "D", "edited.py": "D", "edited.py/inside.py": "A"}


def test_names_with_newlines_and_bytes_that_are_no_text(started, tmp_path):
    started.write(b"new\nline.py", "x = 1\n")
    started.write(b"caf\xe9.py", "x = 1\n")
    (started.path / "link").symlink_to("kept.py")
    found = take(started, tmp_path / "state")
    assert {change.path for change in found.changes} == {b"new\nline.py", b"caf\xe9.py", b"link"}


def test_a_conflict_is_taken_as_it_stands_on_disk(started, tmp_path):
    started.git("checkout", "-qb", "other")
    started.write("edited.py", "x = 'theirs'\n")
    started.commit()
    started.git("checkout", "-q", "-")
    started.write("edited.py", "x = 'ours'\n")
    started.commit()
    started.git("merge", "other", check=False)
    found = take(started, tmp_path / "state")
    assert changes(found) == {"edited.py": "M"}
    assert b"<<<<<<<" in contents(found)["edited.py"]


def test_a_split_index(started, tmp_path):
    started.git("update-index", "--split-index")
    started.git("update-index", "--skip-worktree", "deleted.py")
    (started.path / "deleted.py").unlink()
    assert not take(started, tmp_path / "state").is_dirty


def test_a_linked_worktree_is_taken_itself(started, tmp_path):
    linked = tmp_path / "linked"
    started.git("worktree", "add", "-q", "-b", "side", str(linked))
    (linked / "edited.py").write_text("x = 2\n")
    found = take(type(started)(linked), tmp_path / "state")
    assert changes(found) == {"edited.py": "M"}
    assert found.root == linked


def test_large_and_many_untracked_files_are_bounded(started, tmp_path):
    started.write("large.bin", b"x" * 2000)
    started.write("small.py", b"x = 1\n")
    found = take(started, tmp_path / "state", WorktreeLimits(untracked_bytes=1000))
    assert changes(found) == {"small.py": "A"}
    assert [entry.path for entry in found.not_comparable] == [b"large.bin"]
    with pytest.raises(GitError, match="2 untracked files") as raised:
        take(started, tmp_path / "state", WorktreeLimits(untracked_files=1))
    assert ".gitignore" in raised.value.hint


def test_what_cannot_be_read_is_listed_and_costs_nothing_else(started, tmp_path):
    os.mkfifo(started.path / "pipe.py")
    for number in range(6):
        started.write(f"new{number}.py", "x = 1\n")
    (started.path / "edited.py").unlink()
    (started.path / "edited.py").mkdir()
    server = socket.socket(socket.AF_UNIX)
    try:
        (started.path / "deleted.py").unlink()
        folder = os.getcwd()
        os.chdir(started.path)  # the path of a socket has at most 107 bytes
        server.bind("deleted.py")
        os.chdir(folder)
        started.write("kept.py", b"x" * 3000)
        found = take(started, tmp_path / "state", WorktreeLimits(tracked_bytes=1000))
    finally:
        server.close()
    assert changes(found) == {"edited.py": "D", **{f"new{number}.py": "A" for number in range(6)}}
    assert [entry.path for entry in found.not_comparable] == [b"deleted.py", b"kept.py"]


def test_many_old_pseudo_commits_are_pruned_and_young_ones_stay(started, tmp_path):
    state = tmp_path / "state"
    old = take(started, state)
    started.write("edited.py", "x = 'old'\n")
    old = take(started, state)
    folder = state / "worktree.git/objects/17"
    folder.mkdir(exist_ok=True)
    for number in range(40):
        (folder / f"{number:038x}").write_bytes(b"")
    long_ago = time.time() - 30 * 24 * 3600
    for path in (state / "worktree.git/objects").rglob("*"):
        if path.is_file() and len(path.name) == 38:
            os.utime(path, (long_ago, long_ago))
    started.write("edited.py", "x = 'young'\n")
    young = take(started, state)
    again = take(started, state)
    assert again == young
    assert not list(folder.glob("0000*"))
    assert old.git.attempt("cat-file", "-e", old.commit).code != 0


def test_an_unusable_index_of_ours_is_made_anew(started, tmp_path):
    state = tmp_path / "state"
    started.write("edited.py", "x = 2\n")
    take(started, state)
    (state / "worktree.git/index").write_bytes(b"DIRC damaged")
    (state / "worktree.git/index.lock").write_bytes(b"")
    assert changes(take(started, state)) == {"edited.py": "M"}


def test_bare_repositories_and_unborn_heads_have_no_work_tree(started, repository, tmp_path):
    bare = tmp_path / "bare.git"
    started.git("clone", "-q", "--bare", str(started.path), str(bare))
    with pytest.raises(NotARepositoryError, match="no work tree"):
        worktree_root(bare, locate(str(bare)))
    unborn = tmp_path / "unborn"
    started.git("init", "-q", str(unborn))
    with pytest.raises(EmptyRepositoryError):
        take(type(started)(unborn), tmp_path / "other-state")
