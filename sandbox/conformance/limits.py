"""Cases: every limit is enforced, is told apart where that is possible, and harms no later command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from repo_guardian.sandbox.conformance.frame import (
    LIMITS,
    Case,
    demand,
    demand_status,
    output_of,
    python,
    summary,
)
from repo_guardian.sandbox.interface import ProcessStatus, Sandbox

_FORK = """
import os, time
made = 0
try:
    while made < 100:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made, flush=True)
"""
_THREADS = """
import threading, time
made = 0
try:
    while made < 100:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
import os
print(made, flush=True)
os._exit(0)
"""
_BEAT = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import signal
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        while True:
            with open("/tmp/beat", "a") as stream:
                stream.write("x")
            time.sleep(0.01)
    os._exit(0)
time.sleep(float(sys.argv[1]))
"""


async def _usable(sandbox: Sandbox) -> None:
    demand((await output_of(sandbox, "echo", "ok")) == "ok\n", "the next command does not work")


async def wall_clock(sandbox: Sandbox, _: Path) -> str:
    """A command that ignores signals ends at the wall-clock limit."""
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    result = await python(sandbox, code, limits=replace(LIMITS, wall_s=0.5))
    demand_status(result, ProcessStatus.TIMED_OUT)
    demand(result.duration_s < 10, f"it ended after {result.duration_s:.1f} s")
    await _usable(sandbox)
    return "stopped at the wall-clock limit"


async def cpu_time(sandbox: Sandbox, _: Path) -> str:
    """A busy loop ends at the CPU limit."""
    result = await python(sandbox, "while True: pass", limits=replace(LIMITS, cpu_s=1))
    demand_status(result, ProcessStatus.TIMED_OUT)
    return "stopped at the CPU limit"


async def memory(sandbox: Sandbox, _: Path) -> str:
    """A process cannot hold more than the memory limit."""
    amount = 2 * LIMITS.memory_bytes
    result = await python(sandbox, f"held = bytearray({amount}); print('held')")
    demand(b"held" not in result.stdout, f"{amount} bytes were held under a limit of {LIMITS.memory_bytes}")
    demand_status(result, ProcessStatus.EXITED, ProcessStatus.SIGNALED, ProcessStatus.OUT_OF_MEMORY)
    await _usable(sandbox)
    return f"an allocation of twice the limit ended as {summary(result)}"


async def memory_together(sandbox: Sandbox, _: Path) -> str:
    """Several processes, each below the memory limit: says whether they are bounded together."""
    each = LIMITS.memory_bytes // 2
    code = f"""
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = bytearray({each})
        time.sleep(0.3)
        os._exit(0)
for _ in range(4):
    os.wait()
"""
    result = await python(sandbox, code)
    await _usable(sandbox)
    if result.status is ProcessStatus.OUT_OF_MEMORY:
        return "bounded together by a control group"
    demand_status(result, ProcessStatus.EXITED)
    return "bounded one by one: no control group can be made here"


async def processes(sandbox: Sandbox, _: Path) -> str:
    """Processes beyond the limit are not created."""
    made = int((await output_of(sandbox, sandbox.python, "-c", _FORK)).split()[0])
    demand(0 < made <= LIMITS.processes, f"{made} children under a limit of {LIMITS.processes}")
    await _usable(sandbox)
    return f"{made} children under a limit of {LIMITS.processes}"


async def threads(sandbox: Sandbox, _: Path) -> str:
    """Threads count as processes."""
    made = int((await output_of(sandbox, sandbox.python, "-c", _THREADS)).split()[0])
    demand(0 < made <= LIMITS.processes, f"{made} threads under a limit of {LIMITS.processes}")
    return f"{made} threads under a limit of {LIMITS.processes}"


async def fork_bomb(sandbox: Sandbox, _: Path) -> str:
    """A fork bomb is stopped and the next command works."""
    code = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    result = await python(sandbox, code, limits=replace(LIMITS, wall_s=1.0))
    demand_status(result, ProcessStatus.TIMED_OUT)
    await _usable(sandbox)
    return "stopped, and the next command worked"


async def file_size(sandbox: Sandbox, _: Path) -> str:
    """No file grows past the file-size limit."""
    code = "stream = open('big', 'wb')\nwhile True: stream.write(bytes(1 << 16)); stream.flush()"
    result = await python(sandbox, code)
    demand_status(result, ProcessStatus.SIGNALED, ProcessStatus.EXITED)
    size = int(await output_of(sandbox, "stat", "--format=%s", "big"))
    demand(size <= LIMITS.file_size_bytes, f"a file of {size} bytes")
    return f"a file stopped growing at {size} bytes"


async def disk_bytes(sandbox: Sandbox, _: Path) -> str:
    """All writable places together hold no more than the disk limit."""
    code = """
import errno, os, sys
total = 0
for folder in ("/repo", "/tmp", "/out", "/dev/shm"):
    for index in range(64):
        try:
            with open(f"{folder}/fill{index}", "wb", buffering=0) as stream:
                total += stream.write(bytes(1 << 20))
        except OSError as error:
            sys.stderr.write(f"{folder}: {errno.errorcode[error.errno]}\\n")
            break
print(total)
"""
    total = int(await output_of(sandbox, sandbox.python, "-c", code))
    demand(0 < total <= LIMITS.disk_bytes, f"{total} bytes under a limit of {LIMITS.disk_bytes}")
    await _usable(sandbox)
    await sandbox.reset()
    await sandbox.write_file("/repo/after", b"x")
    return f"{total} bytes under a limit of {LIMITS.disk_bytes}"


async def disk_inodes(sandbox: Sandbox, _: Path) -> str:
    """No more files can be made than the limit says."""
    code = """
made = 0
try:
    while made < 5000:
        open(f"/repo/file{made}", "x").close()
        made += 1
except OSError:
    pass
print(made)
"""
    made = int(await output_of(sandbox, sandbox.python, "-c", code))
    demand(0 < made <= LIMITS.disk_inodes, f"{made} files under a limit of {LIMITS.disk_inodes}")
    return f"{made} files under a limit of {LIMITS.disk_inodes}"


async def output(sandbox: Sandbox, _: Path) -> str:
    """Output past the limit is dropped and marked, and does not stop the command."""
    code = "import sys\nfor _ in range(100): print('x' * 10000)\nsys.stderr.write('e')\nsys.exit(3)"
    result = await python(sandbox, code)
    demand(result.exit_code == 3, summary(result))
    demand(result.stdout_truncated and len(result.stdout) == LIMITS.output_bytes, "stdout is not cut there")
    demand(result.stderr == b"e" and not result.stderr_truncated, "stderr was touched")
    endless = await sandbox.run(["sh", "-c", "yes"], limits=replace(LIMITS, wall_s=0.5))
    demand_status(endless, ProcessStatus.TIMED_OUT)
    demand(endless.stdout_truncated, "endless output is not marked")
    return f"cut at {LIMITS.output_bytes} bytes"


async def descendants(sandbox: Sandbox, _: Path) -> str:
    """A double-forked daemon dies with its command, both on time-out and on a normal end."""
    for seconds, wall_s in (("60", 0.3), ("0.1", 20.0)):
        await python(sandbox, _BEAT, seconds, limits=replace(LIMITS, wall_s=wall_s))
        first = await output_of(sandbox, "stat", "--format=%s", "/tmp/beat")  # noqa: S108 - inside
        await output_of(sandbox, "sleep", "0.1")
        second = await output_of(sandbox, "stat", "--format=%s", "/tmp/beat")  # noqa: S108 - inside
        demand(int(first) > 0 and first == second, "a daemon outlived its command")
    return "a double-forked daemon died with its command"


CASES = (
    Case("memory", memory, fast=True),
    Case("memory_together", memory_together, isolation=True, fast=True),
    Case("processes", processes, isolation=True, fast=True),
    Case("file_size", file_size, fast=True),
    Case("disk_bytes", disk_bytes, isolation=True, fast=True),
    Case("disk_inodes", disk_inodes, isolation=True, fast=True),
    Case("descendants", descendants, isolation=True, fast=True),
    Case("wall_clock", wall_clock),
    Case("cpu_time", cpu_time),
    Case("output", output),
    Case("threads", threads, isolation=True),
    Case("fork_bomb", fork_bomb, isolation=True),
)
