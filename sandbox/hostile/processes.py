"""Attacks by processes that will not end, that end others, or that play with time."""

from __future__ import annotations

from repo_guardian.sandbox.conformance.frame import LIMITS, demand, demand_status, output_of, summary
from repo_guardian.sandbox.hostile.frame import SHORT, Arena, Attack, refused
from repo_guardian.sandbox.interface import ProcessStatus

_SLACK_S = 8.0
"""A time-out may be late by this much on a loaded machine, and by no more."""

_DEAF = """
import signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(60)
"""
_DAEMON = """
import os, signal, sys, time
def beat():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    {close}
    while True:
        with open("/tmp/beat", "a") as stream:
            stream.write("x")
        time.sleep(0.01)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        beat()
    os._exit(0)
os.wait()
while not os.path.exists("/tmp/beat"):
    time.sleep(0.01)
"""
_STOPPER = """
import os, signal, time
victims = [os.getppid(), 1]
if os.fork() == 0:
    os.setsid()
    while True:
        for pid in victims:
            try:
                os.kill(pid, signal.SIGSTOP)
            except OSError:
                pass
        time.sleep(0.01)
time.sleep(0.2)
"""
_PULSE = """
import os, signal, time
child = os.getpid()
if os.fork() == 0:
    while True:
        os.kill(child, signal.SIGSTOP); time.sleep(0.05)
        os.kill(child, signal.SIGCONT); time.sleep(0.05)
while True:
    time.sleep(60)
"""
_CLOCK = """
import ctypes, time
class Pair(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("rest", ctypes.c_long)]
future = ctypes.byref(Pair(4_000_000_000, 0))
for clock in range(12):
    attempt(f"clock {clock}", lambda: libc.clock_settime(clock, future))
attempt("settimeofday", lambda: libc.settimeofday(future, None))
attempt("adjtimex", lambda: -1 if libc.adjtimex(ctypes.create_string_buffer(b"\\x01\\x40", 256)) < 0 else 0)
def shift():
    with open("/proc/self/timens_offsets", "wb", buffering=0) as stream:
        stream.write(b"monotonic 86400 0")
attempt("clock namespace", shift)
for name in ("/dev/rtc", "/dev/rtc0", "/proc/driver/rtc"):
    attempt(name, lambda: os.close(os.open(name, os.O_WRONLY)))
"""
_CORE = """
import os, resource
for wanted in (resource.RLIM_INFINITY, 1 << 30, 1):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (wanted, wanted))
    except (OSError, ValueError):
        pass
os.abort()
"""
_FAKED = """
import signal, time
time.time = time.monotonic = time.perf_counter = lambda: 0.0
signal.setitimer(signal.ITIMER_REAL, 0)
deadline = 1.0
while time.monotonic() < deadline:
    time.sleep(0.05)
"""


async def _still(arena: Arena) -> bool:
    first = await output_of(arena.sandbox, "stat", "--format=%s", "/tmp/beat")  # noqa: S108 - inside
    await output_of(arena.sandbox, "sleep", "0.1")
    return first == await output_of(arena.sandbox, "stat", "--format=%s", "/tmp/beat")  # noqa: S108 - inside


def _daemon(name: str, close: str) -> Attack:
    async def run(arena: Arena) -> tuple[ProcessStatus, str]:
        result = await arena.python(_DAEMON.format(close=close))
        demand_status(result, ProcessStatus.EXITED)
        demand(result.duration_s < LIMITS.wall_s - 5, "its command was kept from ending")
        demand(await _still(arena), "it outlived its command")
        return result.status, "dead with its command"

    return Attack(name, run)


def _on_time(name: str, code: str, **environment: str) -> Attack:
    async def run(arena: Arena) -> tuple[ProcessStatus, str]:
        argv = [arena.sandbox.python, "-c", code]
        result = await arena.sandbox.run(argv, limits=SHORT, environment=environment)
        demand_status(result, ProcessStatus.TIMED_OUT)
        late = result.duration_s - SHORT.wall_s
        demand(-0.1 <= late < _SLACK_S, f"stopped after {result.duration_s:.1f} s")
        return result.status, "stopped by the host's clock"

    return Attack(name, run)


async def stopped_supervisor(arena: Arena) -> tuple[ProcessStatus, str]:
    """Whoever stops the processes that stand above the command only stops itself."""
    result = await arena.python(_STOPPER, limits=SHORT)
    demand_status(result, ProcessStatus.TIMED_OUT, ProcessStatus.EXITED, ProcessStatus.SIGNALED)
    return result.status, summary(result)


async def kill_everything(arena: Arena) -> tuple[ProcessStatus, str]:
    """Signals to all that can be reached are not taken for a fault of the sandbox, nor for a good end."""
    seen = []
    for code in (
        "os.kill(-1, 9)",
        "os.kill(os.getppid(), 9)",
        "os.kill(os.getppid(), 2)",
        "os.kill(1, 9)",
        "os.killpg(os.getpgid(os.getppid()), 9)",
        "os.kill(0, 9)",
    ):
        result = await arena.python(
            f"import os, sys\ntry:\n    {code}\nfinally:\n    os._exit(3)", limits=SHORT
        )
        demand_status(result, ProcessStatus.SIGNALED, ProcessStatus.EXITED)
        demand(not result.ok, f"it ended well: {summary(result)}")
        seen.append(summary(result))
    return result.status, ", ".join(dict.fromkeys(seen))


async def core_dump(arena: Arena) -> tuple[ProcessStatus, str]:
    """A crash leaves no core file, whatever the command does to its limit."""
    result = await arena.python(_CORE, limits=SHORT)
    demand_status(result, ProcessStatus.SIGNALED)
    demand(await arena.sandbox.evidence_diff() == (), "a core file was written")
    return result.status, summary(result)


ATTACKS = (
    _on_time("deaf_to_signals", _DEAF),
    _daemon("daemon", "os.closerange(0, 64)"),
    _daemon("daemon_that_keeps_the_output", "pass"),
    Attack("kill_everything", kill_everything),
    _on_time("stops_itself", "import os\nos.kill(os.getpid(), 19)"),
    _on_time("stops_and_goes_on", _PULSE),
    Attack("stopped_supervisor", stopped_supervisor),
    refused("set_clocks", _CLOCK, "no clock was set"),
    _on_time("faked_clocks", _FAKED, FAKETIME="-10y", LD_PRELOAD="libfaketime.so.1", FAKETIME_RATE="0"),
    Attack("core_dump", core_dump),
)
