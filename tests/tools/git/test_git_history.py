"""Churn."""

from __future__ import annotations

import pytest

from repo_guardian.errors import GitError
from repo_guardian.tools.git.history import FileChurn, churn


def test_churn_counts_commits_lines_authors_and_age(repository, sync):
    repository.write("a.py", "one\n")
    repository.commit("third", GIT_AUTHOR_EMAIL="ADA@example.org")
    repository.commit("empty")
    repository.write("a.py", "one\nnew\nlines\n")
    repository.write("image", b"\0\1")
    repository.commit("fifth", GIT_AUTHOR_EMAIL="other@example.org")
    repository.commit("empty again", GIT_AUTHOR_EMAIL="")
    mirror = sync(repository)
    assert churn(mirror.git, mirror.resolve("HEAD")) == {
        b"a.py": FileChurn(commits=4, added=4, deleted=1, authors=2, age=1, main_share=0.75),
        b"image": FileChurn(commits=1, added=0, deleted=0, authors=1, age=1),
        b"pkg/b.py": FileChurn(commits=1, added=1, deleted=0, authors=1, age=4),
    }


def test_the_window_is_bounded(repository, sync):
    mirror = sync(repository)
    assert set(churn(mirror.git, mirror.resolve("HEAD"), 1)) == {b"a.py", b"pkg/b.py"}
    assert churn(mirror.git, mirror.resolve("HEAD"), 1)[b"a.py"].commits == 1
    assert churn(mirror.git, mirror.resolve("HEAD~1")) == {b"a.py": FileChurn(1, 1, 0, 1, 0)}


def test_names_of_any_bytes(repository, sync):
    names = [
        b"new\nline",
        b"\xff\xfe",
        b"tab\there",
        b"1\t2\tfake",
        b"\nleading",
        b"a" * 40,
        b"=>",
        b"{a => b}",
    ]
    for name in names:
        repository.write(name, b"x\n")
    repository.commit()
    mirror = sync(repository)
    found = churn(mirror.git, mirror.resolve("HEAD"))
    assert set(found) == {*names, b"a.py", b"pkg/b.py"}
    assert all(found[name] == FileChurn(1, 1, 0, 1, 0) for name in names)


def test_an_author_who_looks_like_a_record(repository, sync):
    repository.write("a.py", "")
    repository.commit(GIT_AUTHOR_EMAIL="1\t1\tforged.py")
    mirror = sync(repository)
    assert b"forged.py" not in churn(mirror.git, mirror.resolve("HEAD"))


def test_the_cut_of_a_shallow_clone_does_not_count_as_creation(repository, tmp_path, sync):
    repository.write("c.py", "c\n")
    repository.commit()
    repository.git("clone", "-q", "--depth=2", f"file://{repository.path}", str(tmp_path / "shallow"))
    mirror = sync(str(tmp_path / "shallow"))
    assert churn(mirror.git, mirror.resolve("HEAD")) == {b"c.py": FileChurn(1, 1, 0, 1, 0)}


def test_a_merge_counts_for_nothing(repository, sync):
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    repository.write("side.py", "s\n")
    repository.commit("side")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "merge")
    mirror = sync(repository)
    assert churn(mirror.git, mirror.resolve("HEAD"))[b"side.py"].commits == 1


@pytest.mark.parametrize("commit", ["HEAD", "--all", "4" * 40])
def test_churn_of_no_commit(repository, sync, commit):
    with pytest.raises(GitError):
        churn(sync(repository).git, commit)
