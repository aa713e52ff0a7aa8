"""Checkouts are exact, verified, and stay where they are put."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from repo_guardian.errors import DiskFullError, GitError, MaterializeError
from repo_guardian.tools.git.materialize import CheckoutLimits, SymbolicLink, materialize, remove_checkout
from repo_guardian.tools.git.objects import list_tree, walk_tree
from repo_guardian.tools.git.verify import verify_tree


@pytest.fixture
def target(tmp_path):
    return tmp_path / "checkouts" / "0_commit"


def _blob(repository, content=b"x"):
    return repository.git("hash-object", "-w", "--stdin", stdin=content).decode()


def _files(root):
    return {
        os.path.relpath(os.path.join(directory, name), os.fsencode(root))
        for directory, _, names in os.walk(os.fsencode(root))
        for name in names
    }


def _assert_nothing_left(target):
    assert not target.parent.exists() or list(target.parent.iterdir()) == []


def test_bytes_and_modes(repository, sync, target):
    repository.write("crlf.py", b"a\r\nb\r\n")
    repository.write("empty", b"")
    repository.write("latin.py", b"# \xe9\n")
    repository.write("large.bin", os.urandom(3 * 1024**2 + 17))
    repository.write(b"new\nline/\xff\xfe.py", b"odd")
    (repository.path / "run.sh").write_bytes(b"#!/bin/sh\n")
    (repository.path / "run.sh").chmod(0o755)
    commit = repository.commit()
    mirror = sync(repository)
    old = os.umask(0o077)
    try:
        record = materialize(mirror.git, commit, target)
    finally:
        os.umask(old)
    assert record.root == target
    assert record.tree == mirror.commit_info(commit).tree
    assert (record.files, record.links, record.submodules) == (8, (), ())
    for entry in list_tree(mirror.git, commit):
        path = os.path.join(os.fsencode(target), entry.path)
        with (
            open(path, "rb") as file,
            open(os.path.join(os.fsencode(repository.path), entry.path), "rb") as original,
        ):
            assert file.read() == original.read()
        assert stat.S_IMODE(os.stat(path).st_mode) == (0o755 if entry.path == b"run.sh" else 0o644)
    directories = [target, *(p for p in target.rglob("*") if p.is_dir())]
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o755 for p in directories)
    assert record.total_bytes == sum(p.stat().st_size for p in target.rglob("*") if p.is_file())
    assert list(target.parent.iterdir()) == [target]


def test_no_attribute_of_the_tree_is_applied(repository, sync, target):
    attributes = (
        "* text=auto eol=crlf ident filter=x\n*.sub export-subst\nhidden export-ignore\n"
        "*.u16 working-tree-encoding=UTF-16\n"
    )
    contents = {
        "ident.py": b"# $Id$\n",
        "x.sub": b"$Format:%H$\n",
        "hidden": b"not to be exported\n",
        "wide.u16": b"wide\n",
        ".gitattributes": attributes.encode(),
        "sub/.gitattributes": b"*.py eol=crlf\n",
        "sub/m.py": b"a\nb\n",
    }
    entries = []
    for name, content in contents.items():
        entries.append(f"100644,{_blob(repository, content)},{name}")
    for entry in entries:
        repository.git("update-index", "--add", "--cacheinfo", entry)
    repository.git("commit", "-q", "-m", "attributes")
    materialize(sync(repository).git, "HEAD", target)
    for name, content in contents.items():
        assert (target / name).read_bytes() == content


def test_the_empty_tree(repository, sync, target):
    mirror = sync(repository)
    record = materialize(mirror.git, mirror.empty_tree, target)
    assert (record.files, record.total_bytes, list(target.iterdir())) == (0, 0, [])


def test_a_sha256_repository_is_verified_too(make_repository, sync, target):
    watched = make_repository("modern", "--object-format=sha256")
    watched.write("d/f", "x")
    (watched.path / "l").symlink_to("d/f")
    commit = watched.commit()
    assert len(materialize(sync(watched).git, commit, target).tree) == 64
    assert (target / "l").read_text() == "x"


def test_links_are_written_as_they_stand_and_judged(repository, sync, target, tmp_path):
    (tmp_path / "outside").write_text("secret")
    links = {
        b"plain": (b"a.py", False),
        b"dangling": (b"no/such", False),
        b"pkg/up": (b"../a.py", False),
        b"pkg/too_far": (b"../../outside", True),
        b"absolute": (str(tmp_path / "outside").encode(), True),
        b"dots": (b"./pkg/./../pkg/../a.py", False),
        b"dots_out": (b"pkg/../../outside", True),
        b"through": (b"absolute", True),
        b"into_link": (b"pkg/root/../x", True),
        b"pkg/root": (b"..", False),
        b"self": (b"self", False),
        b"odd": (b"\xff\n", False),
        b"git": (b".git/config", False),
        b"slash": (b"pkg//up", False),
    }
    for name, (content, _) in links.items():
        repository.git(
            "update-index",
            "--add",
            "--cacheinfo",
            b"120000,%s,%s" % (_blob(repository, content).encode(), name),
        )
    repository.git("commit", "-q", "-m", "links")
    record = materialize(sync(repository).git, "HEAD", target)
    assert {link.path: (link.target, link.escapes) for link in record.links} == links
    for name, (content, _) in links.items():
        assert os.readlink(os.path.join(os.fsencode(target), name)) == content
    assert (tmp_path / "outside").read_text() == "secret"


def test_a_submodule_is_an_empty_directory(repository, sync, target):
    commit = repository.head()
    repository.write(".gitmodules", '[submodule "s"]\n\tpath = lib/s\n\turl = ext::touch x\n')
    repository.git("add", "-A")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib/s")
    repository.git("commit", "-q", "-m", "submodule")
    record = materialize(sync(repository).git, "HEAD", target)
    assert [(s.path, s.commit) for s in record.submodules] == [(b"lib/s", commit)]
    assert list((target / "lib" / "s").iterdir()) == []


def test_historical_modes_and_empty_trees_verify(repository, sync, target, put_tree):
    mirror = sync(repository)
    blob = repository.git("rev-parse", "HEAD:a.py").decode()
    empty = put_tree(mirror)
    tree = put_tree(
        mirror,
        (b"100664", b"group", blob),
        (b"0100644", b"padded", blob),
        (b"100775", b"run", blob),
        (b"40000", b"void", empty),
        (b"100644", b"unsorted", blob),
    )
    record = materialize(mirror.git, tree, target)
    assert record.tree == tree
    modes = {p.name: stat.S_IMODE(p.lstat().st_mode) for p in target.iterdir()}
    assert modes == {"group": 0o644, "padded": 0o644, "run": 0o755, "void": 0o755, "unsorted": 0o644}


DOT_GIT = [
    b".git",
    b".GIT",
    b".Git",
    b"git~1",
    b"GIT~1",
    b".git ",
    b".git.",
    b".git . .",
    b".git::$INDEX_ALLOCATION",
]
HFS = [".g\u200cit".encode(), "\ufeff.git".encode(), ".gi\u206ft".encode(), ".GI\u202aT".encode()]


NEVER_WRITTEN = [b"", b".", b"..", b"a/b", b"../evil", b"/etc/evil", b"a/", b"n" * 256, *DOT_GIT, *HFS]


@pytest.mark.parametrize("mode", [b"100644", b"40000", b"120000", b"160000"])
def test_names_that_are_never_written(repository, sync, target, tmp_path, put_tree, mode):
    mirror = sync(repository)
    blob = repository.git("rev-parse", "HEAD:a.py").decode()
    empty = mirror.empty_tree
    oid = put_tree(mirror, (b"100644", b"inner", blob)) if mode == b"40000" else blob
    for name in NEVER_WRITTEN:
        tree = put_tree(mirror, (b"40000", b"a", empty), (mode, name, oid))
        with pytest.raises(MaterializeError) as caught:
            materialize(mirror.git, tree, target)
        assert str(caught.value).isprintable()
        _assert_nothing_left(target)
    nested = put_tree(mirror, (b"40000", b"dir", tree))
    with pytest.raises(MaterializeError):
        materialize(mirror.git, nested, target)
    assert not list(tmp_path.rglob("*evil*"))


def test_names_that_only_look_like_git_are_written(repository, sync, target):
    names = [
        b".gitignore",
        b".github/x",
        b"git",
        b"git~2",
        b"x.git",
        b"...",
        b". ",
        b"a:b",
        b"back\\slash",
        b".git\xff",
    ]
    for name in names:
        repository.write(name, b"#")
    repository.commit()
    record = materialize(sync(repository).git, "HEAD", target)
    assert record.files == len(names) + 2


def test_conflicting_entries(repository, sync, target, tmp_path, put_tree):
    mirror = sync(repository)
    blob = repository.git("rev-parse", "HEAD:a.py").decode()
    outside = mirror.git.run("hash-object", "-w", "--stdin", stdin=str(tmp_path).encode()).decode().strip()
    inner = put_tree(mirror, (b"100644", b"written_through", blob))
    for entries in (
        [(b"100644", b"a", blob), (b"100644", b"a", blob)],
        [(b"120000", b"a", outside), (b"40000", b"a", inner)],
        [(b"40000", b"a", inner), (b"120000", b"a", outside)],
        [(b"40000", b"a", inner), (b"40000", b"a", inner)],
        [(b"100644", b"a", blob), (b"160000", b"a", blob)],
    ):
        with pytest.raises(MaterializeError, match="occurs twice"):
            materialize(mirror.git, put_tree(mirror, *entries), target)
        _assert_nothing_left(target)
    assert not (tmp_path / "written_through").exists()


def test_objects_of_the_wrong_kind_or_missing(repository, sync, target, put_tree):
    mirror = sync(repository)
    blob = repository.git("rev-parse", "HEAD:a.py").decode()
    for entry in (
        (b"100644", b"f", repository.head()),
        (b"100644", b"f", "5" * 40),
        (b"120000", b"f", repository.head()),
        (b"40000", b"f", blob),
        (b"40000", b"f", "5" * 40),
    ):
        with pytest.raises(GitError):
            materialize(mirror.git, put_tree(mirror, entry), target)
        _assert_nothing_left(target)
    with pytest.raises(GitError):
        materialize(mirror.git, "nonsense", target)


@pytest.mark.parametrize("content", [b"", b"a\0b", b"x" * 5000])
def test_links_that_no_file_system_holds(repository, sync, target, put_tree, content):
    mirror = sync(repository)
    oid = mirror.git.run("hash-object", "-w", "--stdin", stdin=content).decode().strip()
    with pytest.raises((MaterializeError, GitError)):
        materialize(mirror.git, put_tree(mirror, (b"120000", b"l", oid)), target)
    _assert_nothing_left(target)


def test_limits(repository, sync, target, put_tree):
    repository.write("large", b"x" * 1000)
    repository.commit()
    mirror = sync(repository)
    for limits in (
        CheckoutLimits(max_entries=2),
        CheckoutLimits(max_total_bytes=999),
        CheckoutLimits(max_file_bytes=999),
    ):
        with pytest.raises((MaterializeError, GitError)):
            materialize(mirror.git, "HEAD", target, limits)
        _assert_nothing_left(target)
    tree = mirror.empty_tree
    for _ in range(300):
        tree = put_tree(mirror, (b"40000", b"d", tree))
    with pytest.raises(MaterializeError, match="levels"):
        materialize(mirror.git, tree, target)
    name = b"n" * 300
    with pytest.raises(MaterializeError):
        materialize(mirror.git, put_tree(mirror, (b"40000", name, put_tree(mirror))), target)
    _assert_nothing_left(target)


def test_an_existing_destination_is_left_alone(repository, sync, target):
    mirror = sync(repository)
    target.mkdir(parents=True)
    (target / "mine").write_text("x")
    with pytest.raises(MaterializeError, match="exists already"):
        materialize(mirror.git, "HEAD", target)
    assert (target / "mine").read_text() == "x"


def _tamper(path, how):
    if how == "content":
        path.write_text("one\nTWO\n")
    elif how == "mode":
        path.chmod(0o755)
    elif how == "missing":
        path.unlink()
    elif how == "extra":
        (path.parent / "pkg" / "extra").write_text("")
    elif how == "link":
        path.rename(path.parent.parent / "moved")
        path.symlink_to(path.parent.parent / "moved")
    elif how == "directory":
        path.unlink()
        path.mkdir()
    elif how == "fifo":
        path.unlink()
        os.mkfifo(path)


@pytest.mark.parametrize("how", ["content", "mode", "missing", "extra", "link", "directory", "fifo"])
def test_verification_sees_every_difference(repository, sync, target, how):
    mirror = sync(repository)
    record = materialize(mirror.git, "HEAD", target)
    entries = list(walk_tree(mirror.git, "HEAD"))
    verify_tree(target, record.tree, entries)
    _tamper(target / "a.py", how)
    with pytest.raises(MaterializeError):
        verify_tree(target, record.tree, entries)


def test_a_full_disk_leaves_nothing(repository, sync, tmp_path):
    disk = tmp_path / "small"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False).returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        repository.write("large", os.urandom(200_000))
        repository.commit()
        with pytest.raises(DiskFullError):
            materialize(sync(repository).git, "HEAD", disk / "c")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], check=True)


def test_removal_follows_no_link(repository, sync, target, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_text("x")
    (repository.path / "link").symlink_to(tmp_path / "outside")
    repository.commit()
    materialize(sync(repository).git, "HEAD", target)
    remove_checkout(target)
    assert not target.exists()
    assert (tmp_path / "outside" / "kept").read_text() == "x"
    remove_checkout(target)
    target.symlink_to(tmp_path / "outside")
    with pytest.raises(MaterializeError, match="not a checkout"):
        remove_checkout(target)
    assert (tmp_path / "outside" / "kept").exists()


def test_removal_copes_with_read_only_directories(tmp_path):
    root = tmp_path / "checkout"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "f").write_text("x")
    for path in (root / "a" / "b" / "f", root / "a" / "b", root / "a", root):
        path.chmod(0o000)
        os.chown(path, 65534 if os.geteuid() == 0 else -1, -1)
    tmp_path.chmod(0o777)
    child = os.fork()
    if child == 0:  # root ignores permissions, so an ordinary user does it
        status = 1
        try:
            os.chdir(tmp_path)
            if os.geteuid() == 0:
                os.setuid(65534)
            remove_checkout(Path("checkout"))
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not root.exists()


def test_links_are_judged_once_for_all(repository, sync, target):
    # A chain longer than a kernel follows leads nowhere, and must not take long to say so.
    for n in range(60):
        repository.git(
            "update-index", "--add", "--cacheinfo", f"120000,{_blob(repository, b'l%d' % (n + 1))},l{n}"
        )
    repository.git("commit", "-q", "-m", "chain")
    record = materialize(sync(repository).git, "HEAD", target)
    assert SymbolicLink(b"l0", b"l1", escapes=False) in record.links
