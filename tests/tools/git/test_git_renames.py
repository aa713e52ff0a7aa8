"""Churn across renames, and who owns a file."""

from __future__ import annotations

from repo_guardian.tools.git.churn_store import kept_churn
from repo_guardian.tools.git.history import FileChurn, churn

TEXT = "".join(f"line {number}\n" for number in range(20))


def test_a_renamed_file_keeps_its_history(repository, sync, tmp_path):
    repository.write("old.py", TEXT)
    repository.commit("born")
    repository.git("mv", "old.py", "mid.py")
    repository.write("mid.py", TEXT + "more\n")
    repository.commit("renamed and changed", GIT_AUTHOR_EMAIL="other@example.org")
    (repository.path / "sub").mkdir()
    repository.git("mv", "mid.py", "sub/new\tname.py")
    repository.commit("renamed again")
    mirror = sync(repository)
    head = mirror.resolve("HEAD")
    found = churn(mirror.git, head)
    assert not {b"old.py", b"mid.py"} & found.keys()
    assert found[b"sub/new\tname.py"] == FileChurn(3, 21, 0, 2, 0, 2 / 3)
    assert kept_churn(mirror.git, head, tmp_path / "churn") == found


def test_a_name_that_is_used_again_is_another_file(repository, sync):
    repository.write("one.py", TEXT)
    repository.commit("born")
    repository.git("mv", "one.py", "two.py")
    repository.commit("renamed")
    repository.write("one.py", "something else\n")
    repository.commit("another one")
    found = churn(sync(repository).git, repository.head())
    assert found[b"two.py"] == FileChurn(2, 20, 0, 1, 1)
    assert found[b"one.py"] == FileChurn(1, 1, 0, 1, 0)


def test_files_that_change_places_are_told_apart(repository, sync):
    other = TEXT.replace("line", "other")
    repository.write("x.py", TEXT)
    repository.write("y.py", other)
    repository.commit("born")
    repository.git("mv", "x.py", "z.py")
    repository.commit("moved away")
    repository.git("mv", "y.py", "x.py")
    repository.commit("moved in")
    repository.write("x.py", other + "more\n")
    repository.commit("changed")
    found = churn(sync(repository).git, repository.head())
    assert found[b"z.py"] == FileChurn(2, 20, 0, 1, 2)
    assert found[b"x.py"].commits == 3


def test_a_copy_and_a_rewrite_are_no_renames(repository, sync):
    repository.write("x.py", TEXT)
    repository.commit("born")
    repository.write("copy.py", TEXT)
    repository.git("rm", "-q", "a.py")
    repository.write("fresh.py", "nothing\nof\nthat\n")
    repository.commit("copied")
    found = churn(sync(repository).git, repository.head())
    assert found[b"copy.py"].commits == found[b"fresh.py"].commits == 1
    assert found[b"a.py"].commits == 3
