"""One container over a ground, and the line to its first process.

The engine starts and removes the container; commands never go through it. They are handed to ``init.py``
over a Unix socket, with the pipes of their streams: the same on every engine, an order of magnitude quicker
than its ``exec``, nothing that an engine could buffer, and no process that outlives its request.
"""

from __future__ import annotations

import os
import resource
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.namespace import UNPRIVILEGED_ID
from repo_guardian.sandbox.container.engine import CONTROLLERS, Engine
from repo_guardian.sandbox.container.ground import CONTROL, ETC, Ground
from repo_guardian.sandbox.container.group import ContainerGroup
from repo_guardian.sandbox.container.image import Image
from repo_guardian.sandbox.container.ownership import Owner
from repo_guardian.sandbox.execution import SUPERVISORS, LaunchChannel, memory_file
from repo_guardian.sandbox.interface import OUT, REPO, Limits, Profile, SandboxSpec

GUARDIAN = "/run/guardian"
"""Inside: the folder of our scripts and of trusted bytecode."""

_READY_S = 30.0
_SETTLE_S = 20.0
_CHUNK = 1 << 16
_OPEN_FILES = 1024
_USER_PROCESSES = 4096
_NANO = 1_000_000_000
_CPUS = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What a container is started for.

    ``lifetime_s`` is when it ends by itself; ``controllers`` are those that its control group may have.
    """

    image: Image
    spec: SandboxSpec
    owner: Owner
    lifetime_s: float
    controllers: frozenset[str] = CONTROLLERS

    def command(self) -> list[str]:
        """What the container runs as its first process."""
        script = [self.image.python, "-I", "-S", f"{GUARDIAN}/init.py"]
        return [*script, f"{GUARDIAN}/{CONTROL}", str(self.lifetime_s)]


def container_options(plan: Plan, ground: Ground) -> dict[str, Any]:
    """What docker-py's ``create`` is given: everything that isolates, in one place."""
    from docker.types import LogConfig, Mount, Ulimit

    spec = plan.spec
    disk = ground.base / "disk"
    repo_read_only = spec.profile is Profile.TOOL
    places = [
        (REPO, ground.base / "repo", repo_read_only),
        (OUT, disk / "out", False),
        ("/tmp", disk / "tmp", False),  # noqa: S108 - inside
        ("/dev/shm", disk / "shm", False),  # noqa: S108 - inside
        ("/sys", ground.base / "sys", True),
        # Podman would put a tmpfs of its own, writable and without bounds, into a read-only root.
        ("/var/tmp", ground.base / "empty", True),  # noqa: S108 - inside
        (GUARDIAN, ground.base / "guardian", True),
        # The engine's own would name the host and its name server.
        *((f"/etc/{name}", ground.base / "etc" / name, True) for name in ETC),
        *((target, source, True) for target, source in ground.mounts),
    ]
    return {
        "name": f"guardian-{ground.base.name}",
        "labels": plan.owner.labels(),
        "network_mode": "none",
        "read_only": True,
        "user": f"{UNPRIVILEGED_ID}:{UNPRIVILEGED_ID}",
        "cap_drop": ["ALL"],
        # Without the last, SELinux would want the checkout relabelled; it changes nothing elsewhere.
        "security_opt": ["no-new-privileges", "label=disable"],
        "ipc_mode": "private",
        "hostname": "guardian",
        "working_dir": "/",
        "entrypoint": [],
        "environment": {},
        "mounts": [
            Mount(target, str(source), type="bind", read_only=read_only, propagation="rprivate")
            for target, source, read_only in places
        ],
        **_group_limits(spec.limits, plan.controllers),
        "ulimits": [Ulimit(name=name, soft=amount, hard=amount) for name, amount in _ulimits().items()],
        "auto_remove": True,
        "log_config": LogConfig(type="none"),
    }


def _group_limits(limits: Limits, controllers: frozenset[str]) -> dict[str, int]:
    """What the engine writes to the container's control group; an engine refuses what it cannot write."""
    memory = limits.memory_bytes + limits.disk_bytes
    by_controller = {
        "memory": {"mem_limit": memory, "memswap_limit": memory},
        "pids": {"pids_limit": limits.processes + SUPERVISORS},
        "cpu": {"nano_cpus": min(_CPUS, os.cpu_count() or 1) * _NANO},
    }
    options: dict[str, int] = {}
    for name in controllers & by_controller.keys():
        options.update(by_controller[name])
    return options


def _ulimits() -> dict[str, int]:
    """Ulimits of the container by name: none above the hard limit here, which an engine could not set.

    ``nproc`` is named since Podman sets one of its own beside any that is given; the kernel counts it by
    user over all containers, so it is wide, and the control group is what bounds a sandbox.
    """
    wanted = {
        "nofile": (resource.RLIMIT_NOFILE, _OPEN_FILES),
        "nproc": (resource.RLIMIT_NPROC, _USER_PROCESSES),
        "core": (resource.RLIMIT_CORE, 1),  # see inside/launcher.py
    }
    hard = {name: resource.getrlimit(number)[1] for name, (number, _) in wanted.items()}
    unbounded = resource.RLIM_INFINITY
    return {
        name: amount if hard[name] == unbounded else min(amount, hard[name])
        for name, (_, amount) in wanted.items()
    }


class Cell:
    """A running container.

    ``pid`` is the host's number of its first process, 0 where that cannot be seen; ``group`` its control
    group, None where that cannot be changed.
    """

    def __init__(self, engine: Engine, identifier: str, line: socket.socket) -> None:
        self._engine = engine
        self._identifier = identifier
        self._line = line
        self._lost = False
        self.pid = 0
        self.group: ContainerGroup | None = None

    @classmethod
    async def start(cls, engine: Engine, plan: Plan, ground: Ground) -> Cell:
        """Start a container over ``ground`` and wait until its first process calls.

        Raises:
            SandboxError: the engine refuses, or the container does not come up.
        """
        path = ground.view / "guardian" / CONTROL
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            path.chmod(0o666)  # only the container and root can reach it
            listener.listen(1)
            listener.setblocking(False)
            with anyio.CancelScope(shield=True):  # so that there is something to remove
                identifier = await anyio.to_thread.run_sync(
                    engine.start, plan.image.digest, plan.command(), container_options(plan, ground)
                )
            try:
                with anyio.fail_after(_READY_S):
                    await anyio.wait_readable(listener)
                line, _ = listener.accept()
            except BaseException as error:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(engine.remove, identifier)
                raise _explained(error) from error
        path.unlink()
        line.setblocking(False)
        self = cls(engine, identifier, line)
        try:
            await self._begin()
        except BaseException as error:
            await self.close()
            raise _explained(error) from error
        return self

    async def _begin(self) -> None:
        with anyio.fail_after(_READY_S):
            await self._expect(b"ready")
        # The kernel names who called: the container's first process, as a number of this PID namespace.
        self.pid = struct.unpack("3i", self._line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        self.group = ContainerGroup.of(self.pid) if self.pid else None

    def send(self, message: bytes, descriptors: tuple[int, ...] = ()) -> None:
        """One request.

        Raises:
            SandboxError: the container is gone.
        """
        try:
            socket.send_fds(self._line, [message], list(descriptors))
        except OSError as error:
            raise SandboxError("the container is gone", hint="reset the sandbox") from error

    async def answer(self) -> bytes:
        """The next message; empty once the container is gone."""
        if self._lost:
            return b""
        while True:
            try:
                message = self._line.recv(4096)
            except BlockingIOError:
                await anyio.wait_readable(self._line)
                continue
            except OSError:
                message = b""
            self._lost = not message
            return message

    async def _expect(self, expected: bytes) -> None:
        while (message := await self.answer()) != expected:
            if message == b"ended":  # of a command that is being stopped
                continue
            said = message.decode("utf-8", "replace").removeprefix("failed ")
            raise SandboxError(said or "the container is gone", hint="reset the sandbox")

    async def settle(self) -> None:
        """Kill every process of the container but its first and wait until none is left.

        Raises:
            SandboxError: the container is gone or a process resists; it must not be used again.
        """
        self.send(b"settle")
        try:
            with anyio.fail_after(_SETTLE_S):
                await self._expect(b"settled")
        except TimeoutError as error:
            raise SandboxError("the container does not answer", hint="reset the sandbox") from error

    def launch(self, channel: LaunchChannel, stdin: bytes) -> CellProcess:
        """Start the launcher on ``channel``.

        Raises:
            OSError: there are no descriptors left.
            SandboxError: the container is gone.
        """
        given: list[int] = []
        kept: list[int] = []
        try:
            given.append(memory_file(stdin))
            for _ in ("stdout", "stderr"):
                reading, writing = os.pipe2(os.O_CLOEXEC)
                kept.append(reading)
                given.append(writing)
            self.send(b"run", (*given, channel.config_fd, channel.status_fd))
        except BaseException:
            given += kept
            raise
        finally:
            for descriptor in given:
                os.close(descriptor)
        return CellProcess(self, *kept)

    async def close(self) -> None:
        """Remove the container; when this returns, all that ran in it is dead.

        Raises:
            SandboxError: the engine does not remove it.
        """
        with anyio.CancelScope(shield=True):
            self._lost = True
            try:
                await anyio.to_thread.run_sync(self._engine.remove, self._identifier)
            finally:
                self._line.close()


def _explained(error: BaseException) -> BaseException:
    if isinstance(error, TimeoutError):
        return SandboxError("the container does not come up", hint="see the engine's log")
    return error


async def _chunks(descriptor: int) -> AsyncIterator[bytes]:
    """What comes out of a pipe, until all its writers are gone."""
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(descriptor)
            continue
        if not chunk:
            return
        yield chunk


class CellProcess:
    """A launcher in the container; ``stop`` it with ``Cell.settle``."""

    def __init__(self, cell: Cell, stdout: int, stderr: int) -> None:
        self._cell = cell
        self._descriptors = [stdout, stderr]
        for descriptor in self._descriptors:
            os.set_blocking(descriptor, False)
        self.stdout, self.stderr = _chunks(stdout), _chunks(stderr)

    async def wait(self) -> int:
        """Wait until it has ended, or the container has; how is in the launcher's records."""
        while await self._cell.answer() not in (b"ended", b""):
            pass
        return 0

    async def aclose(self) -> None:
        """Close both streams."""
        while self._descriptors:
            os.close(self._descriptors.pop())
