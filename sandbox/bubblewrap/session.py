"""One open bubblewrap sandbox."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.abc

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.cgroup import CommandGroup
from repo_guardian.sandbox.bubblewrap.command_line import GUARDIAN, bwrap_command
from repo_guardian.sandbox.bubblewrap.evidence import collect_changes, collect_harvest
from repo_guardian.sandbox.bubblewrap.namespace import Layout, Namespace
from repo_guardian.sandbox.bubblewrap.seccomp import filter_program
from repo_guardian.sandbox.environment import command_environment
from repo_guardian.sandbox.execution import (
    Command,
    Finished,
    Launch,
    LaunchChannel,
    command_result,
    execute,
    memory_file,
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
from repo_guardian.sandbox.interpreter import Interpreter
from repo_guardian.sandbox.mounts import writable_path

_REAP_S = 0.2
_SUPERVISORS = 1
"""The launcher counts against the process limit of the command beside it."""

_SPACE_IN_A_GROUP = 4
"""Address space of a process as a multiple of the memory limit, where a group counts what is really used."""

_FILE_LIMITS = Limits(wall_s=30.0, cpu_s=30, memory_bytes=512 * 1024**2, processes=16, output_bytes=0)


class BubblewrapSandbox:
    """Runs commands one at a time: they share one overlay, and each ends before the next begins."""

    backend = "bubblewrap"

    def __init__(self, spec: SandboxSpec, interpreter: Interpreter, layout: Layout) -> None:
        self.spec = spec
        self.python = interpreter.inside
        self._layout = layout
        self._bwrap = bwrap_command(interpreter, layout, spec.profile)
        self._seccomp = filter_program()
        self._namespace: Namespace | None = None
        self._group: CommandGroup | None = None
        self._lock = anyio.Lock()

    async def start(self) -> None:
        """Start the keeper.

        Raises:
            SandboxUnavailableError: this machine does not allow it.
        """
        self._namespace = await Namespace.start(self._layout)
        self._group = CommandGroup.create()

    async def close(self) -> None:
        """End the keeper and with it everything."""
        namespace, self._namespace = self._namespace, None
        group, self._group = self._group, None
        if namespace is not None:
            await namespace.close()
        if group is not None:
            group.remove()

    async def reset(self) -> None:
        """Replace the overlay and everything writable: no file and no process survives."""
        async with self._lock:
            self._open_namespace()
            with anyio.CancelScope(shield=True):
                await self.close()
                await self.start()

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
            return await collect_changes(self._open_namespace(), limit_bytes=limit_bytes)

    async def harvest(self, destination: Path, *, limit_bytes: int, limit_files: int) -> Harvest:
        """Copy the writable channel out; see ``Sandbox.harvest``."""
        async with self._lock:
            return await collect_harvest(
                self._open_namespace(), destination, limit_bytes=limit_bytes, limit_files=limit_files
            )

    def _open_namespace(self) -> Namespace:
        if self._namespace is None:
            raise SandboxError("the sandbox is closed", hint="open a new one")
        return self._namespace

    async def _run(
        self, argv: tuple[str, ...], cwd: str, stdin: bytes, variables: Mapping[str, str], limits: Limits
    ) -> CommandResult:
        namespace = self._open_namespace()
        group = self._group
        space = limits.memory_bytes * (_SPACE_IN_A_GROUP if group else 1)
        processes = limits.processes + _SUPERVISORS
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
                finished = await self._execute(namespace, channel, stdin, limits)
            except (OSError, SandboxError) as error:
                return not_started(ProcessStatus.SANDBOX_FAILED, str(error), command)
            starved = group is not None and group.kills() > kills
        return command_result(finished, command, out_of_memory=starved)

    async def _execute(
        self, namespace: Namespace, channel: LaunchChannel, stdin: bytes, limits: Limits
    ) -> Finished:
        troubles: list[SandboxError] = []

        async def stop(process: anyio.abc.Process) -> None:
            try:
                # nsenter stays outside and reaps its child; killed first, it would leave that to the
                # host's init. It is killed only when it was caught before it had a child.
                await namespace.settle()
                with anyio.move_on_after(_REAP_S):
                    await process.wait()
                    return
                with suppress(ProcessLookupError):
                    process.kill()
                await namespace.settle()
            except SandboxError as error:
                troubles.append(error)
                with suppress(ProcessLookupError):
                    process.kill()
                await namespace.close()
            await process.wait()

        with ExitStack() as stack:
            options: list[str] = self._bwrap
            descriptors: tuple[int, ...] = ()
            if self._seccomp is not None:
                filter_fd = memory_file(self._seccomp)
                stack.callback(os.close, filter_fd)
                options, descriptors = [*options, "--seccomp", str(filter_fd)], (filter_fd,)
            launcher = [self.python, "-I", "-S", f"{GUARDIAN}/launcher.py"]
            inner = [*options, "--", *launcher, str(channel.config_fd), str(channel.status_fd)]
            outer = namespace.enter(inner)
            outer = self._group.enter(outer) if self._group else outer
            finished = await execute(
                outer, channel, stdin=stdin, limits=limits, stop=stop, pass_fds=descriptors
            )
        if troubles:
            raise troubles[0]
        return finished

    async def _file(self, verb: str, path: str, *rest: str, limits: Limits, stdin: bytes = b"") -> bytes:
        argv = [self.python, "-I", "-S", f"{GUARDIAN}/files.py", verb, path, *rest]
        result = await self.run(argv, cwd="/", stdin=stdin, limits=limits)
        if not result.ok:
            said = one_line(result.stderr.decode("utf-8", "replace")) or result.reason or result.status
            raise SandboxError(f"cannot {verb} {path!r} in the sandbox: {said}")
        return result.stdout
