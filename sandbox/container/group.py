"""The control group that the engine made for a container, where this program may see and change it.

An engine's limits hold for a container's life; commands have limits of their own, and whether memory ran
out is known per command. Both are a file away for root on the same machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from repo_guardian.sandbox.bubblewrap.cgroup import CommandGroup
from repo_guardian.sandbox.execution import SUPERVISORS
from repo_guardian.sandbox.interface import Limits

_CONTROLLERS = ("memory", "pids")
_ESCAPED = re.compile(r"\\([0-7]{3})")


def _mounts() -> Iterator[tuple[str, Path, str, frozenset[str]]]:
    """``(file system, mount point, root, options)`` of each mounted hierarchy."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = (_ESCAPED.sub(lambda m: chr(int(m[1], 8)), text) for text in left.split(" ")[3:5])
            yield kind, Path(point), root, frozenset(options.split(","))


def _folders(pid: int) -> list[Path]:
    """The groups of a process that count memory and processes, in this order; fewer when not found."""
    paths: dict[str, str] = {}
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        paths.update(dict.fromkeys(names.split(","), path))
    found: list[Path] = []
    mounts = list(_mounts())
    for controller in _CONTROLLERS:
        for kind, point, root, options in mounts:
            name = "" if kind == "cgroup2" else controller
            if name not in paths or (kind == "cgroup" and controller not in options):
                continue
            folder = point / paths[name].removeprefix("" if root == "/" else root).lstrip("/")
            if (folder / f"{controller}.max").exists() or (folder / f"{controller}.limit_in_bytes").exists():
                found.append(folder)
                break
    return found


class ContainerGroup:
    """The group of one container."""

    def __init__(self, folders: list[Path]) -> None:
        self._group = CommandGroup(tuple(dict.fromkeys(folders)))
        self._processes = folders[-1] / "pids.max"

    @classmethod
    def of(cls, pid: int) -> ContainerGroup | None:
        """The group of the container whose first process is ``pid``, or None where it cannot be changed."""
        with suppress(OSError, ValueError):
            folders = _folders(pid)
            # A container is in a group of its own; anything at the top, or ours, is not that.
            own = _folders(os.getpid())
            if (
                folders != own
                and len(folders) == len(_CONTROLLERS)
                and all((f / "cgroup.procs").exists() for f in folders)
            ):
                group = cls(folders)
                group.limit(Limits(), disk_bytes=0)
                return group
        return None

    def limit(self, limits: Limits, *, disk_bytes: int) -> None:
        """Set the limits of the next command; what it writes to the sandbox's disk counts as memory.

        Raises:
            OSError: they cannot be set.
        """
        self._group.limit(limits, disk_bytes=disk_bytes)
        self._processes.write_text(str(limits.processes + SUPERVISORS))

    def kills(self) -> int:
        """How many processes were killed so far because memory was used up."""
        return self._group.kills()
