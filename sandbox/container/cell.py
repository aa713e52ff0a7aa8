"""One container over a ground, and the line to its first process.

The engine starts and removes the container; commands never go through it. They are handed to ``init.py``
over a Unix socket, with the pipes of their streams: the same on every engine, an order of magnitude quicker
than its ``exec``, nothing that an engine could buffer, and no process that outlives its request.
"""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.namespace import UNPRIVILEGED_ID
from repo_guardian.sandbox.container.engine import Engine
from repo_guardian.sandbox.container.ground import CONTROL, ETC, Ground
from repo_guardian.sandbox.container.group import ContainerGroup
from repo_guardian.sandbox.container.image import Image
from repo_guardian.sandbox.container.ownership import Owner
from repo_guardian.sandbox.execution import SUPERVISORS, LaunchChannel, memory_file
from repo_guardian.sandbox.interface import OUT, REPO, Profile, SandboxSpec

GUARDIAN = "/run/guardian"
"""Inside: the folder of our scripts and of trusted bytecode."""

_READY_S = 30.0
_SETTLE_S = 20.0
_CHUNK = 1 << 16
_OPEN_FILES = 1024
_USER_PROCESSES = 4096
_NANO = 1_000_000_000
_CPUS = 2


def container_options(spec: SandboxSpec, ground: Ground, labels: Mapping[str, str]) -> dict[str, Any]:
    """What docker-py's ``create`` is given: everything that isolates, in one place."""
    from docker.types import LogConfig, Mount, Ulimit

    disk = ground.base / "disk"
    repo_read_only = spec.profile is Profile.TOOL
    places = [
        (REPO, ground.base / "repo", repo_read_only),
        (OUT, disk / "out", False),
        ("/tmp", disk / "tmp", False),  # noqa: S108 - inside
        ("/dev/shm", disk / "shm", False),  # noqa: S108 - inside
        ("/sys", ground.base / "sys", True),
        (GUARDIAN, ground.base / "guardian", True),
        # The engine's own would name the host and its name server.
        *((f"/etc/{name}", ground.base / "etc" / name, True) for name in ETC),
        *((target, source, True) for target, source in ground.mounts),
    ]
    memory = spec.limits.memory_bytes + spec.limits.disk_bytes
    return {
        "name": f"guardian-{ground.base.name}",
        "labels": dict(labels),
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
        "mem_limit": memory,
        "memswap_limit": memory,
        "pids_limit": spec.limits.processes + SUPERVISORS,
        "nano_cpus": min(_CPUS, os.cpu_count() or 1) * _NANO,
        "ulimits": [Ulimit(name=name, soft=amount, hard=amount) for name, amount in _ulimits().items()],
        "auto_remove": True,
        "log_config": LogConfig(type="none"),
    }


def _ulimits() -> dict[str, int]:
    """Ulimits of the container by name: none above the hard limit here, which an engine could not set.

    ``nproc`` is named since Podman sets one of its own beside any that is given; the kernel counts it by
    user over all containers, so it is wide, and the control group is what bounds a sandbox.
    """
    wanted = {
        "nofile": (resource.RLIMIT_NOFILE, _OPEN_FILES),
        "nproc": (resource.RLIMIT_NPROC, _USER_PROCESSES),
        "core": (resource.RLIMIT_CORE, 0),
    }
    hard = {name: resource.getrlimit(number)[1] for name, (number, _) in wanted.items()}
    unbounded = resource.RLIM_INFINITY
    return {
        name: amount if hard[name] == unbounded else min(amount, hard[name])
        for name, (_, amount) in wanted.items()
    }


class Cell:
    """A running container."""

    def __init__(self, engine: Engine, identifier: str, line: socket.socket) -> None:
        self._engine = engine
        self._identifier = identifier
        self._line = line
        self.group: ContainerGroup | None = None
        self._lost = False

    @classmethod
    async def start(
        cls, engine: Engine, image: Image, spec: SandboxSpec, ground: Ground, owner: Owner, lifetime_s: float
    ) -> Cell:
        """Start a container over ``ground`` and wait until its first process calls.

        Raises:
            SandboxError: the engine refuses, or the container does not come up.
        """
        path = ground.base / "guardian" / CONTROL
        command = [image.python, "-I", "-S", f"{GUARDIAN}/init.py", f"{GUARDIAN}/{CONTROL}", str(lifetime_s)]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            path.chmod(0o666)  # noqa: S103 - only the container and root can reach it
            listener.listen(1)
            listener.setblocking(False)
            options = container_options(spec, ground, owner.labels())
            with anyio.CancelScope(shield=True):  # so that there is something to remove
                container = await anyio.to_thread.run_sync(engine.start, image.digest, command, options)
            identifier = str(container.id)
            try:
                with anyio.fail_after(_READY_S):
                    await anyio.wait_readable(listener)
                line, _ = listener.accept()
            except BaseException as error:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(engine.remove, identifier)
                if isinstance(error, TimeoutError):
                    raise SandboxError(
                        "the container does not come up", hint="see the engine's log"
                    ) from error
                raise
        path.unlink()
        line.setblocking(False)
        self = cls(engine, identifier, line)
        try:
            with anyio.fail_after(_READY_S):
                await self._expect(b"ready")
            pid = await anyio.to_thread.run_sync(engine.main_process, identifier)
            self.group = ContainerGroup.of(pid) if pid else None
        except BaseException as error:
            with anyio.CancelScope(shield=True):
                await self.close()
            if isinstance(error, TimeoutError):
                raise SandboxError("the container does not come up", hint="see the engine's log") from error
            raise
        return self

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
        opened: list[int] = []
        try:
            opened.append(memory_file(stdin))
            out, out_write = os.pipe2(os.O_CLOEXEC)
            opened.append(out_write)
            streams = [_PipeStream(out)]
            err, err_write = os.pipe2(os.O_CLOEXEC)
            opened.append(err_write)
            streams.append(_PipeStream(err))
            self.send(b"run", (*opened, channel.config_fd, channel.status_fd))
        finally:
            for descriptor in opened:
                os.close(descriptor)
        return CellProcess(self, *streams)

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


class _PipeStream(anyio.abc.ByteReceiveStream):
    """The reading end of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.set_blocking(descriptor, False)

    async def receive(self, max_bytes: int = _CHUNK) -> bytes:
        """The next bytes."""
        await anyio.lowlevel.checkpoint()
        while True:
            try:
                chunk = os.read(self._descriptor, max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._descriptor)
                continue
            if not chunk:
                raise anyio.EndOfStream
            return chunk

    async def aclose(self) -> None:
        """Close the descriptor."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


class CellProcess(anyio.abc.Process):
    """A launcher in the container, as far as ``execution.attend`` needs a process."""

    def __init__(self, cell: Cell, stdout: _PipeStream, stderr: _PipeStream) -> None:
        self._cell = cell
        self._stdout = stdout
        self._stderr = stderr
        self._ended = False

    async def wait(self) -> int:
        """Wait until it has ended, or the container has."""
        while not self._ended:
            self._ended = await self._cell.answer() in (b"ended", b"")
        return 0

    def terminate(self) -> None:
        """Not needed: ``Cell.settle`` ends it."""

    def kill(self) -> None:
        """Not needed: ``Cell.settle`` ends it."""

    def send_signal(self, signal: int) -> None:
        """Not needed: ``Cell.settle`` ends it."""

    @property
    def pid(self) -> int:
        """Unknown here."""
        return 0

    @property
    def returncode(self) -> int | None:
        """0 once it has ended: the exact end is in the launcher's records."""
        return 0 if self._ended else None

    @property
    def stdin(self) -> anyio.abc.ByteSendStream | None:
        """None: its input is whole from the start."""
        return None

    @property
    def stdout(self) -> anyio.abc.ByteReceiveStream | None:
        """What the command prints."""
        return self._stdout

    @property
    def stderr(self) -> anyio.abc.ByteReceiveStream | None:
        """What the command says on standard error."""
        return self._stderr

    async def aclose(self) -> None:
        """Close both streams."""
        with suppress(OSError):
            await self._stdout.aclose()
            await self._stderr.aclose()
