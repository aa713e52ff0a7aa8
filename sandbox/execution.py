"""The host's side of one command: start it, drain it, stop it, and say how it ended.

Backends differ in the command line that leads to ``inside/launcher.py`` and in how they make sure that
nothing survives; the rest is here, so that a status means the same thing everywhere.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, TypeVar

import anyio
import anyio.abc

from repo_guardian.sandbox.interface import CommandResult, Limits, ProcessStatus

INSIDE_SCRIPTS = Path(__file__).parent / "inside"
"""Host folder of the scripts that run inside."""

SUPERVISORS = 2
"""Processes of ours beside the command that may count against its process limit: an init and the launcher."""

_DRAIN_GRACE_S = 5.0
_REASON_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Launch:
    """What the launcher is asked to do.

    ``processes`` and ``address_space_bytes`` (of each process) stand for those of ``limits``, since what
    a backend can let the kernel count differs.
    """

    argv: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    limits: Limits
    processes: int
    address_space_bytes: int

    def encode(self) -> bytes:
        """The NUL-separated fields that ``inside/launcher.py`` reads.

        Raises:
            ValueError: something in it holds a NUL, or there is no argv.
        """
        numbers = (
            self.limits.cpu_s,
            self.address_space_bytes,
            self.processes,
            self.limits.file_size_bytes,
            len(self.environment),
        )
        pairs = [text for item in self.environment.items() for text in item]
        fields = [self.cwd, *map(str, numbers), *pairs, *self.argv]
        if not self.argv or not self.argv[0]:
            raise ValueError("the command is empty")
        if any("\0" in field for field in fields):
            raise ValueError("an argument, the folder or a variable holds a NUL character")
        return b"\0".join(os.fsencode(field) for field in fields)


class LaunchChannel:
    """The two descriptors between the host and the launcher; a context manager that closes them."""

    def __init__(self, launch: Launch) -> None:
        self.config_fd = memory_file(launch.encode())
        self._status_read, self.status_fd = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._status_read, False)

    def __enter__(self) -> LaunchChannel:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        for descriptor in (self.config_fd, self.status_fd, self._status_read):
            os.close(descriptor)

    def records(self) -> list[str]:
        """What the launcher wrote, a line each; bounded by the pipe's capacity."""
        with suppress(BlockingIOError):
            return os.read(self._status_read, 1 << 16).decode("utf-8", "replace").splitlines()
        return []


_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


def memory_file(content: bytes) -> int:
    """A descriptor to read ``content`` from, to be passed to a process; the caller closes it.

    Sealed (memfd_create(2)), so that the process cannot use it as memory that no limit counts.
    """
    descriptor = os.memfd_create("guardian", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(os.dup(descriptor), "wb") as stream:
        stream.write(content)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@dataclass(slots=True)
class _Drain:
    """Collects a stream up to a limit and throws the rest away without ever blocking its writer."""

    limit: int
    content: bytearray
    truncated: bool = False

    async def run(self, stream: AsyncIterable[bytes]) -> None:
        async for chunk in stream:
            room = self.limit - len(self.content)
            self.content += chunk[:room]
            if len(chunk) > room:
                self.truncated = True
                # A flood is slowed down a little, so that it cannot keep the event loop to itself.
                await anyio.sleep(0.001)


@dataclass(frozen=True, slots=True)
class Finished:
    """One ended command before it is interpreted."""

    records: tuple[str, ...]
    timed_out: bool
    stdout: bytes
    stderr: bytes
    stdout_truncated: bool
    stderr_truncated: bool
    duration_s: float


async def execute(
    command: Sequence[str],
    channel: LaunchChannel,
    *,
    stdin: bytes,
    limits: Limits,
    stop: Callable[[anyio.abc.Process], Awaitable[None]],
    pass_fds: tuple[int, ...] = (),
) -> Finished:
    """Run ``command``, which leads to the launcher, and wait for its end and for its output's.

    ``stop`` is awaited exactly once, shielded, however the wait ended; it must kill the process and all
    that it started, and must not raise.

    Raises:
        OSError: ``command`` itself could not be started.
    """
    input_fd = memory_file(stdin)
    try:
        with anyio.CancelScope(shield=True):  # so that there is something to stop when it is cancelled
            process = await anyio.open_process(
                list(command),
                stdin=input_fd,
                cwd="/",  # ours is nobody's business
                env={"PATH": os.defpath},
                start_new_session=True,
                pass_fds=(channel.config_fd, channel.status_fd, *pass_fds),
            )
    finally:
        os.close(input_fd)
    return await attend(process, channel, limits=limits, stop=stop)


class Running(Protocol):
    """A process that leads to the launcher, as far as waiting for it goes; ``anyio.abc.Process`` is one."""

    @property
    def stdout(self) -> AsyncIterable[bytes] | None:
        """What the command prints, until all its writers are gone."""

    @property
    def stderr(self) -> AsyncIterable[bytes] | None:
        """What the command says on standard error, likewise."""

    async def wait(self) -> int:
        """Wait for its end; what is returned does not matter."""

    async def aclose(self) -> None:
        """Close both streams."""


_Running = TypeVar("_Running", bound=Running)


async def attend(
    process: _Running,
    channel: LaunchChannel,
    *,
    limits: Limits,
    stop: Callable[[_Running], Awaitable[None]],
) -> Finished:
    """Wait for the end of a process that leads to the launcher, and for its output's; ``stop`` as above.

    The process is closed however this ends.
    """
    started = time.monotonic()
    out, err = _Drain(limits.output_bytes, bytearray()), _Drain(limits.output_bytes, bytearray())
    assert process.stdout and process.stderr  # noqa: S101 - both are pipes
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(out.run, process.stdout)
            tasks.start_soon(err.run, process.stderr)
            try:
                with anyio.move_on_after(limits.wall_s) as clock:
                    await process.wait()
            finally:
                duration_s = time.monotonic() - started
                with anyio.CancelScope(shield=True):
                    await stop(process)
            tasks.cancel_scope.deadline = anyio.current_time() + _DRAIN_GRACE_S
    finally:
        with anyio.CancelScope(shield=True):
            await process.aclose()
    return Finished(
        records=tuple(channel.records()),
        timed_out=clock.cancelled_caught,
        stdout=bytes(out.content),
        stderr=bytes(err.content),
        stdout_truncated=out.truncated,
        stderr_truncated=err.truncated,
        duration_s=duration_s,
    )


def one_line(text: str) -> str:
    """The last non-empty line of ``text``, bounded, for a reason or an error message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_REASON_CHARACTERS] if lines else ""


def describe_end(finished: Finished, *, out_of_memory: bool) -> tuple[ProcessStatus, int | None, str]:
    """``(status, exit code or signal, reason)`` from the launcher's records and the host's own clock.

    The host's observations come first: what the launcher says may be forged by the command, which gains
    nothing that it could not have by exiting differently.
    """
    if out_of_memory:
        return ProcessStatus.OUT_OF_MEMORY, None, ""
    if finished.timed_out:
        return ProcessStatus.TIMED_OUT, None, ""
    if "ready" not in finished.records:
        said = one_line(finished.stderr.decode("utf-8", "replace"))
        return ProcessStatus.SANDBOX_FAILED, None, said or "the sandbox ended before the command began"
    for record in finished.records:
        kind, _, detail = record.partition(" ")
        if kind == "spawn":
            return ProcessStatus.SPAWN_FAILED, None, detail[:_REASON_CHARACTERS]
        if kind == "wait" and detail.isdecimal():
            return _from_wait(int(detail) & 0xFFFF)
    # The launcher was killed, and only the command can have done that.
    return ProcessStatus.SIGNALED, int(signal.SIGKILL), ""


def _from_wait(status: int) -> tuple[ProcessStatus, int | None, str]:
    if os.WIFEXITED(status):
        return ProcessStatus.EXITED, os.WEXITSTATUS(status), ""
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU:
        return ProcessStatus.TIMED_OUT, None, ""
    return ProcessStatus.SIGNALED, number, ""


@dataclass(frozen=True, slots=True)
class Command:
    """What a result repeats of its request."""

    argv: tuple[str, ...]
    cwd: str
    commit: str
    backend: str


def command_result(finished: Finished, command: Command, *, out_of_memory: bool = False) -> CommandResult:
    """The public record of an ended command."""
    status, number, reason = describe_end(finished, out_of_memory=out_of_memory)
    return CommandResult(
        status=status,
        exit_code=number if status is ProcessStatus.EXITED else None,
        signal=number if status is ProcessStatus.SIGNALED else None,
        stdout=finished.stdout,
        stderr=finished.stderr,
        stdout_truncated=finished.stdout_truncated,
        stderr_truncated=finished.stderr_truncated,
        duration_s=finished.duration_s,
        argv=command.argv,
        cwd=command.cwd,
        commit=command.commit,
        backend=command.backend,
        reason=reason,
    )


def not_started(status: ProcessStatus, reason: str, command: Command) -> CommandResult:
    """The record of a command that never began."""
    nothing = Finished((), False, b"", b"", False, False, 0.0)
    return replace(command_result(nothing, command), status=status, reason=reason[:_REASON_CHARACTERS])
