"""The host's end of a keeper: starts it, enters its namespaces, and ends it.

``unshare`` gives the keeper a mount and a PID namespace (and, for an ordinary user, a user namespace that
makes mounting possible); ``nsenter`` leads each command into them. See ``keeper.py`` for what it holds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from repo_guardian.errors import SandboxError, SandboxUnavailableError
from repo_guardian.sandbox.execution import INSIDE_SCRIPTS, one_line
from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.interpreter import current_interpreter

UNPRIVILEGED_ID = 65534
"""User and group that commands run as when the program is root, and always as seen inside."""

BASE = "/sys"
"""Where a keeper assembles everything, in its own view of the file system only: a folder that every Linux
host has, that no checkout lies under, and that nothing in the keeper's namespaces needs."""

SEARCH_PATH = f"{os.defpath}:/usr/sbin:/sbin:/usr/local/bin"
"""Where the host's programs are looked for; never the caller's ``PATH``."""

_KEEPER = Path(__file__).with_name("keeper.py")
_READY_S = 30.0
_SETTLE_S = 20.0
_CLOSE_S = 10.0
_LINE_BYTES = 4096
_PACKAGES = {"bwrap": "bubblewrap", "unshare": "util-linux", "nsenter": "util-linux", "setpriv": "util-linux"}


def find_program(name: str) -> str:
    """The absolute path of a host program.

    Raises:
        SandboxUnavailableError: it is not installed; the hint names the package.
    """
    found = shutil.which(name, path=SEARCH_PATH)
    if found is None:
        raise SandboxUnavailableError(f"{name} is not installed", hint=f"apt-get install {_PACKAGES[name]}")
    return found


def is_root() -> bool:
    """True when this program may become another user; commands then run as ``UNPRIVILEGED_ID``."""
    return os.geteuid() == 0


@dataclass(frozen=True, slots=True)
class Layout:
    """What a keeper assembles.

    ``mounts`` are ``(inside path, host path)`` pairs of read-only directories, in the order in which the
    keeper numbers them; an empty inside path only offers the compiled Python below the host path.
    """

    checkout: Path
    limits: Limits
    mounts: tuple[tuple[str, Path], ...]

    def arguments(self) -> list[str]:
        """The positional arguments of ``keeper.py``."""
        pairs = [text for target, source in self.mounts for text in (target, str(source.resolve()))]
        return [
            BASE,
            str(self.limits.disk_bytes),
            str(self.limits.disk_inodes),
            str(UNPRIVILEGED_ID) if is_root() else "-",
            str(INSIDE_SCRIPTS),
            str(self.checkout.resolve()),
            *pairs,
        ]


class Namespace:
    """One running keeper."""

    def __init__(self, process: anyio.abc.Process, pid: int) -> None:
        self._process = process
        self._pid = pid
        self._closed = False
        assert process.stdin and process.stdout  # noqa: S101 - both are pipes
        self._stdin, self._lines = process.stdin, BufferedByteReceiveStream(process.stdout)

    @classmethod
    async def start(cls, layout: Layout) -> Namespace:
        """Start a keeper and wait until everything is mounted.

        Raises:
            SandboxUnavailableError: this machine does not allow it; the message says what failed.
        """
        unshare = find_program("unshare")
        user = [] if is_root() else ["--user", "--map-root-user"]
        command = [
            *(unshare, *user, "--mount", "--pid", "--fork", "--kill-child"),
            *(str(current_interpreter().host), "-I", "-S", str(_KEEPER), *layout.arguments()),
        ]
        with anyio.CancelScope(shield=True):  # so that there is something to stop when it is cancelled
            process = await anyio.open_process(command, env={"PATH": os.defpath}, start_new_session=True)
        self = cls(process, 0)
        try:
            with anyio.fail_after(_READY_S):
                self._pid = int(await self._answer("ready"))
        except BaseException as error:
            with anyio.CancelScope(shield=True):
                said = await _stop(process)
            if isinstance(error, TimeoutError | SandboxError):
                reason = getattr(error, "message", "") or "it did not answer"
                raise SandboxUnavailableError(
                    f"cannot set up namespaces: {said or reason}",
                    hint="bubblewrap needs user namespaces and overlayfs; see `guardian sandbox doctor`",
                ) from error
            raise
        return self

    async def _answer(self, expected: str) -> str:
        try:
            line = await self._lines.receive_until(b"\n", _LINE_BYTES)
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound) as error:
            raise SandboxError("the keeper ended") from error
        word, _, rest = line.decode("utf-8", "replace").partition(" ")
        if word != expected:
            raise SandboxError(rest or line.decode("utf-8", "replace"))
        return rest

    async def settle(self) -> None:
        """Kill every process of the sandbox and wait until none is left.

        Raises:
            SandboxError: the keeper is gone or a process resists; the namespace must not be used again.
        """
        try:
            with anyio.fail_after(_SETTLE_S):
                await self._stdin.send(b"settle\n")
                await self._answer("settled")
        except (TimeoutError, OSError, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise SandboxError("the keeper does not answer", hint="reset the sandbox") from error

    def enter(self, command: Sequence[str], *, privileged: bool = False) -> list[str]:
        """The command line that runs ``command`` in the namespaces.

        ``privileged`` keeps the rights that the keeper has; without it root steps down first, since the
        kernel enforces no process limit on user 0.
        """
        enter = [find_program("nsenter"), "--target", str(self._pid), "--mount", "--pid"]
        if not is_root():
            enter += ["--user", "--preserve-credentials"]
        enter += ["--"]
        if is_root() and not privileged:
            identity = str(UNPRIVILEGED_ID)
            enter += [find_program("setpriv"), "--reuid", identity, "--regid", identity]
            enter += ["--clear-groups", "--no-new-privs", "--"]
        return [*enter, *command]

    async def close(self) -> None:
        """End the keeper; when this returns, the kernel has killed all that ran and dropped all mounts."""
        if not self._closed:
            self._closed = True
            await _stop(self._process)


async def _stop(process: anyio.abc.Process) -> str:
    """End ``process`` by closing its input, else by force; returns the last line it said on stderr."""
    said = b""
    assert process.stdin and process.stderr  # noqa: S101 - both are pipes
    with anyio.move_on_after(_CLOSE_S):
        with suppress(OSError, anyio.BrokenResourceError):
            await process.stdin.aclose()
        async for chunk in process.stderr:
            said = (said + chunk)[-_LINE_BYTES:]
        await process.wait()
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            process.kill()
        await process.aclose()
    return one_line(said.decode("utf-8", "replace"))
