"""Whose a container or a folder of ours is, so that only what a dead owner left is swept."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PREFIX = "repo-guardian."
LABEL = f"{PREFIX}pid"
"""The label that every container of ours carries."""

_FIELDS = ("pid", "started", "boot", "namespace", "deadline")


def _started(pid: int) -> str:
    """When a process started, in clock ticks since boot (field 22 of proc(5) stat); empty when it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    # The second field is the program's name, in parentheses, and may hold anything.
    state, *fields = text.rpartition(")")[2].split()
    return "" if state in "ZX" else fields[18]


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, told apart from a later one with the same number.

    Attributes:
        pid: its number.
        started: its start, in clock ticks since boot.
        boot: the kernel's boot identifier.
        namespace: the PID namespace that ``pid`` counts in.
        deadline: when what it owns may go in any case, in seconds since 1970.
    """

    pid: int
    started: str
    boot: str
    namespace: str
    deadline: int

    @classmethod
    def current(cls, lifetime_s: float) -> Owner:
        """The running process, with a deadline ``lifetime_s`` from now."""
        pid = os.getpid()
        return cls(pid, _started(pid), _boot(), _namespace(), int(time.time() + lifetime_s))

    @classmethod
    def parse(cls, labels: Mapping[str, str]) -> Owner | None:
        """From the labels of a container, or None when they are not whole."""
        values = [labels.get(PREFIX + name, "") for name in _FIELDS]
        pid, started, boot, namespace, deadline = values
        if not (all(values) and pid.isdecimal() and deadline.isdecimal()):
            return None
        return cls(int(pid), started, boot, namespace, int(deadline))

    def labels(self) -> dict[str, str]:
        """As labels of a container."""
        return {PREFIX + name: str(getattr(self, name)) for name in _FIELDS}

    def gone(self) -> bool:
        """Whether what it owns is nobody's any more.

        A process that counts in another PID namespace cannot be looked up; only the deadline decides then.
        """
        if self.boot != _boot() or time.time() > self.deadline:
            return True
        return self.namespace == _namespace() and _started(self.pid) != self.started


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").readlink())
