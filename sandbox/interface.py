"""The sandbox contract: what a backend must offer, and the frozen values that pass through it.

A *backend* knows one isolation technology and says, after a self-check, how strong it is here. It opens
a *sandbox* over exactly one checkout, which is always visible at ``/repo``. Paths inside a sandbox are
POSIX strings; paths on the host are ``pathlib.Path``. All sizes are bytes and all durations seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

REPO = "/repo"
"""Where the one tree of a sandbox is mounted. A second tree needs a second sandbox."""

OUT = "/out"
"""The one writable channel out: a bounded directory outside the repository overlay."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command may use before it is stopped.

    ``wall_s`` and ``cpu_s`` are seconds, ``*_bytes`` bytes, ``processes`` and ``disk_inodes`` counts.
    ``output_bytes`` bounds stdout and stderr each; what exceeds it is dropped and marked. A process that
    uses up ``cpu_s`` ends as ``TIMED_OUT``, like one that reaches ``wall_s``. ``disk_*`` bound everything
    that is written in one sandbox between two resets, so only those of ``SandboxSpec.limits`` count.
    """

    wall_s: float = 60.0
    cpu_s: int = 60
    memory_bytes: int = 2 * 1024**3
    processes: int = 64
    file_size_bytes: int = 64 * 1024**2
    disk_bytes: int = 256 * 1024**2
    disk_inodes: int = 20_000
    output_bytes: int = 1024**2


class ProcessStatus(StrEnum):
    """How the process ended; never what a test in it did."""

    EXITED = "exited"
    SIGNALED = "signaled"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    SPAWN_FAILED = "spawn_failed"
    SANDBOX_FAILED = "sandbox_failed"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """One finished command.

    ``exit_code`` is set only for ``EXITED``, ``signal`` only for ``SIGNALED``. ``stdout`` and ``stderr``
    are raw bytes, cut at ``Limits.output_bytes``; the ``*_truncated`` flags say so. ``reason`` explains
    ``SPAWN_FAILED`` and ``SANDBOX_FAILED`` in one line, else it is empty.
    """

    status: ProcessStatus
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    stdout_truncated: bool
    stderr_truncated: bool
    duration_s: float
    argv: tuple[str, ...]
    cwd: str
    commit: str
    backend: str
    reason: str = ""

    @property
    def ok(self) -> bool:
        """True when the process exited by itself with code 0."""
        return self.status is ProcessStatus.EXITED and self.exit_code == 0


class Profile(StrEnum):
    """What a sandbox is for. None of them has a network; *acquire*, which has one, runs no code at all.

    ``BUILD`` runs the build of a repository or of a source distribution; what it leaves in ``/out`` is
    harvested. ``EXECUTE`` runs tests. ``TOOL`` runs a pinned tool of ours over a checkout that is mounted
    read-only, without any of the repository's own caches.
    """

    BUILD = "build"
    EXECUTE = "execute"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class PythonRuntime:
    """A Python that a backend's sandboxes can run.

    ``version`` is ``(major, minor)``, ``path`` absolute inside the sandbox, ``host_path`` where the same
    interpreter lies on the host (None when it exists in an image only).
    """

    version: tuple[int, int]
    path: str
    host_path: str | None = None


@dataclass(frozen=True, slots=True)
class ReadOnlyMount:
    """A host directory that the sandbox sees at ``target`` and cannot write."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What a sandbox is opened over.

    Attributes:
        checkout: the exact checkout of one tree on the host; it stays byte-identical.
        commit: the commit that the checkout holds, copied into every result.
        mounts: further read-only directories, e.g. the toolchain.
        environment: variables added to the short fixed allow-list; nothing of the host's leaks in.
        limits: the default for commands that name none.
        profile: what the sandbox is for.
        python: the ``(major, minor)`` to run, one of the backend's ``interpreters``; None for its default.
    """

    checkout: Path
    commit: str
    mounts: tuple[ReadOnlyMount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = Limits()
    profile: Profile = Profile.EXECUTE
    python: tuple[int, int] | None = None


class ChangeKind(StrEnum):
    """What happened to one path of the overlay."""

    WRITTEN = "written"
    DELETED = "deleted"
    SPECIAL = "special"
    """A link, device, FIFO or socket: listed, never opened."""


@dataclass(frozen=True, slots=True)
class OverlayChange:
    """One path under ``/repo`` that differs from the checkout below.

    ``path`` is relative to ``/repo`` and decoded like ``os.fsdecode`` does. ``content`` is the new content,
    cut at the limit that was asked for, for ``WRITTEN`` files only.
    """

    path: str
    kind: ChangeKind
    content: bytes = b""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was copied out of ``/out``.

    ``files`` are the copied regular files, as POSIX paths below ``/out``, sorted; ``left_out`` pairs a path
    with the reason why it was not copied (a link, FIFO, device, socket, set-id bit dropped, over a limit).
    """

    files: tuple[str, ...]
    total_bytes: int
    left_out: tuple[tuple[str, str], ...] = ()


@runtime_checkable
class Sandbox(Protocol):
    """One open sandbox over one tree."""

    backend: str
    spec: SandboxSpec
    python: str
    """The interpreter inside, as an absolute path."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = REPO,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> CommandResult:
        """Run one command and wait for it and everything it started; a second call waits for the first.

        Never raises for what the command does: running out of anything is a status. Cancelling the
        call kills the command and all its descendants before the cancellation propagates.

        Raises:
            SandboxError: only when the sandbox was closed before the call.
        """
        ...

    async def write_file(self, path: str, content: bytes) -> None:
        """Write a file inside the sandbox, as the unprivileged user, parents included.

        Raises:
            SandboxError: the file could not be written (read-only place, no room, bad path).
        """
        ...

    async def read_file(self, path: str, *, limit_bytes: int) -> bytes:
        """Read at most ``limit_bytes`` of a regular file as seen inside the sandbox.

        Raises:
            SandboxError: there is no such regular file, or it is larger than the limit.
        """
        ...

    async def reset(self) -> None:
        """Replace the overlay and everything writable: no file and no process survives."""
        ...

    async def harvest(self, destination: Path, *, limit_bytes: int, limit_files: int) -> Harvest:
        """Copy ``/out`` to ``destination`` on the host, which must not exist, after every process is gone.

        Only directories and regular files are made, with modes 0755 and 0644 or 0755; nothing is written
        through a link, outside ``destination``, or beyond the limits.

        Raises:
            SandboxError: ``destination`` exists or cannot be written, or the sandbox is closed.
        """
        ...

    async def evidence_diff(self, *, limit_bytes: int = 1024**2) -> tuple[OverlayChange, ...]:
        """What the commands so far changed under ``/repo``, sorted by path; ``limit_bytes`` per file.

        By file, as git sees a tree: an empty folder is nothing, and a file with the content and executable
        bit of the checkout is no change.

        Raises:
            SandboxError: the changes cannot be listed within bounds of count, depth and time.
        """
        ...


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a self-check: what was tried, whether it holds, and what was seen."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What a backend proved about itself on this machine."""

    backend: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """True when every check holds."""
        return bool(self.checks) and all(check.passed for check in self.checks)


class Backend(Protocol):
    """One isolation technology."""

    name: str
    isolates: bool
    """False for debugging backends: ``auto`` never picks those."""

    @property
    def python(self) -> str:
        """A host path of the interpreter that its sandboxes run, to choose dependencies for it."""
        ...

    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of the interpreter that its sandboxes run."""
        ...

    @property
    def image_digest(self) -> str:
        """``sha256:…`` of the image that its sandboxes run; empty where they run the host's own programs."""
        ...

    def interpreters(self) -> tuple[PythonRuntime, ...]:
        """The Pythons that ``SandboxSpec.python`` may name, the default first."""
        ...

    async def self_check(self) -> SelfCheck:
        """Try, inside a real sandbox, that each promised limit is enforced; remembered once it passes."""
        ...

    def open(self, spec: SandboxSpec) -> AbstractAsyncContextManager[Sandbox]:
        """Open a sandbox; leaving the context removes every trace of it.

        Raises:
            SandboxUnavailableError: the technology does not work here; the message says why.
        """
        ...
