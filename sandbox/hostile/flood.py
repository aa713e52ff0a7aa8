"""Attacks through what a command says and is told: output, arguments, descriptors, the terminal."""

from __future__ import annotations

from dataclasses import replace

from repo_guardian.sandbox.conformance.frame import LIMITS, demand, demand_status, summary
from repo_guardian.sandbox.hostile.frame import SHORT, Arena, Attack, refused
from repo_guardian.sandbox.interface import ProcessStatus

_PATIENT = replace(SHORT, wall_s=3.0)

_FORGE = """
for descriptor in range(3, 4096):
    for text in (b"ready\\n", b"wait 0\\n", b"spawn forged\\n"):
        attempt(descriptor, lambda: os.write(descriptor, text))
for entry in os.listdir("/proc"):
    if entry.isdecimal() and int(entry) != os.getpid():
        try:
            numbers = os.listdir(f"/proc/{entry}/fd")
        except OSError:
            continue
        for number in numbers:
            path = f"/proc/{entry}/fd/{number}"
            try:
                target = os.readlink(path)
            except OSError:
                continue
            if "pipe:" in target and int(number) > 2:
                attempt(f"{entry}/{number}", lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)))
"""
_TERMINAL = """
import fcntl, termios
for name in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ptmx"):
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        continue
    attempt(f"TIOCSTI on {name}", lambda: fcntl.ioctl(descriptor, termios.TIOCSTI, b"x"))
for descriptor in (0, 1, 2):
    attempt(f"TIOCSTI on {descriptor}", lambda: fcntl.ioctl(descriptor, termios.TIOCSTI, b"x"))
    attempt(f"TIOCLINUX on {descriptor}", lambda: fcntl.ioctl(descriptor, 0x541C, b"x"))
    attempt(f"TIOCSCTTY on {descriptor}", lambda: fcntl.ioctl(descriptor, termios.TIOCSCTTY, 1))
"""
_INPUT = """
attempt("input as memory", lambda: os.write(os.open("/proc/self/fd/0", os.O_RDWR), bytes(1 << 20)))
attempt("input grown", lambda: os.truncate("/proc/self/fd/0", 1 << 30))
"""
_NAME = """
import ctypes, sys
libc = ctypes.CDLL(None)
libc.prctl(15, b"kworker/0:0", 0, 0, 0)
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
ctypes.memset(environ[0], 88, 8)
argument = ctypes.cast(environ[0], ctypes.c_void_p).value
ctypes.memset(argument - 24, 88, 16)
sys.stdout.write(open("/proc/self/comm").read())
"""


async def endless_output(arena: Arena) -> tuple[ProcessStatus, str]:
    """A command that prints without end is cut, marked and stopped."""
    result = await arena.python("import os\nwhile True:\n    os.write(1, b'y\\n' * 32768)", limits=_PATIENT)
    demand_status(result, ProcessStatus.TIMED_OUT)
    demand(result.stdout_truncated and len(result.stdout) == LIMITS.output_bytes, "it is not cut there")
    return result.status, "cut and marked"


async def output_without_newline(arena: Arena) -> tuple[ProcessStatus, str]:
    """One line of 50 MB on each stream is cut and marked, and does not stop the command."""
    code = (
        "import os\nfor _ in range(50):\n    os.write(1, b'x' * (1 << 20)); os.write(2, b'\\0' * (1 << 20))"
    )
    result = await arena.python(code + "\nos._exit(7)")
    demand(result.exit_code == 7, summary(result))
    demand(result.stdout_truncated and result.stderr_truncated, "a stream is not marked")
    sizes = len(result.stdout), len(result.stderr)
    demand(sizes == (LIMITS.output_bytes, LIMITS.output_bytes), f"sizes {sizes}")
    return result.status, "both streams cut and marked"


async def raw_output(arena: Arena) -> tuple[ProcessStatus, str]:
    """Escape sequences and bytes that are no text come back as they are, as data."""
    result = await arena.python(r"import os; os.write(1, b'\x1b]0;title\x07\xff\xfe\r\n\0')")
    demand(result.stdout == b"\x1b]0;title\x07\xff\xfe\r\n\0", f"came back as {result.stdout!r}")
    return result.status, "bytes as they are"


async def long_arguments(arena: Arena) -> tuple[ProcessStatus, str]:
    """Arguments beyond what the kernel takes are a typed failure to start; long ones below it arrive."""
    count = "import sys; print(sum(map(len, sys.argv)))"
    fitting = await arena.python(count, *["x" * 100_000] * 4)
    demand(fitting.ok and int(fitting.stdout) > 400_000, summary(fitting))
    for arguments in (["x" * 200_000], ["x" * 100_000] * 200):
        result = await arena.python(count, *arguments)
        demand_status(result, ProcessStatus.SPAWN_FAILED)
    inside = await arena.python("import os; os.execv('/bin/true', ['true', 'x' * 5_000_000])")
    demand(inside.exit_code == 1, summary(inside))
    return result.status, result.reason


async def closed_descriptors(arena: Arena) -> tuple[ProcessStatus, str]:
    """A command that closes everything still has its own end reported."""
    result = await arena.python("import os\nos.closerange(0, 65536)\nos._exit(5)")
    demand(result.status is ProcessStatus.EXITED and result.exit_code == 5, summary(result))
    silent = await arena.python("import os, time\nos.closerange(0, 65536)\ntime.sleep(60)", limits=SHORT)
    demand_status(silent, ProcessStatus.TIMED_OUT)
    return silent.status, "its end, and its time-out"


async def rewritten_name(arena: Arena) -> tuple[ProcessStatus, str]:
    """A process that changes its name, arguments and environment changes nothing in its record."""
    result = await arena.python(_NAME)
    demand_status(result, ProcessStatus.EXITED, ProcessStatus.SIGNALED)
    demand(result.argv == (arena.sandbox.python, "-c", _NAME), "the record has changed")
    return result.status, "the record is the host's"


async def false_failures(arena: Arena) -> tuple[ProcessStatus, str]:
    """Text and codes that look like a failure of the sandbox are the command's own."""
    for text, code in (("bwrap: execvp: No such file", 1), ("OCI runtime exec failed", 126), ("killed", 137)):
        result = await arena.sandbox.run(["sh", "-c", f"echo '{text}' >&2; exit {code}"])
        demand(result.status is ProcessStatus.EXITED and result.exit_code == code, summary(result))
    return result.status, "the command's own"


ATTACKS = (
    Attack("endless_output", endless_output),
    Attack("output_without_newline", output_without_newline),
    Attack("raw_output", raw_output),
    Attack("long_arguments", long_arguments),
    Attack("closed_descriptors", closed_descriptors),
    refused("forged_records", _FORGE, "no descriptor of the supervisor's can be written"),
    refused("terminal_injection", _TERMINAL, "no terminal takes input"),
    refused("input_as_memory", _INPUT, "the input is sealed"),
    Attack("rewritten_name", rewritten_name),
    Attack("false_failures", false_failures),
)
