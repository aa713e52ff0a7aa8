"""Who began a cycle, and whether that process still lives.

A process id alone is reused, so it is kept with the process's start time (clock ticks since boot, field
22 of ``/proc/<pid>/stat``, see proc(5)) and the id of the boot. Where ``/proc`` is missing only the
process id can be asked, and a reused one then counts as alive: an interrupted cycle is found late, never
discarded early.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

_DEAD_STATES = ("Z", "X", "x")


class ProcessIdentity(BaseModel):
    """One process on this machine. ``start_ticks`` is 0 and ``boot_id`` empty where unknown."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    pid: int = Field(ge=1, le=2**31 - 1)
    start_ticks: int = Field(ge=0, le=2**63 - 1)
    boot_id: str = Field(max_length=64)

    def is_alive(self) -> bool:
        """Whether this very process, and not a later one of the same id, still runs."""
        if self.boot_id != boot_id():
            return False
        if not self.start_ticks:
            return _exists(self.pid)
        return _start_ticks(self.pid) == self.start_ticks


UNKNOWN_PROCESS = ProcessIdentity(pid=1, start_ticks=0, boot_id="unknown")
"""Stands for the process of a cycle where nothing is left that says which it was: it is not alive."""


def current_process() -> ProcessIdentity:
    """The identity of the calling process."""
    pid = os.getpid()
    return ProcessIdentity(pid=pid, start_ticks=_start_ticks(pid), boot_id=boot_id())


def boot_id() -> str:
    """The kernel's random id of this boot, empty where there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _start_ticks(pid: int) -> int:
    """The start time of a running process in clock ticks since boot; 0 when dead or unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0
    # The second field is the command name in brackets and may itself hold brackets and blanks.
    fields = stat.rpartition(b")")[2].split()
    if len(fields) < 20 or fields[0].decode("ascii", "replace") in _DEAD_STATES:
        return 0
    return int(fields[19])


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
