"""A repository whose configuration, hooks and attributes are traps: none of them goes off.

Every trap is a program that leaves a file behind. The first test shows that the traps are live: plain git
sets them off. The others run everything that this layer does.
"""

from __future__ import annotations

import os
import shlex

import pytest

from repo_guardian.errors import GitError, NotARepositoryError
from repo_guardian.tools.git.history import churn
from repo_guardian.tools.git.materialize import materialize
from repo_guardian.tools.git.objects import changed_paths, diff_stat, list_tree, read_blobs

HOOKS = [
    "applypatch-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-auto-gc",
    "pre-commit",
    "pre-push",
    "pre-receive",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "update",
]
PROGRAM_SETTINGS = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.gitProxy",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.trap.command",
    "diff.trap.textconv",
    "filter.trap.clean",
    "filter.trap.smudge",
    "filter.trap.process",
    "merge.trap.driver",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "pager.log",
    "pager.diff",
    "uploadpack.packObjectsHook",
    "receive.fsck.skipList",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "sequence.editor",
    "trailer.sign.command",
    "web.browser",
]
ATTRIBUTES = """\
* filter=trap diff=trap merge=trap ident text=auto eol=crlf
*.sub export-subst
*.hidden export-ignore
"""


@pytest.fixture
def fired(tmp_path):
    """The traps that went off so far."""
    directory = tmp_path / "fired"
    directory.mkdir()
    return lambda: sorted(path.name for path in directory.iterdir())


@pytest.fixture
def trap(tmp_path, fired):
    """A program that leaves a file of the given name."""
    directory = tmp_path / "traps"
    directory.mkdir()

    def make(name):
        path = directory / name
        path.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(tmp_path / 'fired' / name))}\nexit 0\n")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def hostile(repository, trap, tmp_path):
    """A repository of two more commits, one of them signed, with every trap set."""
    repository.write(".gitattributes", ATTRIBUTES)
    repository.write("x.sub", "$Format:%H$ $Id$\n")
    repository.write("y.hidden", "hidden\r\n")
    repository.commit("attributes")
    repository.write("a.py", "one\ntwo\nthree\n")
    repository.commit("change")
    head, _, message = repository.git("cat-file", "commit", "HEAD").partition(b"\n\n")
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    signed = head + b"\n" + signature + b"\n\n" + message + b"\n"
    commit = repository.git("hash-object", "-w", "-t", "commit", "--stdin", stdin=signed).decode()
    repository.git("update-ref", "HEAD", commit)
    repository.git("tag", "-a", "v1", "-m", "tag")
    repository.git("replace", "HEAD~1", "HEAD~2")

    for hook in HOOKS:
        for directory in (repository.path / ".git" / "hooks", repository.path / "hooks"):
            directory.mkdir(exist_ok=True)
            (directory / hook).symlink_to(trap(f"hook-{hook}-{directory.parent.name}"))
    config = repository.path / ".git" / "config"
    lines = [
        '[remote "origin"]',
        f'\turl = "ext::{trap("ext")} %S"',
        "\tpromisor = true",
        "\tpartialclonefilter = blob:none",
        f'[url "ext::{trap("instead-of")} "]',
        "\tinsteadOf = /",
        "[log]\n\tshowSignature = true",
        '[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always',
        "[fetch]\n\trecurseSubmodules = true",
        "[submodule]\n\trecurse = true",
        '[submodule "s"]',
        f"\tupdate = !{trap('submodule-update')}",
        "\tactive = true",
        f"[alias]\n\trev-parse = !{trap('alias')}\n\tupload-pack = !{trap('alias-upload')}",
        "[gc]\n\tauto = 1\n\tautoDetach = false",
        "[maintenance]\n\tauto = true",
        f"[include]\n\tpath = {tmp_path / 'included'}",
        "[core]\n\trepositoryformatversion = 1",
        "[extensions]\n\tpartialClone = origin",
        "[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true",
    ]
    (tmp_path / "included").write_text(f"[core]\n\tsshCommand = {trap('included')}\n")
    config.write_text(config.read_text() + "\n".join(lines) + "\n")
    for name in PROGRAM_SETTINGS:
        repository.git("config", name, trap(name))
    repository.git("config", "core.hooksPath", str(repository.path / "hooks"))
    (repository.path / ".gitmodules").write_text(
        f'[submodule "s"]\n\tpath = s\n\turl = "ext::{trap("gitmodules")}"\n'
    )
    return repository


def _everything(hostile, sync, target):
    mirror = sync(hostile)
    mirror = sync(hostile)
    head, base = mirror.resolve("HEAD"), mirror.resolve("HEAD~1")
    assert mirror.resolve("v1") == head
    trees = [mirror.commit_info(commit).tree for commit in (base, head)]
    assert mirror.base_of(head).tree == trees[0]
    assert [c.path for c in changed_paths(mirror.git, *trees)] == [b"a.py"]
    assert [c.path for c in changed_paths(mirror.git, *trees, renames=True)] == [b"a.py"]
    assert diff_stat(mirror.git, *trees).hunks == 1
    assert churn(mirror.git, head)[b"a.py"].commits == 3
    entries = [e for e in list_tree(mirror.git, head) if e.is_file]
    blobs = {
        e.path: b.data for e, b in zip(entries, read_blobs(mirror.git, [e.oid for e in entries]), strict=True)
    }
    materialize(mirror.git, head, target)
    for path, data in blobs.items():
        assert (target / os.fsdecode(path)).read_bytes() == data
    assert blobs[b"x.sub"] == b"$Format:%H$ $Id$\n"
    assert blobs[b"y.hidden"] == b"hidden\n"


def test_the_traps_are_live(hostile, fired):
    hostile.git("status", check=False)
    hostile.git("-c", "filter.trap.process=", "log", "-p", "--ext-diff", check=False)
    hostile.git("-c", "filter.trap.process=", "log", "-p", "--no-ext-diff", check=False)
    hostile.git("checkout", "-q", "-f", "HEAD~1", check=False)
    hostile.git("fetch", "origin", check=False)
    hostile.git("update-ref", "refs/heads/new", "HEAD", check=False)
    seen = set(fired())
    assert {"core.fsmonitor", "gpg.program", "diff.trap.command", "diff.trap.textconv"} <= seen
    assert {"filter.trap.process", "ext"} <= seen
    assert any(name.startswith("hook-reference-transaction") for name in seen)


def test_nothing_of_a_hostile_repository_runs(hostile, sync, tmp_path, fired, snapshot):
    before = snapshot(hostile.path)
    _everything(hostile, sync, tmp_path / "checkout")
    assert fired() == []
    assert snapshot(hostile.path) == before


def test_standing_in_a_hostile_repository_changes_nothing(hostile, sync, tmp_path, fired, monkeypatch):
    monkeypatch.chdir(hostile.path)
    _everything(hostile, sync, tmp_path / "checkout")
    with pytest.raises(NotARepositoryError):
        sync(str(tmp_path))
    assert fired() == []


@pytest.mark.parametrize("bare", [False, True])
def test_a_partial_clone_fetches_nothing_on_our_behalf(hostile, sync, tmp_path, fired, snapshot, bare):
    for url in ("ssh://nowhere.invalid/x", f"ext::{tmp_path / 'traps' / 'ext'} %S"):
        hostile.git("config", "remote.origin.url", url)
        blob = hostile.git("rev-parse", "HEAD:a.py").decode()
        (hostile.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
        before = snapshot(hostile.path)
        with pytest.raises(GitError, match="partial clone") as caught:
            sync(str(hostile.path / ".git") if bare else hostile)
        assert "--refetch" in caught.value.hint
        assert fired() == []
        assert snapshot(hostile.path) == before
        assert not (tmp_path / "state" / "mirror.git").exists()


def test_a_worktree_setting_that_points_elsewhere(repository, sync, tmp_path, snapshot):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("x")
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    before = snapshot(tmp_path / "elsewhere")
    assert sync(repository).resolve("HEAD") == repository.head()
    assert snapshot(tmp_path / "elsewhere") == before


def test_replace_refs_and_grafts_change_nothing(repository, sync, tmp_path):
    repository.write("evil.py", "evil")
    evil = repository.commit("evil")
    repository.git("reset", "-q", "--hard", "HEAD~1")
    head = repository.head()
    repository.git("replace", head, evil)
    mirror = sync(repository)
    assert mirror.resolve("HEAD") == head
    # Even one that found its way into the mirror.
    mirror.git.run("hash-object", "-w", "-t", "blob", "--stdin")
    mirror.git.run("update-ref", f"refs/replace/{head}", mirror.resolve("HEAD~1"))
    assert mirror.commit_info(head).subject == "second"
    assert [e.path for e in list_tree(mirror.git, head)] == [b"a.py", b"pkg/b.py"]
    materialize(mirror.git, head, tmp_path / "checkout")
    assert (tmp_path / "checkout" / "pkg" / "b.py").exists()


def test_the_users_own_hooks_and_templates_stay_out_of_the_mirror(
    repository, sync, home, trap, fired, tmp_path
):
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    (template / "reference-transaction").symlink_to(trap("template"))
    settings = [
        f"[init]\n\ttemplateDir = {template.parent}",
        f"[core]\n\thooksPath = {template}\n\tfsmonitor = {trap('mine')}\n",
    ]
    (home / ".gitconfig").write_text("\n".join(settings))
    mirror = sync(repository)
    assert not (mirror.path / "hooks").exists()
    assert mirror.resolve("HEAD") == repository.git("rev-parse", "main").decode()
    assert fired() == []
