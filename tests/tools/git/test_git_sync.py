"""The mirror follows the watched repository, survives being killed, and never touches its source."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repo_guardian.errors import (
    DiskFullError,
    EmptyRepositoryError,
    GitError,
    NotARepositoryError,
    RevisionError,
    StateDirError,
    StateLockedError,
    TransportError,
)
from repo_guardian.tools.git.mirror import Mirror, locate
from repo_guardian.tools.git.objects import list_tree, object_format


def _refs(mirror: Mirror) -> dict[str, str]:
    lines = mirror.git.run("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    return dict(line.split(" ") for line in lines)


def test_the_first_sync(repository, sync):
    repository.git("tag", "-a", "v1", "-m", "one")
    mirror = sync(repository)
    assert mirror.resolve("HEAD") == mirror.resolve("main") == mirror.resolve("v1") == repository.head()
    assert mirror.resolve("HEAD~1") == repository.git("rev-parse", "HEAD~1").decode()
    assert not mirror.is_shallow
    assert object_format(mirror.git) == "sha1"


def test_the_watched_repository_is_untouched(repository, sync, snapshot):
    repository.write("uncommitted.py", "x")
    repository.git("config", "gc.auto", "1")
    os.utime(repository.path / "a.py", ns=(1, 1))  # a stale index entry that a status would refresh
    before = snapshot(repository.path)
    sync(repository)
    sync(repository)
    assert snapshot(repository.path) == before


def test_the_mirror_shares_nothing_with_its_source(repository, sync):
    mirror = sync(repository)
    assert not (mirror.path / "objects" / "info" / "alternates").exists()
    inodes = {p.stat().st_ino for p in (repository.path / ".git").rglob("*") if p.is_file()}
    assert inodes.isdisjoint(p.stat().st_ino for p in mirror.path.rglob("*") if p.is_file())
    assert not (mirror.path / "hooks").exists()
    config = (mirror.path / "config").read_text()
    assert "remote" not in config


def test_the_second_sync_follows_every_kind_of_change(repository, sync):
    repository.git("branch", "gone")
    repository.git("branch", "topic")
    repository.git("branch", "dir")
    sync(repository)
    repository.git("branch", "-D", "gone")
    repository.git("branch", "-f", "topic", "HEAD~1")
    repository.git("branch", "-m", "dir", "dir/inner")
    repository.write("c.py", "c")
    new = repository.commit("third")
    repository.git("checkout", "-q", "topic")
    mirror = sync(repository)
    assert mirror.resolve("main") == new
    assert mirror.resolve("HEAD") == mirror.resolve("topic") == repository.head()
    assert set(_refs(mirror)) == {
        "refs/heads/main",
        "refs/heads/topic",
        "refs/heads/dir/inner",
        "refs/guardian/HEAD",
    }
    with pytest.raises(RevisionError):
        mirror.resolve("gone")


def test_a_detached_head_that_is_on_no_ref(repository, sync):
    repository.git("checkout", "-q", "--detach")
    repository.write("d.py", "d")
    lost = repository.commit("on no branch")
    mirror = sync(repository)
    assert mirror.resolve("HEAD") == lost
    assert mirror.resolve("HEAD~1") == mirror.resolve("main")


def test_a_repository_without_commits(make_repository, sync):
    mirror = sync(make_repository())
    with pytest.raises(EmptyRepositoryError) as caught:
        mirror.resolve("HEAD")
    assert caught.value.hint
    with pytest.raises(EmptyRepositoryError):
        mirror.resolve("@~1")
    with pytest.raises(RevisionError):
        mirror.resolve("main")


def test_an_unborn_head_beside_other_branches(repository, sync):
    sync(repository)
    main = repository.head()
    repository.git("checkout", "-q", "--orphan", "fresh")
    mirror = sync(repository)
    with pytest.raises(EmptyRepositoryError):
        mirror.resolve("HEAD")
    assert mirror.resolve("main") == main
    repository.git("checkout", "-q", "-f", "main")
    assert sync(repository).resolve("HEAD") == main


def test_a_sha256_repository(make_repository, sync, snapshot):
    watched = make_repository("modern", "--object-format=sha256")
    watched.write("f", "x")
    commit = watched.commit()
    before = snapshot(watched.path)
    mirror = sync(watched)
    assert mirror.resolve("HEAD") == commit
    assert len(commit) == 64
    assert object_format(mirror.git) == "sha256"
    assert mirror.base_of(commit).tree == mirror.empty_tree
    assert snapshot(watched.path) == before


def test_a_repository_whose_object_format_changed_gets_a_new_mirror(
    make_repository, repository, sync, tmp_path
):
    old = sync(repository)
    (tmp_path / "watched").rename(tmp_path / "before")
    watched = make_repository("watched", "--object-format=sha256")
    watched.write("f", "x")
    commit = watched.commit()
    assert sync(watched).resolve("HEAD") == commit
    assert old.path.exists()


def test_a_shallow_clone_says_so_and_deepens_later(repository, tmp_path, sync, snapshot):
    repository.git("clone", "-q", "--depth=1", f"file://{repository.path}", str(tmp_path / "shallow"))
    clone = type(repository)(tmp_path / "shallow")
    before = snapshot(clone.path)
    mirror = sync(clone)
    assert snapshot(clone.path) == before
    assert mirror.is_shallow
    assert mirror.resolve("HEAD") == repository.head()
    with pytest.raises(RevisionError) as caught:
        mirror.resolve("HEAD~1")
    assert "unshallow" in caught.value.hint
    clone.git("fetch", "-q", "--unshallow")
    mirror = sync(clone)
    assert not mirror.is_shallow
    assert mirror.resolve("HEAD~1") == repository.git("rev-parse", "HEAD~1").decode()


def test_a_shallow_clone_that_stays_shallow_keeps_working(repository, tmp_path, sync):
    repository.git("clone", "-q", "--depth=1", f"file://{repository.path}", str(tmp_path / "shallow"))
    clone = type(repository)(tmp_path / "shallow")
    sync(clone)
    clone.write("more", "x")
    commit = clone.commit()
    mirror = sync(clone)
    assert mirror.is_shallow
    assert mirror.resolve("HEAD") == commit
    assert mirror.base_of(commit).commit == repository.head()


def test_refs_of_its_own_namespace_and_replacements_are_not_taken_over(repository, sync):
    first = repository.git("rev-parse", "HEAD~1").decode()
    repository.git("update-ref", "refs/guardian/HEAD", first)
    repository.git("replace", "HEAD", first)
    mirror = sync(repository)
    assert mirror.resolve("HEAD") == repository.git("rev-parse", "main").decode()
    assert not any(ref.startswith("refs/replace/") for ref in _refs(mirror))
    assert mirror.commit_info(mirror.resolve("HEAD")).subject == "second"


def test_leftovers_of_a_killed_sync_are_removed(repository, sync):
    mirror = sync(repository)
    state = mirror.path.parent
    for name in (".mirror.git.new-abc", ".mirror.git.old-abc"):
        (state / name / "objects").mkdir(parents=True)
    (mirror.path / "refs" / "heads" / "main.lock").write_text("")
    (mirror.path / "packed-refs.lock").write_text("")
    (mirror.path / "HEAD.lock").write_text("")
    (mirror.path / "objects" / "pack" / "tmp_pack_abc").write_text("half")
    repository.write("c", "c")
    commit = repository.commit()
    assert sync(repository).resolve("main") == commit
    assert {p.name for p in state.iterdir()} == {"mirror.git", "mirror.git.lock"}
    assert not list(mirror.path.rglob("*.lock"))
    assert not list(mirror.path.rglob("tmp_*"))


@pytest.mark.parametrize("damage", ["objects", "HEAD", "config", "pack", "refs"])
def test_a_damaged_mirror_is_made_anew(repository, sync, damage):
    mirror = sync(repository)
    if damage == "pack":
        for path in mirror.path.glob("objects/**/*"):
            if path.is_file():
                path.chmod(0o644)
                path.write_bytes(path.read_bytes()[:20])
    elif damage == "objects":
        for path in mirror.path.glob("objects/**/*"):
            if path.is_file():
                path.unlink()
    elif damage == "refs":
        (mirror.path / "refs" / "heads" / "main").write_text("0123456789" * 4 + "\n")
    else:
        (mirror.path / damage).write_text("[nonsense")
    mirror = sync(repository)
    assert mirror.resolve("HEAD") == repository.head()
    assert [e.path for e in list_tree(mirror.git, "HEAD")] == [b"a.py", b"pkg/b.py"]


def test_a_killed_first_sync_leaves_no_mirror_and_the_lock_outlives_it(
    repository, sync, tmp_path, slow_git, monkeypatch
):
    pid_file = slow_git("fetch")
    program = """if True:
        import sys
        from pathlib import Path
        from repo_guardian.tools.git.mirror import Mirror, locate
        Mirror.sync(locate(sys.argv[1]), Path(sys.argv[2]))
    """
    target = tmp_path / "state" / "mirror.git"
    victim = subprocess.Popen([sys.executable, "-c", program, str(repository.path), str(target)])
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert victim.poll() is None
        time.sleep(0.02)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    orphan = int(pid_file.read_text())
    assert not target.exists()
    monkeypatch.setenv("PATH", os.environ["PATH"].split(":", 1)[1])
    with pytest.raises(StateLockedError):
        sync(repository, lock_wait_s=0.1)
    os.kill(orphan, signal.SIGKILL)
    assert sync(repository, lock_wait_s=10.0).resolve("HEAD") == repository.head()
    assert {p.name for p in target.parent.iterdir()} == {"mirror.git", "mirror.git.lock"}


def test_a_transfer_that_hangs_is_killed(repository, sync, slow_git):
    pid_file = slow_git("fetch")
    with pytest.raises(GitError, match=r"did not finish within 0\.5 s"):
        sync(repository, timeout_s=0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_a_failed_update_keeps_the_old_mirror(repository, sync, tmp_path):
    mirror = sync(repository)
    commit = repository.head()
    source = locate(str(repository.path))
    (repository.path / ".git").rename(tmp_path / "away")
    with pytest.raises(NotARepositoryError):
        Mirror.sync(source, mirror.path)
    assert mirror.resolve("HEAD") == commit


def test_a_source_that_lost_an_object(repository, sync):
    blob = repository.git("rev-parse", "HEAD:a.py").decode()
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitError) as caught:
        sync(repository)
    assert "\n" not in str(caught.value)


def test_an_address_that_does_not_answer(sync):
    with pytest.raises(TransportError) as caught:
        sync("http://user:secret@127.0.0.1:9/x.git")
    assert "secret" not in str(caught.value)
    assert caught.value.hint


def test_an_address_served_by_git_itself(repository, tmp_path, sync):
    # `git daemon` on a local port is a real remote: protocol v2, no local short cuts.
    repository.git("update-ref", "refs/pull/1/head", "HEAD~1")
    port = 20000 + os.getpid() % 20000
    daemon = subprocess.Popen(
        [
            "git",
            "daemon",
            "--export-all",
            "--reuseaddr",
            f"--port={port}",
            "--listen=127.0.0.1",
            f"--base-path={tmp_path}",
        ],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        address = f"git://127.0.0.1:{port}/watched/.git"
        for _ in range(200):
            try:
                mirror = sync(address)
                break
            except TransportError:
                assert daemon.poll() is None
                time.sleep(0.05)
        assert mirror.resolve("HEAD~1") == repository.git("rev-parse", "HEAD~1").decode()
        assert "refs/pull/1/head" not in _refs(mirror)
    finally:
        os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 400 kB; only root can have one."""
    directory = tmp_path / "small"
    directory.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", directory], check=False
    ).returncode:
        pytest.skip("cannot mount a small file system here")
    yield directory
    subprocess.run(["umount", directory], check=True)


def test_a_full_disk(repository, small_disk):
    repository.write("large", os.urandom(1024**2))
    repository.commit()
    with pytest.raises(DiskFullError) as caught:
        Mirror.sync(locate(str(repository.path)), small_disk / "mirror.git")
    assert "GUARDIAN_HOME" in caught.value.hint
    assert [p.name for p in small_disk.iterdir()] == ["mirror.git.lock"]


def test_a_read_only_state_directory(repository, small_disk):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(StateDirError, match="Read-only file system"):
        Mirror.sync(locate(str(repository.path)), small_disk / "mirror.git")


def test_a_state_directory_that_turned_read_only(repository, small_disk):
    target = small_disk / "mirror.git"
    Mirror.sync(locate(str(repository.path)), target)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(StateDirError):
        Mirror.sync(locate(str(repository.path)), target)


def test_a_state_path_below_a_file(repository, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateDirError):
        Mirror.sync(locate(str(repository.path)), Path(tmp_path / "file" / "mirror.git"))


def test_a_source_that_misses_objects_is_told_apart_from_a_damaged_mirror(repository, sync):
    """First sync and later sync alike: an error of the public tree that says what is missing where."""
    for number in range(2):
        repository.write("b.py", f"y = {number}\n".encode())
        repository.commit("one more")
        blob = repository.git("rev-parse", "HEAD:b.py").decode().strip()
        path = repository.path / ".git" / "objects" / blob[:2] / blob[2:]
        content = path.read_bytes()
        path.unlink()
        with pytest.raises(GitError, match="misses objects") as caught:
            sync(repository)
        assert type(caught.value) is GitError
        assert "git fsck" in caught.value.hint
        path.write_bytes(content)
        sync(repository)
