"""One open worktree: a folder with a copy of the checkout and the writable places."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.abc
import anyio.to_thread

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.difference import FOLDER, Difference, Failed, Layers
from repo_guardian.sandbox.collection import fresh_folder, harvest_of
from repo_guardian.sandbox.environment import command_environment
from repo_guardian.sandbox.execution import (
    INSIDE_SCRIPTS,
    Command,
    Launch,
    LaunchChannel,
    command_result,
    execute,
    not_started,
    one_line,
)
from repo_guardian.sandbox.harvest import harvest_folder
from repo_guardian.sandbox.interface import (
    OUT,
    REPO,
    ChangeKind,
    CommandResult,
    Harvest,
    Limits,
    OverlayChange,
    ProcessStatus,
    SandboxSpec,
)
from repo_guardian.sandbox.interpreter import Interpreter
from repo_guardian.sandbox.mounts import checked_mounts, writable_path
from repo_guardian.sandbox.worktree.places import Places

_UNCOUNTED = 2**31 - 1
"""The kernel would count every process of the user here, not only the command's."""

_TOTAL_BYTES = 64 * 1024**2


class WorktreeSandbox:
    """Runs commands on the host, one at a time; see ``backend.py`` for what that does not protect."""

    backend = "worktree"

    def __init__(self, spec: SandboxSpec, interpreter: Interpreter, folder: Path) -> None:
        self.spec = spec
        self.python = str(interpreter.host)
        self._folder = folder
        self._repo = folder / "repo"
        own = {REPO: self._repo, OUT: folder / "out", "/tmp": folder / "tmp"}  # noqa: S108 - inside
        # Our own scripts and the interpreter keep their places, even where those lie below one of the above.
        kept = {str(path): path for path in (INSIDE_SCRIPTS, interpreter.prefix)}
        self._places = Places.of({**dict(checked_mounts(spec)), **own, **kept})
        self._lock = anyio.Lock()

    def fill(self) -> None:
        """Make the copy and the writable places."""
        shutil.copytree(self.spec.checkout, self._repo, symlinks=True)
        for name in ("out", "tmp"):
            (self._folder / name).mkdir()

    def remove(self) -> None:
        """Delete everything below the folder, and the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    async def reset(self) -> None:
        """Replace the copy and the writable places."""
        async with self._lock:
            self._demand_open()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._refill)

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = REPO,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> CommandResult:
        """Run one command on the host; see ``Sandbox.run``."""
        limits = limits or self.spec.limits
        variables = command_environment(self.python, self.spec.environment, environment)
        command = Command(tuple(argv), cwd, self.spec.commit, self.backend)
        async with self._lock:
            self._demand_open()
            return await self._run(command, self._places.variables(variables), stdin, limits)

    async def write_file(self, path: str, content: bytes) -> None:
        """Write a file; see ``Sandbox.write_file``."""
        limits = replace(Limits(), file_size_bytes=max(len(content), 1))
        await self._file("write", writable_path(path), stdin=content, limits=limits)

    async def read_file(self, path: str, *, limit_bytes: int) -> bytes:
        """Read a regular file; see ``Sandbox.read_file``."""
        limits = replace(Limits(), output_bytes=max(limit_bytes, 4096))
        return await self._file("read", writable_path(path), str(limit_bytes), limits=limits)

    async def evidence_diff(self, *, limit_bytes: int = 1024**2) -> tuple[OverlayChange, ...]:
        """How the copy differs from the checkout; see ``Sandbox.evidence_diff``."""
        async with self._lock:
            self._demand_open()
            return await anyio.to_thread.run_sync(self._compare, limit_bytes)

    async def harvest(self, destination: Path, *, limit_bytes: int, limit_files: int) -> Harvest:
        """Copy the writable channel out; see ``Sandbox.harvest``."""
        async with self._lock:
            self._demand_open()
            return await anyio.to_thread.run_sync(self._harvest, destination, limit_bytes, limit_files)

    def _demand_open(self) -> None:
        if not self._repo.parent.is_dir():
            raise SandboxError("the sandbox is closed", hint="open a new one")

    def _refill(self) -> None:
        self.remove()
        self._folder.mkdir(mode=0o700)
        self.fill()

    async def _run(
        self, command: Command, variables: Mapping[str, str], stdin: bytes, limits: Limits
    ) -> CommandResult:
        argv, cwd = self._places.arguments(command.argv), self._places.host(command.cwd)
        try:
            channel = LaunchChannel(Launch(argv, cwd, variables, limits, _UNCOUNTED, limits.memory_bytes))
        except ValueError as error:
            return not_started(ProcessStatus.SPAWN_FAILED, str(error), command)
        with channel:
            launcher = [self.python, "-I", "-S", str(INSIDE_SCRIPTS / "launcher.py")]
            full = [*launcher, str(channel.config_fd), str(channel.status_fd)]
            try:
                finished = await execute(full, channel, stdin=stdin, limits=limits, stop=_stop_group)
            except OSError as error:
                return not_started(ProcessStatus.SANDBOX_FAILED, str(error), command)
        return command_result(finished, command)

    async def _file(self, verb: str, path: str, *rest: str, limits: Limits, stdin: bytes = b"") -> bytes:
        argv = [self.python, "-I", "-S", str(INSIDE_SCRIPTS / "files.py"), verb, path, *rest]
        result = await self.run(argv, stdin=stdin, limits=limits)
        if not result.ok:
            said = one_line(result.stderr.decode("utf-8", "replace")) or result.reason or result.status
            raise SandboxError(f"cannot {verb} {path!r} in the sandbox: {said}")
        return result.stdout

    def _harvest(self, destination: Path, limit_bytes: int, limit_files: int) -> Harvest:
        with fresh_folder(destination) as folder:
            source = str(self._folder / "out")
            done = harvest_folder(source, folder, limit_bytes=limit_bytes, limit_files=limit_files)
        return harvest_of(done.files, done.total_bytes, done.left_out)

    def _compare(self, limit_bytes: int) -> tuple[OverlayChange, ...]:
        # The copy is like an upper layer that hides the whole tree below.
        upper, lower = os.open(self._repo, FOLDER), os.open(self.spec.checkout, FOLDER)
        try:
            walk = Difference(limit_bytes, _TOTAL_BYTES, "").walk(Layers(upper, lower, b"", True, 0))
            changes = [
                OverlayChange(os.fsdecode(path), ChangeKind(kind), content, cut)
                for kind, path, content, cut in walk
            ]
        except (Failed, OSError) as error:
            raise SandboxError(f"the changes cannot be listed: {error}") from error
        finally:
            os.close(upper)
            os.close(lower)
        return tuple(sorted(changes, key=lambda change: change.path))


async def _stop_group(process: anyio.abc.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
