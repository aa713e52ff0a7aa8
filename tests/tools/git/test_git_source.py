"""What may be watched, and the identity that it gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_guardian.errors import GitError, NotARepositoryError, RepositoryOwnershipError
from repo_guardian.tools.git.command import git_version
from repo_guardian.tools.git.mirror import Mirror, locate


def test_every_way_into_a_repository_is_the_same_repository(repository, tmp_path):
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "HEAD~1")
    (tmp_path / "link").symlink_to(repository.path)
    ways = [
        repository.path,
        repository.path / "pkg",
        repository.path / ".git",
        tmp_path / "link",
        tmp_path / "linked",
        f"file://{repository.path}",
    ]
    sources = [locate(str(way)) for way in ways]
    assert {s.location for s in sources} == {str(repository.path)}
    assert len({s.repository_id for s in sources}) == 1
    assert sources[0].repository_id.startswith("watched-")
    assert all(s.local for s in sources)


def test_a_linked_worktree_has_its_own_head(repository, tmp_path):
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "HEAD~1")
    mirror = Mirror.sync(locate(str(tmp_path / "linked")), tmp_path / "mirror.git")
    assert mirror.resolve("HEAD") == repository.git("rev-parse", "main~1").decode()
    assert mirror.resolve("main") == repository.head()


def test_a_bare_repository(repository, tmp_path, sync):
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    source = locate(str(tmp_path / "bare.git"))
    assert source.location == str(tmp_path / "bare.git")
    assert source.repository_id.startswith("bare-")
    assert sync(str(tmp_path / "bare.git")).resolve("HEAD") == repository.head()


@pytest.mark.parametrize(
    "name",
    ["with space", "new\nline", "quote'\"", "percent%41", b"\xff\xfe".decode("utf-8", "surrogateescape")],
)
def test_odd_directory_names(make_repository, sync, name):
    watched = make_repository(name)
    watched.write("f", "x")
    commit = watched.commit()
    source = locate(str(watched.path))
    assert source.location.isprintable()
    assert "\n" not in source.repository_id
    assert sync(watched).resolve("HEAD") == commit


@pytest.mark.parametrize(
    ("address", "location"),
    [
        ("https://user:secret@Example.org:443/org/Repo.git/", "https://example.org/org/Repo"),
        ("https://example.org:8443/x", "https://example.org:8443/x"),
        ("ssh://git@example.org/org/repo.git", "ssh://git@example.org/org/repo"),
        ("git@example.org:org/repo.git", "ssh://git@example.org/org/repo"),
        ("example.org:repo", "ssh://example.org/repo"),
        ("[::1]:repo", "ssh://[::1]/repo"),
    ],
)
def test_addresses_are_canonical_and_hold_no_secret(address, location):
    source = locate(address)
    assert source.location == location
    assert not source.local
    assert source.url == address
    assert source.scrub(f"fatal: {address}") == f"fatal: {location}"


def test_two_spellings_of_one_address_share_an_identity():
    one, other = locate("https://example.org/a/Repo.git"), locate("https://token@EXAMPLE.org/a/Repo/")
    assert one.repository_id == other.repository_id
    assert one.repository_id != locate("https://example.org/b/Repo").repository_id


@pytest.mark.parametrize(
    "source",
    [
        "",
        "-oProxyCommand=touch x",
        "--upload-pack=touch x",
        "a\0b",
        "ext::sh -c 'touch x'",
        "fd::17",
        "foo::bar",
        "ftp://example.org/x",
        "ext://example.org/x",
        "ssh://-oProxyCommand=touch%20x/y",
        "-host:path",
        "https://",
        "https://example.org:99999999/x",
        "no/such/path",
    ],
)
def test_what_is_not_a_repository(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotARepositoryError) as caught:
        locate(source)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]


def test_a_file_and_an_ordinary_directory(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "directory").mkdir()
    with pytest.raises(NotARepositoryError, match="is a file"):
        locate(str(tmp_path / "file"))
    with pytest.raises(NotARepositoryError, match="is not a git repository"):
        locate(str(tmp_path / "directory"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
def test_a_repository_of_another_user_is_refused_until_the_user_trusts_it(repository, home, sync):
    for directory, _, names in os.walk(repository.path):
        for name in [".", *names]:
            os.lchown(Path(directory) / name, 65534, 65534)
    with pytest.raises(RepositoryOwnershipError) as caught:
        locate(str(repository.path))
    assert caught.value.exit_code == 3
    command = f"git config --global --add safe.directory {repository.path}"
    assert command in caught.value.hint
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repository.path}\n")
    assert len(sync(repository).resolve("HEAD")) == 40


def test_the_callers_git_variables_do_not_lead_elsewhere(repository, make_repository, monkeypatch, sync):
    other = make_repository("other")
    other.write("x", "x")
    other.commit()
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.sshCommand")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "false")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git" / "objects"))
    source = locate(str(repository.path))
    assert source.location == str(repository.path)
    mirror = sync(repository)
    monkeypatch.undo()
    assert mirror.resolve("HEAD") == repository.head()


def test_git_is_missing(tmp_path, monkeypatch):
    git_version.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed") as caught:
        locate(str(tmp_path))
    assert caught.value.hint == "install git and try again"


def test_git_is_too_old(tmp_path, monkeypatch):
    git_version.cache_clear()
    (tmp_path / "git").write_text("#!/bin/sh\necho git version 2.17.1\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(GitError, match=r"2\.17\.1 is too old"):
        locate(str(tmp_path))
    git_version.cache_clear()
