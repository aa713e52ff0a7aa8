"""What tests of several folders share: a repository made of texts, and a state directory with a runner.

The pinned test runner is acquired once per checkout and kept under ``build/``, so the suite needs the
network the first time only.
"""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HARNESS = ROOT / "build" / "harness"


class Repository:
    """A git repository that a test fills commit by commit."""

    def __init__(self, path):
        self.path = path
        self.git("init", "--quiet", "--initial-branch=main", str(path), cwd=path.parent)

    def git(self, *arguments, cwd=None, text=True):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.path.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": "2024-05-01T12:00:00Z",
            "GIT_COMMITTER_DATE": "2024-05-01T12:00:00Z",
        }
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *identity, *arguments],
            check=False,
            cwd=cwd or self.path,
            env=environment,
            capture_output=True,
            text=text,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, files, message="change"):
        """Write ``files`` (path to text, bytes, or None to remove), commit all, return the commit's id."""
        for name, content in files.items():
            path = (
                self.path / name
                if isinstance(name, str)
                else Path(os.fsdecode(os.fsencode(self.path) + b"/" + name))
            )
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def fingerprint(self):
        """Path, mode, modification time and content of everything, ``.git`` included."""
        return {
            str(path): (
                path.lstat().st_mode,
                path.lstat().st_mtime_ns,
                hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
            )
            for path in sorted(self.path.rglob("*"))
        }


@pytest.fixture(scope="session")
def new_repository():
    """Make an empty repository below a folder; for what several tests share."""

    def make(folder):
        path = folder / "watched"
        path.mkdir()
        return Repository(path)

    return make


@pytest.fixture(scope="session")
def new_home():
    """Make an empty state directory below a folder; it shares the acquired test runner."""

    def make(folder):
        HARNESS.mkdir(parents=True, exist_ok=True)
        path = folder / "state"
        path.mkdir()
        (path / "harness").symlink_to(HARNESS)
        return path

    return make


@pytest.fixture
def repository(tmp_path, new_repository):
    """An empty repository."""
    return new_repository(tmp_path)


@pytest.fixture
def home(tmp_path, new_home):
    """An empty state directory that shares the acquired test runner."""
    return new_home(tmp_path)
