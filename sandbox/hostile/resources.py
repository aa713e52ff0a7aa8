"""Attacks that use up what a command may use: processes, memory, time, descriptors."""

from __future__ import annotations

from dataclasses import replace

from repo_guardian.sandbox.conformance.frame import LIMITS, demand, demand_status, summary
from repo_guardian.sandbox.hostile.frame import SHORT, Arena, Attack, counted, ended, refused
from repo_guardian.sandbox.interface import ProcessStatus

_STARVED = (ProcessStatus.OUT_OF_MEMORY, ProcessStatus.SIGNALED, ProcessStatus.EXITED)

_THREADS = """
import os, threading, time
made = 0
try:
    while made < 5000:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        made += 1
except (RuntimeError, MemoryError):
    pass
os.write(1, str(made).encode())
os._exit(0)
"""
_MEMORY = """
held = []
while True:
    held.append(bytearray(1 << 20))
    if len(held) == {limit}:
        print("held", flush=True)
"""
_SHARED = """
import mmap, os
pages = mmap.mmap(-1, {amount})
for offset in range(0, {amount}, 4096):
    pages[offset] = 1
print("held", flush=True)
"""
_MEMFD = """
import ctypes, os
fd = os.memfd_create("hog")
for _ in range({limit}):
    os.write(fd, bytes(1 << 20))
print("held", flush=True)
"""
_CHILDREN = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = bytearray({each})
        time.sleep(0.5)
        os._exit(0)
codes = [os.wait()[1] for _ in range(8)]
print("all held" if not any(codes) else "some failed", flush=True)
"""
_DESCRIPTORS = """
import os
made = 0
try:
    while True:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, bytes(4096))
        except BlockingIOError:
            made += 1
except OSError:
    print(made, flush=True)
"""
_ZOMBIES = """
import os
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            os._exit(0)
        made += 1
except OSError:
    pass
os.write(1, str(made).encode())
"""
_RAISE = """
import resource
for name in ("AS", "CPU", "FSIZE", "NPROC", "NOFILE", "CORE", "MEMLOCK", "MSGQUEUE", "RTPRIO", "NICE"):
    number = getattr(resource, "RLIMIT_" + name, None)
    if number is None:
        continue
    hard = resource.getrlimit(number)[1]
    if hard == resource.RLIM_INFINITY:
        continue
    for pid in (0, os.getppid()):
        before = resource.prlimit(pid, number)[1]
        if before == resource.RLIM_INFINITY:  # lowered for all of it, should it succeed
            continue
        try:
            attempt(f"{name} of {pid}", lambda: resource.prlimit(pid, number, (before + 1, before + 1)))
        except ValueError:  # how a limit above the hard one is refused for the process itself
            pass
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
"""


async def thread_flood(arena: Arena) -> tuple[ProcessStatus, str]:
    """Threads without end stop at the process limit."""
    result = await arena.python(_THREADS)
    made = counted(result)
    demand(0 < made <= LIMITS.processes, f"{made} threads under a limit of {LIMITS.processes}")
    return result.status, f"{made} threads"


async def zombie_flood(arena: Arena) -> tuple[ProcessStatus, str]:
    """Children that nobody waits for stop at the process limit, and are gone afterwards."""
    result = await arena.python(_ZOMBIES)
    made = counted(result)
    demand(0 < made <= LIMITS.processes, f"{made} zombies under a limit of {LIMITS.processes}")
    return result.status, f"{made} zombies"


def _starving(name: str, code: str) -> Attack:
    async def run(arena: Arena) -> tuple[ProcessStatus, str]:
        limit = 2 * LIMITS.memory_bytes
        result = await arena.python(code.format(limit=limit >> 20, amount=limit), limits=LIMITS)
        demand(b"held" not in result.stdout, f"{limit} bytes under a limit of {LIMITS.memory_bytes}")
        demand_status(result, *_STARVED)
        demand(not result.ok, "it ended well")
        told = result.status is ProcessStatus.OUT_OF_MEMORY
        return result.status, "told as out of memory" if told else f"an error of its own: {summary(result)}"

    return Attack(name, run)


async def memory_of_children(arena: Arena) -> tuple[ProcessStatus, str]:
    """Eight processes of half the limit each: bounded together where a control group can be made."""
    result = await arena.python(_CHILDREN.format(each=LIMITS.memory_bytes // 2))
    if result.status is ProcessStatus.OUT_OF_MEMORY or b"some failed" in result.stdout:
        return result.status, "bounded together"
    demand_status(result, ProcessStatus.EXITED)
    return result.status, "each bounded alone, at most by limit times processes: no control group here"


async def descriptor_flood(arena: Arena) -> tuple[ProcessStatus, str]:
    """Pipes filled with data, which no process limit counts, stop at the descriptor limit."""
    result = await arena.python(_DESCRIPTORS)
    made = counted(result)
    demand(0 < made < 5000, f"{made} full pipes")
    return result.status, f"{made} full pipes"


ATTACKS = (
    ended(
        "fork_bomb",
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        *(ProcessStatus.TIMED_OUT, ProcessStatus.OUT_OF_MEMORY),
    ),
    Attack("thread_flood", thread_flood),
    Attack("zombie_flood", zombie_flood),
    _starving("memory_hog", _MEMORY),
    _starving("shared_memory_hog", _SHARED),
    _starving("memfd_hog", _MEMFD),
    Attack("memory_of_children", memory_of_children),
    Attack("descriptor_flood", descriptor_flood),
    ended(
        "busy_children",
        "import os\nfor _ in range(3):\n    os.fork()\nwhile True:\n    pass",
        ProcessStatus.TIMED_OUT,
        limits=replace(SHORT, cpu_s=1),
    ),
    refused("raised_limits", _RAISE, "no limit was raised"),
)
