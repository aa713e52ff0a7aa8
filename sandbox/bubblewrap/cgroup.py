"""A control group for the commands of one sandbox, where this program may make one.

``RLIMIT_AS`` bounds each process, so that sixty of them may hold sixty times as much, and it counts
address space, of which thread pools reserve far more than they use. A memory group bounds what all hold
together, lets the other limit be wide, and tells an out-of-memory kill from any other (``oom_kill`` in
``memory.events``, v1: ``memory.oom_control``). It is an addition: without one the per-process limits stand.

Both versions of the kernel's interface are served (Documentation/admin-guide/cgroup-v2.rst and
cgroup-v1/memory.rst); v2 wants a place whose ``cgroup.subtree_control`` lists memory and pids, which root
finds on a systemd host and a user in a delegated unit.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.sandbox.interface import Limits

_PREFIX = "repo-guardian"
_CONTROLLERS = ("memory", "pids")
_SPARE_PROCESSES = 8
"""Ours that enter the group on the way to the command."""

_JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'
_REMOVE_S = 0.5
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class _Mounted:
    """One mounted hierarchy: its folder for this process, and the controllers of v1 (none for v2)."""

    folder: Path
    controllers: frozenset[str]


def _own_paths() -> dict[str, str]:
    """The group of this process by controller; the empty name is v2's."""
    paths: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        paths.update(dict.fromkeys(names.split(","), path))
    return paths


def _hierarchies() -> Iterator[_Mounted]:
    own = _own_paths()
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        root, mount_point = (_ESCAPED.sub(lambda m: chr(int(m[1], 8)), f) for f in left.split(" ")[3:5])
        controllers = (
            frozenset(options.split(",")) & frozenset(_CONTROLLERS) if kind == "cgroup" else frozenset()
        )
        name = "" if kind == "cgroup2" else min(controllers, default=None)
        if name is None or name not in own or kind not in ("cgroup", "cgroup2"):
            continue
        inner = own[name] if root == "/" else own[name].removeprefix(root)
        yield _Mounted(Path(mount_point) / inner.lstrip("/"), controllers)


def _places() -> Iterator[tuple[Path, ...]]:
    """Where a group may be made: for each try, the parent folders, together with all controllers."""
    mounted = list(_hierarchies())
    for hierarchy in mounted:
        if hierarchy.controllers:
            continue
        for folder in (hierarchy.folder, hierarchy.folder.parent):
            with suppress(OSError):
                if set(_CONTROLLERS) <= set((folder / "cgroup.subtree_control").read_text().split()):
                    yield (folder,)
    folders = {name: h.folder for h in mounted for name in h.controllers}
    if set(_CONTROLLERS) <= folders.keys():
        yield tuple(dict.fromkeys(folders[name] for name in _CONTROLLERS))


class CommandGroup:
    """The group of one sandbox's commands."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders
        self._memory = folders[0]
        self._unified = (folders[0] / "memory.max").exists()

    @classmethod
    def create(cls) -> CommandGroup | None:
        """A new group, or None where none can be made or its limits cannot be set."""
        name = f"{_PREFIX}-{os.getpid()}-{secrets.token_hex(4)}"
        with suppress(OSError, ValueError):
            for parents in _places():
                made: list[Path] = []
                try:
                    for parent in parents:
                        _sweep(parent)
                        (parent / name).mkdir()
                        made.append(parent / name)
                    group = cls(tuple(made))
                    group.limit(Limits(), disk_bytes=0)
                except OSError:
                    _remove(made)
                    continue
                return group
        return None

    def limit(self, limits: Limits, *, disk_bytes: int) -> None:
        """Set the limits of the next command.

        What it writes into the sandbox's tmpfs counts as its memory, hence ``disk_bytes`` on top.

        Raises:
            OSError: they cannot be set.
        """
        amount = str(limits.memory_bytes + disk_bytes)
        if self._unified:
            (self._memory / "memory.max").write_text(amount)
            with suppress(OSError):  # absent without swap
                (self._memory / "memory.swap.max").write_text("0")
        else:
            self._limit_v1(amount)
        pids = self._folders[-1] / "pids.max"
        pids.write_text(str(limits.processes + _SPARE_PROCESSES))

    def _limit_v1(self, amount: str) -> None:
        # memory.memsw must never be below memory: widen it, set one, then narrow it to the same.
        with suppress(OSError):
            (self._memory / "memory.memsw.limit_in_bytes").write_text("-1")
        (self._memory / "memory.limit_in_bytes").write_text(amount)
        with suppress(OSError):  # absent without swap accounting
            (self._memory / "memory.memsw.limit_in_bytes").write_text(amount)

    def enter(self, command: list[str]) -> list[str]:
        """The command line that joins the group and becomes ``command``; for the host's view of files."""
        return ["/bin/sh", "-c", _JOIN, "sh", *map(str, self._folders), "--", *command]

    def kills(self) -> int:
        """How many processes were killed so far because the group's memory was used up."""
        name = "memory.events" if self._unified else "memory.oom_control"
        with suppress(OSError, ValueError):
            for line in (self._memory / name).read_text().splitlines():
                word, _, number = line.partition(" ")
                if word == "oom_kill":
                    return int(number)
        return 0

    def remove(self) -> None:
        """Remove the group; its processes must be gone."""
        _remove(self._folders)


def _remove(folders: tuple[Path, ...] | list[Path]) -> None:
    deadline = time.monotonic() + _REMOVE_S
    for folder in folders:
        while folder.exists():
            with suppress(OSError):
                folder.rmdir()
                break
            if time.monotonic() > deadline:
                return  # swept by the next program that makes a group here
            time.sleep(0.005)


def _sweep(parent: Path) -> None:
    """Remove the groups of programs that were killed; one that is in use resists."""
    for folder in parent.glob(f"{_PREFIX}-*-*"):
        owner = folder.name.split("-")[-2]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            with suppress(OSError):
                folder.rmdir()
