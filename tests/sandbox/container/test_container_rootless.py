"""Rootless Podman: an ordinary user's containers meet the self-check and leave nothing behind.

As root this runs a program as a user that has subordinate identities (subuid(5)); where there is none, or no
uidmap, it is skipped with the reason.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.bubblewrap.namespace import SEARCH_PATH
from repo_guardian.sandbox.container.engine import CONTROLLERS
from repo_guardian.sandbox.container.image import make_archive, tag
from repo_guardian.sandbox.container.rootless import runtime_folder, subordinate_ids
from repo_guardian.sandbox.container.service import podman_program

_SOURCES = Path(__file__).parents[3]
_LIBRARIES = ("anyio", "idna", "docker", "requests", "urllib3", "certifi", "charset_normalizer")
_RANGE = 65536

_CHECK = """
import sys, json, anyio
from pathlib import Path
from repo_guardian.sandbox.container.backend import ContainerBackend
from repo_guardian.sandbox.container.image import find_image
from repo_guardian.errors import SandboxUnavailableError

backend = ContainerBackend()
engine = backend.engine()
try:
    find_image(engine)
except SandboxUnavailableError:
    engine.load(Path(sys.argv[1]))
proof = anyio.run(backend.self_check)
left = [found.identifier for found in engine.labelled("repo-guardian.pid")]
print(json.dumps([engine.rootless(), {c.name: [c.passed, c.detail] for c in proof.checks}, left]))
backend.stop()
"""

_HOLD = """
import sys, anyio
from pathlib import Path
from repo_guardian.sandbox.conformance.frame import make_checkout
from repo_guardian.sandbox.container.backend import ContainerBackend
from repo_guardian.sandbox.interface import SandboxSpec

async def main():
    backend = ContainerBackend()
    async with backend.open(SandboxSpec(make_checkout(Path(sys.argv[2])), "c")) as sandbox:
        result = await sandbox.run(["id", "-u"])
        print(sandbox._ground.base, result.stdout.decode().strip(), flush=True)
        await sandbox.run(["sleep", sys.argv[1]])

anyio.run(main)
"""


def _as(number: int, *words: str) -> list[str]:
    identity = ["--reuid", str(number), "--regid", str(number), "--clear-groups"]
    return ["setpriv", *identity, "--", *words]


@dataclass
class User:
    """An ordinary user with an empty home, and what starts a program of theirs."""

    name: str
    number: int
    folder: Path
    python: str
    environment: dict[str, str] = field(default_factory=dict)

    def command(self, *words: str) -> list[str]:
        return _as(self.number, *words)

    def run(self, *words: str) -> str:
        done = subprocess.run(
            self.command(*words), env=self.environment, cwd="/", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _candidate() -> pwd.struct_passwd:
    """A user that could run containers; skips with the reason where there is none."""
    if os.geteuid() != 0:
        pytest.skip("takes root, to become a user with an empty home")
    if podman_program() is None:
        pytest.skip("podman is not installed")
    if shutil.which("newuidmap", path=SEARCH_PATH) is None:
        pytest.skip("uidmap is not installed")
    for account in pwd.getpwall():
        files = (Path("/etc/subuid"), Path("/etc/subgid"))
        if account.pw_uid and all(subordinate_ids(path, account.pw_uid) >= _RANGE for path in files):
            return account
    pytest.skip("no user has subordinate identities in /etc/subuid and /etc/subgid")


def _python(account: pwd.struct_passwd) -> str:
    ours = Path(sys.base_prefix).resolve() / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for candidate in (str(ours), "/usr/bin/python3"):
        # setpriv still has root's rights when it starts a program, so that program looks for itself.
        code = "import os, sys; sys.exit(sys.version_info < (3, 11) or not os.access(sys.executable, 1))"
        words = _as(account.pw_uid, candidate, "-c", code)
        if subprocess.run(words, cwd="/", capture_output=True, check=False).returncode == 0:
            return candidate
    pytest.skip("no Python 3.11 that an ordinary user may run")


@pytest.fixture(scope="module")
def user() -> Iterator[User]:
    """A user whose home, runtime folder and library lie in a folder of this module."""
    account = _candidate()
    python = _python(account)
    with tempfile.TemporaryDirectory(prefix="guardian-user-") as text:
        folder = Path(text)
        folder.chmod(0o755)
        library = folder / "library"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(_SOURCES / "core", library / "repo_guardian", ignore=ignore)
        shutil.copytree(_SOURCES / "sandbox", library / "repo_guardian" / "sandbox", ignore=ignore)
        site = Path(sysconfig.get_path("purelib"))
        for name in _LIBRARIES:
            shutil.copytree(site / name, library / name, ignore=ignore)
        shutil.copy(site / "typing_extensions.py", library)
        for name in ("home", "run"):
            (folder / name).mkdir(mode=0o700)
            os.chown(folder / name, account.pw_uid, account.pw_gid)
        environment = {
            "PATH": SEARCH_PATH,
            "HOME": str(folder / "home"),
            "USER": account.pw_name,
            "XDG_RUNTIME_DIR": str(folder / "run"),
            "PYTHONPATH": str(library),
            "PYTHONDONTWRITEBYTECODE": "1",
            "STORAGE_DRIVER": "overlay",
        }
        found = User(account.pw_name, account.pw_uid, folder, python, environment)
        try:
            found.run("podman", "unshare", "true")
        except AssertionError as error:
            pytest.skip(f"rootless Podman does not work here: {str(error).strip()[-300:]}")
        try:
            yield found
        finally:
            found.run("podman", "system", "migrate")  # ends the process that holds the namespaces


@pytest.fixture(scope="module")
def archive(archives: Path) -> Path:
    """The image's archive, readable by the user."""
    path = archives / "image.tar"
    if not path.exists():
        save = ["podman", "save", "--quiet", "--output", str(path), tag(compiler=False)]
        if subprocess.run(save, capture_output=True, check=False).returncode != 0:
            path.unlink(missing_ok=True)
            make_archive(None, archives, compiler=False, base="packages", say=print)
    archives.chmod(0o755)
    path.chmod(0o644)
    return path


@pytest.fixture(scope="module")
def proof(user: User, archive: Path) -> tuple[bool, dict[str, list], list[str]]:
    """What the self-check found as that user: rootless, checks by name, containers left."""
    return tuple(json.loads(user.run(user.python, "-s", "-c", _CHECK, str(archive)).splitlines()[-1]))


def test_every_line_of_the_self_check_holds(proof):
    rootless, checks, left = proof
    assert rootless
    assert {"memory", "processes", "disk_bytes", "disk_inodes", "network", "privileges"} <= checks.keys()
    assert [f"{name}: {detail}" for name, (passed, detail) in checks.items() if not passed] == []
    assert left == []


def test_it_says_how_memory_is_bounded(proof):
    assert proof[1]["memory_together"][1].startswith(("bounded together", "bounded one by one"))


@pytest.mark.usefixtures("proof")
def test_nothing_is_left_when_the_program_is_killed(user, tmp_path):
    mark = str(300_000_000 + os.getpid())
    command = user.command(user.python, "-s", "-c", _HOLD, mark, str(user.folder / "run" / "checkout"))
    with subprocess.Popen(
        command, env=user.environment, cwd="/", stdout=subprocess.PIPE, text=True
    ) as program:
        base, identity = program.stdout.readline().split()
        assert identity == "65534"
        assert Path(base).is_dir()
        assert not Path(base, "repo").exists()  # mounted where only the user's containers see it
        program.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while Path(base).exists() or Path(f"{base}.owner").exists() or user.run("podman", "ps", "-aq").strip():
        assert time.monotonic() < deadline, "the ground or the container outlived the program"
        time.sleep(0.05)
    assert base not in user.run("podman", "unshare", "cat", "/proc/self/mountinfo")


def test_subordinate_identities_are_summed_by_name_and_number(tmp_path):
    me = pwd.getpwuid(os.geteuid()).pw_name
    path = tmp_path / "subuid"
    path.write_text(
        f"{me}:100000:65536\nother-user:165536:65536\n{os.geteuid()}:300000:10\nbroken\n{me}:1:x\n"
    )
    assert subordinate_ids(path, os.geteuid()) == 65546
    assert subordinate_ids(tmp_path / "none", os.geteuid()) == 0


def test_a_runtime_folder_that_others_can_look_into_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = runtime_folder()
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    with pytest.raises(SandboxUnavailableError, match="not private"):
        runtime_folder()
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(SandboxUnavailableError, match="not private"):
        runtime_folder()


def test_root_asks_an_engine_for_every_controller(backend):
    assert backend.engine().controllers() == CONTROLLERS
