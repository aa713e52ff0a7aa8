"""The host's end of a holder: the folder over which a container is started, and what is read from it.

Everything that a container may write lies in one tmpfs below it, bounded in bytes and inodes, and is gone
with it. Root assembles it where every engine looks; an ordinary user in Podman's namespaces of that user.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.abc

from repo_guardian.errors import SandboxError, SandboxUnavailableError
from repo_guardian.sandbox.bubblewrap.evidence import parse_changes
from repo_guardian.sandbox.bubblewrap.namespace import UNPRIVILEGED_ID, is_root
from repo_guardian.sandbox.bubblewrap.seccomp import filter_program
from repo_guardian.sandbox.collection import HARVEST_SCRIPT, fresh_folder, harvest_of
from repo_guardian.sandbox.container.holder import dismantle
from repo_guardian.sandbox.container.image import COMPILED
from repo_guardian.sandbox.container.ownership import Owner
from repo_guardian.sandbox.container.rootless import (
    enter_command,
    runtime_folder,
    unshare_command,
    unshare_environment,
)
from repo_guardian.sandbox.execution import INSIDE_SCRIPTS, one_line
from repo_guardian.sandbox.interface import Harvest, OverlayChange, SandboxSpec
from repo_guardian.sandbox.interpreter import current_interpreter
from repo_guardian.sandbox.mounts import checked_mounts

ROOT = Path("/run/repo-guardian")
"""Where root's grounds lie; only root can look into it."""

CONTROL = "control"
"""The name of the socket beside our scripts."""

ETC = {
    "hosts": b"127.0.0.1 localhost\n::1 localhost\n",
    "hostname": b"guardian\n",
    "resolv.conf": b"",
}
"""Files that an engine would fill with facts about the host."""

_HOLDER = Path(__file__).with_name("holder.py")
_INIT = Path(__file__).with_name("init.py")
_DIFFERENCE = Path(__file__).parent.parent / "bubblewrap" / "difference.py"
_READY_S = 30.0
_CLOSE_S = 10.0
_ANSWER_S = 60.0
_TOTAL_BYTES = 64 * 1024**2
_MAX_PATHS = 50_000


class Ground:
    """The mounts of one container.

    Attributes:
        base: the folder, private to its owner, as the engine sees it.
        view: the same as this program sees it; the same path for root.
        mounts: ``(path inside, path on the host)`` of the further read-only directories.
    """

    def __init__(self, base: Path, mounts: tuple[tuple[str, Path], ...], process: anyio.abc.Process) -> None:
        self.base = self.view = base
        self.mounts = mounts
        self._enter: list[str] = []
        self._process = process

    @classmethod
    async def prepare(cls, spec: SandboxSpec, owner: Owner) -> Ground:
        """Mount everything that a container over ``spec`` needs.

        Raises:
            SandboxUnavailableError: this machine does not allow it.
            SandboxError: ``spec`` asks for a mount that cannot be.
        """
        mounts = checked_mounts(spec)
        base, owner_file = _claim(owner)
        pairs = [text for target, source in mounts for text in (target, str(source.resolve()))]
        # In its own namespaces a user owns the checkout already, as whoever runs the commands.
        identity = str(UNPRIVILEGED_ID) if is_root() else "-"
        command = [
            *([] if is_root() else unshare_command()),
            *(str(current_interpreter().host), "-I", "-S", str(_HOLDER), str(owner_file), COMPILED),
            *(str(base), str(spec.limits.disk_bytes), str(spec.limits.disk_inodes), identity),
            *(str(INSIDE_SCRIPTS), str(spec.checkout.resolve()), *pairs),
        ]
        environment = {"PATH": os.defpath} if is_root() else unshare_environment()
        with anyio.CancelScope(shield=True):  # so that there is something to stop when it is cancelled
            process = await anyio.open_process(command, env=environment, start_new_session=True)
        inside = tuple((target, base / "mounts" / str(index)) for index, (target, _) in enumerate(mounts))
        self = cls(base, inside, process)
        try:
            await self._await_ready()
            self._add_scripts()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self.close()
            raise
        return self

    async def _await_ready(self) -> None:
        assert self._process.stdout  # noqa: S101 - a pipe
        said = b""
        with anyio.move_on_after(_READY_S), suppress(anyio.EndOfStream):
            while b"\n" not in said:
                said += await self._process.stdout.receive()
        word, _, rest = said.decode("utf-8", "replace").strip().partition(" ")
        if word != "ready":
            reason = rest or "the holder did not answer"
            raise SandboxUnavailableError(
                f"cannot mount the sandbox's places: {reason}",
                hint="overlayfs is needed, and root's rights or a `podman unshare` that works",
            )
        if not is_root():
            self.view = Path(f"/proc/{int(rest)}/root") / self.base.relative_to("/")
            self._enter = enter_command(int(rest))

    def _add_scripts(self) -> None:
        # Engines mount the container's own control group there; nothing else of sysfs is shown.
        (self.view / "sys" / "fs" / "cgroup").mkdir(parents=True)
        for name, content in ETC.items():
            _publish(self.view / "etc" / name, content)
        folder = self.view / "guardian"
        _publish(folder / "init.py", _INIT.read_bytes())
        filter_text = filter_program()
        if filter_text is not None:
            _publish(folder / "filter.bpf", filter_text)

    async def changes(self, *, limit_bytes: int) -> tuple[OverlayChange, ...]:
        """What the upper layer changes; no process of the sandbox may be running.

        Raises:
            SandboxError: it cannot be listed within bounds (count, depth, time).
        """
        numbers = [str(number) for number in (limit_bytes, _TOTAL_BYTES, _MAX_PATHS)]
        places = [str(self.base / place) for place in ("lower", "disk/upper", "repo")]
        what = "the changes under /repo cannot be listed"
        output = await self._answer(_DIFFERENCE, [*places, *numbers], what)
        return tuple(sorted(parse_changes(output), key=lambda change: change.path))

    async def harvest(self, destination: Path, *, limit_bytes: int, limit_files: int) -> Harvest:
        """Copy the writable channel to ``destination``; no process of the sandbox may be running.

        Raises:
            SandboxError: ``destination`` exists or cannot be written.
        """
        with fresh_folder(destination) as folder:
            source = str(self.base / "disk" / "out")
            arguments = [source, str(folder), str(limit_bytes), str(limit_files)]
            what = f"cannot write {destination}"
            answer = json.loads(await self._answer(HARVEST_SCRIPT, arguments, what, pass_fds=(folder,)))
            return harvest_of(answer["files"], answer["bytes"], answer["left_out"])

    async def _answer(
        self, script: Path, arguments: Sequence[str], what: str, pass_fds: tuple[int, ...] = ()
    ) -> bytes:
        command = [*self._enter, str(current_interpreter().host), "-I", "-S", str(script), *arguments]
        try:
            with anyio.fail_after(_ANSWER_S):
                done = await anyio.run_process(
                    command, check=False, env={"PATH": os.defpath}, pass_fds=pass_fds, start_new_session=True
                )
        except TimeoutError:
            raise SandboxError(f"{what}: it takes too long", hint="reset the sandbox") from None
        if done.returncode != 0:
            said = one_line(done.stderr.decode("utf-8", "replace"))
            raise SandboxError(f"{what}: {said or done.returncode}")
        return done.stdout

    async def close(self) -> None:
        """Take everything away."""
        assert self._process.stdin  # noqa: S101 - a pipe
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(_CLOSE_S):
                await self._process.stdin.aclose()
                await self._process.wait()
            if self._process.returncode is None:
                self._process.kill()
            await self._process.aclose()
            dismantle(str(self.base), str(owner_file_of(self.base)))


def _publish(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o644)


def _grounds() -> Path:
    """The folder of all grounds of this user."""
    if not is_root():
        return runtime_folder()
    ROOT.mkdir(mode=0o700, exist_ok=True)
    return ROOT


def _claim(owner: Owner) -> tuple[Path, Path]:
    """A free place, and the file that says whose it is, written before anything else is there."""
    base = _grounds() / secrets.token_hex(8)
    owner_file = owner_file_of(base)
    owner_file.write_text(json.dumps(owner.labels()))
    return base, owner_file


def owner_file_of(base: Path) -> Path:
    """The file beside a ground that says whose it is."""
    return base.with_name(f"{base.name}.owner")


def sweep_grounds() -> list[Path]:
    """Remove grounds whose owner is gone and whose holder was killed; returns them."""
    swept: list[Path] = []
    for owner_file in _grounds().glob("*.owner"):
        with suppress(OSError, ValueError):
            owner = Owner.parse(json.loads(owner_file.read_text()))
            if owner is None or owner.gone():
                base = owner_file.with_suffix("")
                dismantle(str(base), str(owner_file))
                swept.append(base)
    return swept
