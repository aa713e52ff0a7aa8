"""Revisions, bases and commits."""

from __future__ import annotations

import hashlib

import pytest

from repo_guardian.errors import GitError, NoBaseError, RevisionError
from repo_guardian.tools.git.commits import parse_commit


def test_everything_that_names_a_commit(repository, sync):
    head, first = repository.head(), repository.git("rev-parse", "HEAD~1").decode()
    repository.git("tag", "light", "HEAD~1")
    repository.git("tag", "-a", "annotated", "-m", "x", "HEAD~1")
    repository.git("tag", "-a", "nested", "-m", "x", "annotated")
    repository.git("update-ref", "refs/remotes/origin/topic", "HEAD~1")
    mirror = sync(repository)
    for revision in ("HEAD", "@", "main", "refs/heads/main", head, head[:10], ":/second"):
        assert mirror.resolve(revision) == head
    for revision in ("HEAD~1", "HEAD^", "main^1", "light", "annotated", "nested", "origin/topic", first):
        assert mirror.resolve(revision) == first


NO_COMMITS = [
    "",
    "-",
    "--output=stolen",
    "-p",
    "^HEAD",
    "nonsense",
    "HEAD~99",
    "HEAD^2",
    "HEAD..main",
    "HEAD:a.py",
    "HEAD^{tree}",
    "HEAD\nmain",
    "HEAD\0",
    "HEAD\r",
    "HEAD HEAD",
    "HEAD main",
    "main@{1}",
    "@{upstream}",
    "FETCH_HEAD",
    "0" * 40,
    "f" * 40,
    "f" * 64,
    "x" * 100_000,
    "\udcff",
    "refs/heads/../../HEAD",
]


def test_what_names_no_commit(repository, sync, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mirror = sync(repository)
    before = sorted(tmp_path.rglob("*"))
    for revision in NO_COMMITS:
        with pytest.raises(RevisionError) as caught:
            mirror.resolve(revision)
        assert caught.value.exit_code == 2
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 400
    assert sorted(tmp_path.rglob("*")) == before


def test_a_tag_of_a_blob_names_no_commit(repository, sync):
    repository.git("tag", "blob", "HEAD:a.py")
    with pytest.raises(RevisionError, match="'blob'"):
        sync(repository).resolve("blob")


def test_an_ambiguous_abbreviation(repository, sync):
    tree = repository.git("rev-parse", "HEAD^{tree}").decode()
    seen: dict[str, bytes] = {}
    for second in range(10_000):
        data = f"tree {tree}\nauthor A <a@b> {second} +0000\ncommitter A <a@b> {second} +0000\n\nx\n".encode()
        prefix = hashlib.sha1(b"commit %d\0%s" % (len(data), data)).hexdigest()[:4]
        if prefix in seen:
            break
        seen[prefix] = data
    for name, content in (("one", data), ("two", seen[prefix])):
        oid = repository.git("hash-object", "-w", "-t", "commit", "--stdin", stdin=content).decode()
        repository.git("branch", name, oid)
    mirror = sync(repository)
    assert mirror.resolve("one").startswith(prefix)
    assert mirror.resolve("two").startswith(prefix)
    with pytest.raises(RevisionError, match="no single commit"):
        mirror.resolve(prefix)


def test_the_base_is_the_first_parent(repository, sync):
    first = repository.git("rev-parse", "HEAD~1").decode()
    repository.git("checkout", "-q", "-b", "side", first)
    repository.write("side.py", "s")
    side = repository.commit("side")
    repository.git("checkout", "-q", "main")
    before = repository.head()
    repository.git("merge", "-q", "--no-ff", "side", "-m", "merge")
    mirror = sync(repository)
    merge = mirror.resolve("HEAD")
    assert mirror.commit_info(merge).parents == (before, side)
    base = mirror.base_of(merge)
    assert base.commit == before
    assert base.tree == repository.git("rev-parse", f"{before}^{{tree}}").decode()
    assert mirror.base_of(merge, since="side").commit == side


def test_the_base_of_a_root_commit_is_the_empty_tree(repository, sync):
    mirror = sync(repository)
    base = mirror.base_of(mirror.resolve("HEAD~1"))
    assert base.commit is None
    assert base.tree == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_since_that_names_nothing(repository, sync):
    mirror = sync(repository)
    with pytest.raises(RevisionError, match="'-x'"):
        mirror.base_of(mirror.resolve("HEAD"), since="-x")


def test_the_base_is_unknown_at_the_cut_of_a_shallow_clone(repository, tmp_path, sync):
    repository.git("clone", "-q", "--depth=1", f"file://{repository.path}", str(tmp_path / "shallow"))
    mirror = sync(str(tmp_path / "shallow"))
    head = mirror.resolve("HEAD")
    assert len(mirror.commit_info(head).parents) == 1
    with pytest.raises(NoBaseError) as caught:
        mirror.base_of(head)
    assert "--unshallow" in caught.value.hint
    assert "--since" in caught.value.hint
    assert mirror.base_of(head, since="HEAD").commit == head


def test_what_a_commit_says(repository, sync):
    repository.write("x", "x")
    commit = repository.commit("A subject\nin two lines\n\nand a body", GIT_AUTHOR_NAME="Zoë")
    mirror = sync(repository)
    info = mirror.commit_info(commit)
    assert info.id == commit
    assert info.subject == "A subject in two lines"
    assert info.author_name == "Zoë"
    assert (info.author_time, info.committer_time) == (1700000000, 1700000100)
    assert info.tree == repository.git("rev-parse", "HEAD^{tree}").decode()
    assert info.parents == (repository.git("rev-parse", "HEAD~1").decode(),)


def test_a_commit_in_another_encoding(repository, sync):
    repository.git("config", "i18n.commitEncoding", "ISO-8859-1")
    commit = repository.git(
        "commit-tree", "HEAD^{tree}", stdin="Grüße".encode("latin-1"), GIT_AUTHOR_NAME="Zo\udceb"
    ).decode()
    repository.git("update-ref", "refs/heads/latin", commit)
    info = sync(repository).commit_info(commit)
    assert (info.subject, info.author_name) == ("Grüße", "Zoë")


def test_commit_info_of_something_else(repository, sync):
    mirror = sync(repository)
    with pytest.raises(GitError, match="is a tree"):
        mirror.commit_info(repository.git("rev-parse", "HEAD^{tree}").decode())
    with pytest.raises(GitError):
        mirror.commit_info("--help")


@pytest.mark.parametrize(
    ("data", "name", "time", "subject"),
    [
        (b"", "", 0, ""),
        (b"tree x\nauthor A <a@b> 12 +0000\n\ns", "A", 12, "s"),
        (b"author A <a@b> 99999999999999999999 +0000\n\n", "A", 0, ""),
        (b"author A <a@b> -5 +0000\n\n", "A", -5, ""),
        (b"author A <a@b> today\n\ns", "A", 0, "s"),
        (b"author no address\n\ns", "no address", 0, "s"),
        (b"author <> 7 +0000\n\ns", "", 7, "s"),
        (b"author A <a <b> c> 7 +0000\n\ns", "A", 0, "s"),
        (b"encoding zlib\nauthor \xff <a@b> 1 +0000\n\n\xff", "\ufffd", 1, "\ufffd"),
        (b"encoding windows-9999\nauthor A <a@b> 1 +0000\n\n\xff", "A", 1, "\ufffd"),
        (b"author A <a@b> 1 +0000\ngpgsig x\n y\n\n\n\n  subject  \n\nbody", "A", 1, "subject"),
    ],
)
def test_a_commit_is_parsed_whatever_it_holds(data, name, time, subject):
    info = parse_commit("0" * 40, data)
    assert (info.author_name, info.author_time, info.subject) == (name, time, subject)
