"""Real repositories for the git layer: built by git, in a home directory without any configuration."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from repo_guardian.tools.git.mirror import Mirror, locate

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0100",
    "GIT_COMMITTER_NAME": "Grace",
    "GIT_COMMITTER_EMAIL": "grace@example.org",
    "GIT_COMMITTER_DATE": "1700000100 +0000",
}


@dataclass(frozen=True)
class Repository:
    """A watched repository, and the plain git that its owner would use on it."""

    path: Path

    def git(self, *args: str | bytes, stdin: bytes = b"", check: bool = True, **environment: str) -> bytes:
        done = subprocess.run(
            ["git", "-C", str(self.path), *args],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
            env={**os.environ, **IDENTITY, **environment},
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.strip()

    def write(self, name: str | bytes, content: bytes | str = b"") -> None:
        path = os.path.join(os.fsencode(self.path), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "change", **environment: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, **environment)
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").decode()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, so that neither the machine's nor the user's git configuration takes part."""
    directory = tmp_path / "home"
    directory.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(directory / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return directory


@pytest.fixture
def make_repository(tmp_path: Path) -> Callable[..., Repository]:
    def make(name: str = "watched", *options: str) -> Repository:
        path = tmp_path / name
        path.mkdir(parents=True)
        repository = Repository(path)
        repository.git("init", "-q", "-b", "main", *options)
        return repository

    return make


@pytest.fixture
def repository(make_repository: Callable[..., Repository]) -> Repository:
    """Two commits on main: ``a.py`` written, then changed; ``b.py`` added."""
    made = make_repository()
    made.write("a.py", "one\n")
    made.commit("first")
    made.write("a.py", "one\ntwo\n")
    made.write("pkg/b.py", "b\n")
    made.commit("second")
    return made


@pytest.fixture
def sync(tmp_path: Path) -> Callable[..., Mirror]:
    """Synchronize a repository (or an address) into this test's one mirror."""

    def run(watched: Repository | str, **options: float) -> Mirror:
        source = locate(watched if isinstance(watched, str) else str(watched.path))
        return Mirror.sync(source, tmp_path / "state" / "mirror.git", **options)

    return run


@pytest.fixture
def snapshot() -> Callable[[Path], dict[bytes, tuple[object, ...]]]:
    """Everything below a directory: kind, mode, owner, modification time and content of each path."""

    def take(root: Path) -> dict[bytes, tuple[object, ...]]:
        found: dict[bytes, tuple[object, ...]] = {}
        pending = [os.fsencode(root)]
        while pending:
            path = pending.pop()
            status = os.lstat(path)
            content: bytes | None = None
            if stat.S_ISDIR(status.st_mode):
                pending += [os.path.join(path, name) for name in os.listdir(path)]
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = file.read()
            found[path] = (status.st_mode, status.st_uid, status.st_mtime_ns, status.st_size, content)
        return found

    return take


@pytest.fixture
def put_tree() -> Callable[..., str]:
    """Write a raw tree object into a mirror, whatever it holds: (mode, name, object id) per entry."""

    def put(mirror: Mirror, *entries: tuple[bytes, bytes, str]) -> str:
        data = b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(oid)) for mode, name, oid in entries)
        return (
            mirror.git.run("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=data)
            .decode()
            .strip()
        )

    return put


@pytest.fixture
def slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Make git hang on one subcommand; returns a file that holds the hanging process's id."""

    def install(subcommand: str) -> Path:
        real = next(Path(d) / "git" for d in os.environ["PATH"].split(":") if (Path(d) / "git").exists())
        directory = tmp_path / "slow"
        directory.mkdir()
        pid_file = tmp_path / "hanging.pid"
        script = directory / "git"
        script.write_text(
            f'#!/bin/sh\nfor word; do [ "$word" = {subcommand} ] && '
            f'{{ echo $$ > {pid_file}; exec sleep 600; }}; done\nexec {real} "$@"\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
        return pid_file

    return install
