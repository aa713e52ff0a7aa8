"""Churn that remembers: the same numbers as a walk of the whole window, from new commits alone."""

from __future__ import annotations

import pytest

from repo_guardian.errors import GitError, StateDirError
from repo_guardian.tools.git import churn_store
from repo_guardian.tools.git.churn_store import kept_churn
from repo_guardian.tools.git.history import churn, last_commits


def _grow(repository, count, start=0):
    for number in range(start, start + count):
        repository.write(f"f{number % 3}.py", f"{number}\n" * (number + 1))
        repository.commit(f"c{number}", GIT_AUTHOR_EMAIL=f"A{number % 2}@example.org")


def test_every_commit_of_a_history_with_merges_counts_as_in_a_full_walk(repository, sync, tmp_path):
    _grow(repository, 4)
    repository.git("checkout", "-q", "-b", "side", "HEAD~2")
    repository.write("side.py", "s\n")
    repository.commit("side")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "merge")
    _grow(repository, 4, start=10)
    mirror = sync(repository)
    store = tmp_path / "history" / "churn"
    for commit in reversed(last_commits(mirror.git, mirror.resolve("HEAD"), 100)):
        for window in (1, 3, 100):
            assert kept_churn(mirror.git, commit, store, window) == churn(mirror.git, commit, window)


def test_only_commits_that_are_new_are_read(repository, sync, tmp_path, monkeypatch):
    _grow(repository, 5)
    mirror = sync(repository)
    store = tmp_path / "churn"
    kept_churn(mirror.git, mirror.resolve("HEAD"), store)
    asked = []
    real = churn_store.read_changes

    def counted(git, *selection):
        asked.append(selection)
        return real(git, *selection)

    monkeypatch.setattr(churn_store, "read_changes", counted)
    kept_churn(mirror.git, mirror.resolve("HEAD"), store)
    assert asked == []
    _grow(repository, 1, start=20)
    mirror = sync(repository)
    head = mirror.resolve("HEAD")
    assert kept_churn(mirror.git, head, store) == churn(mirror.git, head)
    assert [[name for name in selection if len(name) == 40] for selection in asked] == [[head]]


def test_no_more_is_kept_than_a_few_windows(repository, sync, tmp_path):
    _grow(repository, 12)
    mirror = sync(repository)
    store = tmp_path / "churn"
    for commit in reversed(last_commits(mirror.git, mirror.resolve("HEAD"), 100)):
        kept_churn(mirror.git, commit, store, 2)
    assert len(churn_store._read(store, churn_store._version(mirror.git))) == 8


@pytest.mark.parametrize("damage", [b"", b"\x93", b"not it", b"\x92\xa1x\x80", bytes(range(256))])
def test_a_store_that_cannot_be_read_is_made_anew(repository, sync, tmp_path, damage):
    mirror = sync(repository)
    store = tmp_path / "churn"
    head = mirror.resolve("HEAD")
    store.write_bytes(damage)
    assert kept_churn(mirror.git, head, store) == churn(mirror.git, head)
    assert kept_churn(mirror.git, head, store) == churn(mirror.git, head)


def test_what_a_shallow_history_said_is_forgotten_when_more_of_it_comes(repository, tmp_path, sync):
    _grow(repository, 3)
    repository.git("clone", "-q", "--depth=2", f"file://{repository.path}", str(tmp_path / "shallow"))
    store = tmp_path / "churn"
    cut = sync(str(tmp_path / "shallow"))
    head = cut.resolve("HEAD")
    before = kept_churn(cut.git, head, store)
    assert before == churn(cut.git, head)
    whole = sync(repository)
    assert kept_churn(whole.git, head, store) == churn(whole.git, head) != before


def test_faults_have_their_errors(repository, sync, tmp_path):
    mirror = sync(repository)
    with pytest.raises(GitError):
        kept_churn(mirror.git, "4" * 40, tmp_path / "churn")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StateDirError):
        kept_churn(mirror.git, mirror.resolve("HEAD"), tmp_path / "file" / "churn")
