"""Real engines: Podman by a service that the backend starts, Docker by a daemon that is started here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.conformance.frame import make_checkout
from repo_guardian.sandbox.container.backend import ContainerBackend
from repo_guardian.sandbox.container.engine import DOCKER, PODMAN, connect, find_engine
from repo_guardian.sandbox.container.image import find_image, make_archive
from repo_guardian.sandbox.container.service import podman_program

ENGINES = (PODMAN, DOCKER)
_PATH = f"{os.defpath}:/usr/sbin:/sbin"
_READY_S = 60


def missing(name: str) -> str:
    """Why ``name`` cannot be tested here; empty when it can."""
    if os.geteuid() != 0:
        return "these tests take root; those of an ordinary user's containers do too, to become one"
    installed = podman_program() if name == PODMAN else shutil.which("dockerd", path=_PATH)
    return "" if installed or find_engine(name) else f"{name} is not installed"


def demanded() -> list[str]:
    """The engines whose absence is a failure: those in ``GUARDIAN_ENGINES``, in CI both."""
    return os.environ.get("GUARDIAN_ENGINES", "").split() or (list(ENGINES) if os.environ.get("CI") else [])


def require(name: str) -> None:
    """Skip where ``name`` cannot be tested; fail where it is demanded."""
    reason = missing(name)
    if reason and name in demanded():
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@pytest.fixture
def podman() -> None:
    """Podman can be started here."""
    require(PODMAN)


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """The address of a Docker that runs, started for this session where none does."""
    running = find_engine(DOCKER)
    if running is not None:
        yield f"unix://{running.socket}"
        return
    with tempfile.TemporaryDirectory(prefix="guardian-dockerd-", ignore_cleanup_errors=True) as text:
        folder = Path(text)
        socket = folder / "docker.sock"
        command = [
            *("dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", f"--host=unix://{socket}"),
            *(f"--pidfile={folder}/pid", f"--exec-root={folder}/exec"),
        ]
        daemon = start_daemon(command, socket, folder / "log")
        try:
            yield f"unix://{socket}"
        finally:
            daemon.terminate()
            daemon.wait()


def start_daemon(command: list[str], socket: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start dockerd; again when it gave up, as it does while one that is ending still holds its files."""
    environment = {**os.environ, "PATH": _PATH}
    deadline = time.monotonic() + _READY_S
    while True:
        with log.open("wb") as stream:
            daemon = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment)
        while daemon.poll() is None and time.monotonic() < deadline:
            if connect(socket) is not None:
                return daemon
            time.sleep(0.05)
        if time.monotonic() > deadline:
            daemon.kill()
            pytest.fail(f"dockerd does not answer: {log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="session", params=ENGINES)
def backend(request) -> Iterator[ContainerBackend]:
    """A backend on one engine, with its image there."""
    name = request.param
    require(name)
    with pytest.MonkeyPatch.context() as patch:
        if name == DOCKER:
            patch.setenv("DOCKER_HOST", request.getfixturevalue("docker_host"))
        backend = ContainerBackend(name)
        try:
            provide_image(backend, request.getfixturevalue("archives"))
            yield backend
        finally:
            backend.stop()


@pytest.fixture(scope="session")
def archives() -> Iterator[Path]:
    """A folder that keeps the image's archive for the second engine."""
    with tempfile.TemporaryDirectory(prefix="guardian-archive-") as folder:
        yield Path(folder)


def provide_image(backend: ContainerBackend, folder: Path) -> None:
    """Make the image, from the distribution's packages, unless it is there."""
    engine = backend.engine()
    try:
        find_image(engine)
    except SandboxUnavailableError:
        archive = folder / "image.tar"
        if not archive.exists():
            make_archive(engine, folder, compiler=False, base="packages", say=print)
        engine.load(archive)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with private files, below a private folder whose name has option separators."""
    parent = tmp_path / "a,b:c=d 'e"
    parent.mkdir(mode=0o700)
    folder = make_checkout(parent / "checkout")
    (folder / "private").write_bytes(b"p")
    (folder / "private").chmod(0o600)
    return folder
