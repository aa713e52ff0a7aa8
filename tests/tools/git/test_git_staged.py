"""The index as a pseudo-commit: what counts as staged, what is taken over, what stays untouched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_guardian.tools.git.mirror import Mirror, locate
from repo_guardian.tools.git.objects import list_tree, read_blobs
from repo_guardian.tools.git.pseudo_commit import WorktreeSnapshot, worktree_root
from repo_guardian.tools.git.staged import StagedLimits, staged_snapshot


def take(repository, state: Path, index: Path | None = None, limits: StagedLimits | None = None):
    source = locate(str(repository.path))
    mirror = Mirror.sync(source, state / "mirror.git")
    root = worktree_root(repository.path, source)
    return staged_snapshot(root, source, mirror, state / "worktree.git", index=index, limits=limits)


def changes(found: WorktreeSnapshot) -> dict[str, str]:
    return {os.fsdecode(change.path): change.status for change in found.changes}


def content(found: WorktreeSnapshot, path: str) -> bytes | None:
    (entry,) = [entry for entry in list_tree(found.git, found.tree) if os.fsdecode(entry.path) == path]
    (blob,) = read_blobs(found.git, [entry.oid])
    return blob.data


@pytest.fixture
def started(repository):
    for name in ("kept.py", "edited.py", "deleted.py", "sub/deep.py"):
        repository.write(name, "x = 1\n")
    repository.commit()
    return repository


def test_what_is_staged_counts_and_not_what_is_on_disk(started, tmp_path, snapshot):
    started.write("edited.py", "x = 'staged'\n")
    started.write("new.py", "x = 1\n")
    started.git("add", "edited.py", "new.py")
    started.git("rm", "-q", "deleted.py")
    started.write("edited.py", "x = 'on disk'\n")
    started.write("untracked.py", "x = 1\n")
    (started.path / "kept.py").unlink()
    before = snapshot(started.path)
    found = take(started, tmp_path / "state")
    assert changes(found) == {"edited.py": "M", "new.py": "A", "deleted.py": "D"}
    assert content(found, "edited.py") == b"x = 'staged'\n"
    assert snapshot(started.path) == before
    assert found == take(started, tmp_path / "state")


def test_nothing_staged_is_head(started, tmp_path):
    started.write("edited.py", "x = 2\n")
    found = take(started, tmp_path / "state")
    assert not found.is_dirty
    assert found.tree == started.git("rev-parse", "HEAD^{tree}").decode()


def test_a_file_only_meant_to_be_added_is_not_staged(started, tmp_path):
    started.write("meant.py", "x = 1\n")
    started.git("add", "--intent-to-add", "meant.py")
    assert changes(take(started, tmp_path / "state")) == {}


def test_a_mode_a_link_and_odd_names(started, tmp_path):
    (started.path / "kept.py").chmod(0o755)
    (started.path / "link").symlink_to("kept.py")
    started.write(b"new\nline.py", "x = 1\n")
    started.write(b"caf\xe9.py", "x = 1\n")
    started.git("add", "-A")
    found = take(started, tmp_path / "state")
    assert {c.path: c.status for c in found.changes} == {
        b"kept.py": "M",
        b"link": "A",
        b"new\nline.py": "A",
        b"caf\xe9.py": "A",
    }


def test_a_conflict_is_listed_and_taken_from_head(started, tmp_path):
    started.git("checkout", "-qb", "other")
    started.write("edited.py", "x = 'theirs'\n")
    started.commit()
    started.git("checkout", "-q", "-")
    started.write("edited.py", "x = 'ours'\n")
    started.commit()
    started.git("merge", "other", check=False)
    found = take(started, tmp_path / "state")
    assert changes(found) == {}
    ((path, reason),) = [(x.path, x.reason) for x in found.not_comparable]
    assert (path, "conflict" in reason) == (b"edited.py", True)


def test_blobs_that_are_too_large_or_gone_are_listed(started, tmp_path):
    started.write("large.bin", b"x" * 5000)
    started.write("small.py", "x = 1  # small\n")
    started.write("gone.py", "x = 1  # gone\n")
    started.git("add", "-A")
    oid = started.git("rev-parse", ":gone.py").decode()
    (started.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    found = take(started, tmp_path / "state", limits=StagedLimits(blob_bytes=1000))
    assert changes(found) == {"small.py": "A"}
    assert [entry.path for entry in found.not_comparable] == [b"gone.py", b"large.bin"]


def test_the_objects_stay_when_the_repository_forgets_them(started, tmp_path):
    started.write("new.py", "x = 'kept by us'\n")
    started.git("add", "new.py")
    found = take(started, tmp_path / "state")
    started.git("rm", "-qf", "--cached", "new.py")
    started.git("prune", "--expire=now")
    assert content(found, "new.py") == b"x = 'kept by us'\n"


def test_a_split_index_a_sparse_one_and_a_lock_are_read(started, tmp_path):
    started.git("update-index", "--split-index")
    started.write("edited.py", "x = 2\n")
    started.git("add", "edited.py")
    (started.path / ".git/index.lock").write_bytes(b"")
    assert changes(take(started, tmp_path / "state")) == {"edited.py": "M"}
    assert (started.path / ".git/index.lock").exists()


def test_no_index_means_nothing_is_staged(started, tmp_path):
    (started.path / ".git/index").unlink()
    assert not take(started, tmp_path / "state").is_dirty


def test_an_index_of_the_git_directory_is_taken_and_no_other(started, tmp_path):
    started.write("edited.py", "x = 2\n")
    other, foreign = started.path / ".git/next-index-1.lock", tmp_path / "foreign"
    for index in (other, foreign):
        started.git("read-tree", "HEAD", GIT_INDEX_FILE=str(index))
        started.git("add", "edited.py", GIT_INDEX_FILE=str(index))
    assert changes(take(started, tmp_path / "state")) == {}
    assert changes(take(started, tmp_path / "state", other)) == {"edited.py": "M"}
    assert changes(take(started, tmp_path / "state", foreign)) == {}


def test_a_linked_worktree_has_an_index_of_its_own(started, tmp_path):
    linked = tmp_path / "linked"
    started.git("worktree", "add", "-q", "-b", "side", str(linked))
    (linked / "edited.py").write_text("x = 2\n")
    other = type(started)(linked)
    other.git("add", "edited.py")
    assert changes(take(other, tmp_path / "state")) == {"edited.py": "M"}
    assert changes(take(started, tmp_path / "state")) == {}


def test_sha256_objects(make_repository, tmp_path):
    repository = make_repository("other", "--object-format=sha256")
    repository.write("a.py", "x = 1\n")
    repository.commit()
    repository.write("a.py", "x = 2\n")
    repository.git("add", "a.py")
    found = take(repository, tmp_path / "state")
    assert changes(found) == {"a.py": "M"}
    assert len(found.commit) == 64
