"""A Podman service of our own, for machines where Podman is installed and no socket is listened on.

It lives as long as this program does. Its configuration names what this machine needs: runc where control
groups are in hybrid mode, which crun refuses, and default ulimits that lie within the hard limits; for an
ordinary user also a user namespace of its own for each container.
"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.bubblewrap.namespace import UNPRIVILEGED_ID, is_root
from repo_guardian.sandbox.container.engine import Engine, connect, no_engine

_SEARCH_PATH = f"{os.defpath}:/usr/sbin:/sbin:/usr/local/bin"
_TETHER = Path(__file__).with_name("tether.py")
_READY_S = 15.0
_STEP_S = 0.01
_ULIMITS = {"nofile": (resource.RLIMIT_NOFILE, 4096), "nproc": (resource.RLIMIT_NPROC, 4096)}

_USER_NAMESPACE = f"keep-id:uid={UNPRIVILEGED_ID},gid={UNPRIVILEGED_ID}"
"""The user is shown as an unprivileged one, so files of the checkout belong to whoever runs the commands,
and the kernel counts processes by container (user_namespaces(7)). Since Podman 4.3."""


def podman_program() -> str | None:
    """The absolute path of Podman, or None."""
    return shutil.which("podman", path=_SEARCH_PATH)


def configuration() -> str:
    """The text of ``containers.conf(5)`` for a service on this machine."""
    lines = ["[engine]"]
    pure = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    if not pure and shutil.which("runc", path=_SEARCH_PATH):
        lines.append('runtime = "runc"')
    if not Path("/run/systemd/system").is_dir():
        lines += ['cgroup_manager = "cgroupfs"', 'events_logger = "file"']
    limits = []
    for name, (number, wanted) in _ULIMITS.items():
        hard = resource.getrlimit(number)[1]
        amount = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        limits.append(f'"{name}={amount}:{amount}"')
    containers = ["[containers]", f"default_ulimits = [{', '.join(limits)}]"]
    if not is_root():
        containers.append(f'userns = "{_USER_NAMESPACE}"')
    return "\n".join([*lines, *containers, ""])


class PodmanService:
    """A running service; ``engine`` is the connection to it."""

    def __init__(self) -> None:
        program = podman_program()
        if program is None:
            raise no_engine("podman")
        # tempfile removes it at exit; the socket's path must be short (108 bytes).
        self._folder = tempfile.TemporaryDirectory(prefix="guardian-podman-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        path, settings = folder / "podman.sock", folder / "containers.conf"
        settings.write_text(configuration())
        environment = {**os.environ, "CONTAINERS_CONF": str(settings)}
        for name in ("CONTAINER_HOST", "DOCKER_HOST"):
            environment.pop(name, None)
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - fixed program and arguments
                [
                    sys.executable,
                    "-I",
                    "-S",
                    str(_TETHER),
                    program,
                    "system",
                    "service",
                    "--time=0",
                    f"unix://{path}",
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
                # conmon leaves a file in its working directory when a container runs out of memory.
                cwd=folder,
                start_new_session=True,
            )
        self.engine = self._wait(path)

    def _wait(self, path: Path) -> Engine:
        deadline = time.monotonic() + _READY_S
        while self._process.poll() is None and time.monotonic() < deadline:
            if _listens(path) and (engine := connect(path)) is not None:
                return engine
            time.sleep(_STEP_S)
        lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        self.stop()
        said = lines[-1][:300] if lines else "it did not answer"
        raise SandboxUnavailableError(
            f"podman system service does not start: {said}", hint="try `podman info`"
        )

    def stop(self) -> None:
        """End the service and remove its socket."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_READY_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True
