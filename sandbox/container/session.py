"""One open sandbox: a container over a ground, replaced together by a reset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.namespace import is_root
from repo_guardian.sandbox.container.cell import GUARDIAN, Cell, CellProcess, Plan
from repo_guardian.sandbox.container.engine import CONTROLLERS, Engine
from repo_guardian.sandbox.container.ground import Ground
from repo_guardian.sandbox.container.image import Image
from repo_guardian.sandbox.container.ownership import Owner
from repo_guardian.sandbox.environment import command_environment
from repo_guardian.sandbox.execution import (
    SUPERVISORS,
    Command,
    Finished,
    Launch,
    LaunchChannel,
    attend,
    command_result,
    not_started,
    one_line,
)
from repo_guardian.sandbox.interface import (
    REPO,
    CommandResult,
    Harvest,
    Limits,
    OverlayChange,
    ProcessStatus,
    SandboxSpec,
)
from repo_guardian.sandbox.mounts import writable_path

LIFETIME_S = 4 * 3600.0
"""Seconds after which a container ends by itself, whoever still wants it."""

_SPACE_IN_A_GROUP = 4
"""Address space of a process as a multiple of the memory limit, where a group counts what is really used."""

_MANY_PROCESSES = 1 << 16
"""No limit by user: in a container without a user namespace it would count every sandbox's processes.

A container of an ordinary user has one, and there the limit by user counts that container only."""

_FILE_LIMITS = Limits(wall_s=30.0, cpu_s=30, memory_bytes=512 * 1024**2, processes=16, output_bytes=0)


class ContainerSandbox:
    """Runs commands one at a time: they share one overlay, and each ends before the next begins."""

    backend = "container"

    def __init__(
        self, spec: SandboxSpec, engine: Engine, image: Image, controllers: frozenset[str] = CONTROLLERS
    ) -> None:
        self.spec = spec
        self.python = image.python
        self._engine = engine
        self._image = image
        self._controllers = controllers
        self._ground: Ground | None = None
        self._cell: Cell | None = None
        self._lock = anyio.Lock()

    async def start(self) -> None:
        """Mount the ground and start the container over it.

        Raises:
            SandboxUnavailableError: this machine does not allow it.
            SandboxError: the engine refuses.
        """
        owner = Owner.current(LIFETIME_S)
        self._ground = await Ground.prepare(self.spec, owner)
        try:
            plan = Plan(self._image, self.spec, owner, LIFETIME_S, self._controllers)
            self._cell = await Cell.start(self._engine, plan, self._ground)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self.close()
            raise

    async def close(self) -> None:
        """Remove the container, then what it stood on."""
        cell, self._cell = self._cell, None
        ground, self._ground = self._ground, None
        await _dispose(cell, ground)

    async def reset(self) -> None:
        """Replace the container and everything writable: no file and no process survives."""
        async with self._lock:
            ground, cell = self._open()
            self._ground = self._cell = None
            with anyio.CancelScope(shield=True):
                troubles: list[SandboxError] = []

                async def dispose() -> None:
                    try:
                        await _dispose(cell, ground)
                    except SandboxError as error:
                        troubles.append(error)

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(dispose)
                    try:
                        await self.start()
                    except SandboxError as error:
                        troubles.append(error)
                if troubles:
                    await self.close()
                    raise troubles[0]

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = REPO,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> CommandResult:
        """Run one command; see ``Sandbox.run``."""
        variables = command_environment(self.python, self.spec.environment, environment)
        async with self._lock:
            return await self._run(tuple(argv), cwd, stdin, variables, limits or self.spec.limits)

    async def write_file(self, path: str, content: bytes) -> None:
        """Write a file inside; see ``Sandbox.write_file``."""
        # Replacing a file of the checkout first copies the whole old one up; only the disk bounds that.
        room = max(len(content), self.spec.limits.disk_bytes)
        limits = replace(_FILE_LIMITS, file_size_bytes=room, output_bytes=4096)
        await self._file("write", writable_path(path), stdin=content, limits=limits)

    async def read_file(self, path: str, *, limit_bytes: int) -> bytes:
        """Read a regular file inside; see ``Sandbox.read_file``."""
        limits = replace(_FILE_LIMITS, output_bytes=max(limit_bytes, 4096))
        return await self._file("read", writable_path(path), str(limit_bytes), limits=limits)

    async def evidence_diff(self, *, limit_bytes: int = 1024**2) -> tuple[OverlayChange, ...]:
        """What the commands so far changed; see ``Sandbox.evidence_diff``."""
        async with self._lock:
            ground, cell = self._open()
            await cell.settle()
            return await ground.changes(limit_bytes=limit_bytes)

    async def harvest(self, destination: Path, *, limit_bytes: int, limit_files: int) -> Harvest:
        """Copy the writable channel out; see ``Sandbox.harvest``."""
        async with self._lock:
            ground, cell = self._open()
            await cell.settle()
            return await ground.harvest(destination, limit_bytes=limit_bytes, limit_files=limit_files)

    def _open(self) -> tuple[Ground, Cell]:
        if self._ground is None or self._cell is None:
            raise SandboxError("the sandbox is closed", hint="open a new one")
        return self._ground, self._cell

    async def _run(
        self, argv: tuple[str, ...], cwd: str, stdin: bytes, variables: Mapping[str, str], limits: Limits
    ) -> CommandResult:
        _, cell = self._open()
        group = cell.group
        space = limits.memory_bytes * (_SPACE_IN_A_GROUP if group else 1)
        processes = _MANY_PROCESSES if is_root() else limits.processes + SUPERVISORS
        command = Command(argv, cwd, self.spec.commit, self.backend)
        try:
            channel = LaunchChannel(Launch(argv, cwd, variables, limits, processes, space))
        except ValueError as error:
            return not_started(ProcessStatus.SPAWN_FAILED, str(error), command)
        with channel:
            kills = group.kills() if group else 0
            try:
                if group:
                    group.limit(limits, disk_bytes=self.spec.limits.disk_bytes)
                finished = await self._execute(cell, channel, stdin, limits)
            except (OSError, SandboxError) as error:
                return not_started(ProcessStatus.SANDBOX_FAILED, str(error), command)
            starved = group is not None and group.kills() > kills
        return command_result(finished, command, out_of_memory=starved)

    async def _execute(self, cell: Cell, channel: LaunchChannel, stdin: bytes, limits: Limits) -> Finished:
        troubles: list[SandboxError] = []

        async def stop(_: CellProcess) -> None:
            try:
                await cell.settle()
            except SandboxError as error:
                troubles.append(error)
                try:
                    await cell.close()
                except SandboxError as stuck:
                    troubles.append(stuck)

        process = cell.launch(channel, stdin)
        finished = await attend(process, channel, limits=limits, stop=stop)
        if troubles:
            raise troubles[-1]
        return finished

    async def _file(self, verb: str, path: str, *rest: str, limits: Limits, stdin: bytes = b"") -> bytes:
        argv = [self.python, "-I", "-S", f"{GUARDIAN}/files.py", verb, path, *rest]
        result = await self.run(argv, cwd="/", stdin=stdin, limits=limits)
        if not result.ok:
            said = one_line(result.stderr.decode("utf-8", "replace")) or result.reason or result.status
            raise SandboxError(f"cannot {verb} {path!r} in the sandbox: {said}")
        return result.stdout


async def _dispose(cell: Cell | None, ground: Ground | None) -> None:
    try:
        if cell is not None:
            await cell.close()
    finally:
        if ground is not None:
            await ground.close()
