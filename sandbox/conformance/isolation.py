"""Cases: nothing of the host can be seen, reached or changed from inside."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import Case, demand, output_of, python, summary
from repo_guardian.sandbox.interface import Sandbox

_CONNECT = """
import socket, sys
port, name = int(sys.argv[1]), sys.argv[2]
reached = []
def attempt(label, family, kind, address):
    try:
        with socket.socket(family, kind) as s:
            s.settimeout(1)
            s.connect(address)
            if kind == socket.SOCK_DGRAM:
                s.send(b"x")
            reached.append(label)
    except OSError:
        pass
attempt("host loopback", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port))
attempt("abstract socket", socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + name)
attempt("tcp", socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80))
attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53))
attempt("metadata", socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80))
attempt("ipv6", socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 80))
try:
    socket.socket(40, socket.SOCK_STREAM)
    reached.append("vsock")
except OSError:
    pass
print(",".join(reached), ",".join(name for _, name in socket.if_nameindex()), sep=";")
"""
_DESCRIPTORS = """
import os
listed = []
for number in range(1024):
    try:
        os.fstat(number)
        listed.append(number)
    except OSError:
        pass
print(listed)
"""
_WRITE = """
import os
written = []
for folder in ("/", "/usr", "/usr/bin", "/bin", "/lib", "/etc", "/run", "/run/guardian", "/dev", "/proc",
               "/proc/sys/kernel", "/home", "/var", "/root", os.path.dirname(os.__file__)):
    try:
        with open(os.path.join(folder, "planted"), "w"):
            written.append(folder)
    except OSError:
        pass
for path in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory"):
    try:
        with open(path, "w"):
            written.append(path)
    except OSError:
        pass
print(written)
"""
_PRIVILEGE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
gained = []
calls = {
    "mount": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, b""),
    "umount": lambda: libc.umount2(b"/proc", 2),
    "unshare user": lambda: libc.unshare(0x10000000),
    "unshare mount": lambda: libc.unshare(0x20000),
    "ptrace": lambda: libc.ptrace(16, os.getppid(), 0, 0),
    "chroot": lambda: libc.chroot(b"/tmp"),
    "setuid": lambda: libc.setuid(0),
    "setgid": lambda: libc.setgid(0),
    "sethostname": lambda: libc.sethostname(b"x", 1),
    "mknod": lambda: libc.mknod(b"/tmp/device", 0o20666, 0x101),
    "kill outside": lambda: libc.kill(1, 9) if os.getpid() == 1 else -1,
}
for name, call in calls.items():
    if call() == 0:
        gained.append(name)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(gained, os.getuid(), status["CapEff"].strip(), status["NoNewPrivs"].strip(), sep=";")
"""


async def network(sandbox: Sandbox, _: Path) -> str:
    """Nothing can be reached: not the network, not a port or abstract socket of the host."""
    name = f"guardian-{secrets.token_hex(8)}"
    server, local = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
    with closing(server), closing(local):
        local.bind(f"\0{name}")
        local.listen()
        seen = await output_of(sandbox, sandbox.python, "-c", _CONNECT, str(server.getsockname()[1]), name)
    reached, interfaces = seen.strip().split(";")
    demand(not reached, f"reached: {reached}")
    demand(interfaces == "lo", f"interfaces: {interfaces}")
    return "only a loopback of its own"


async def host_files(sandbox: Sandbox, checkout: Path) -> str:
    """Files of the host are not visible, wherever they lie."""
    with tempfile.NamedTemporaryFile(prefix="guardian-secret-") as secret:
        secret.write(b"secret")
        secret.flush()
        os.chmod(secret.name, 0o644)  # noqa: PTH101 - readable, were it visible
        places = [secret.name, str(checkout), "/etc/shadow", "/var/run/docker.sock"]
        listed = await sandbox.run(["ls", "-d", *places])
    demand(listed.stdout == b"", f"visible: {listed.stdout.decode('utf-8', 'replace').split()}")
    files = await sandbox.run(["find", str(Path.home()), "-type", "f"])
    demand(files.stdout == b"", f"visible: {files.stdout.decode('utf-8', 'replace').split()[:3]}")
    named = await sandbox.run(["cat", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf"])
    words = set(named.stdout.decode("utf-8", "replace").split())
    demand(socket.gethostname() not in words and b"nameserver" not in named.stdout, f"told: {sorted(words)}")
    top = set((await output_of(sandbox, "ls", "-A", "/")).split())
    demand(not top & {"home", "srv", "mnt", "opt", "boot", "media"}, f"visible: {sorted(top)}")
    left = (await sandbox.run(["find", "/var", "!", "-type", "d"])).stdout.split()
    demand(not left, f"visible: {left[:3]}")
    devices = (await sandbox.run(["ls", "-A", "/sys"])).stdout.split()
    demand(devices in ([], [b"fs"]), f"visible: /sys/{devices[:1]}")  # a container sees its control group
    return f"the root holds {' '.join(sorted(top))}"


async def processes(sandbox: Sandbox, _: Path) -> str:
    """Only the command's own processes are visible."""
    pids = (await output_of(sandbox, "sh", "-c", "cd /proc; echo [0-9]*")).split()
    demand(len(pids) <= 4, f"{len(pids)} processes are visible")
    return f"{len(pids)} processes visible"


async def read_only(sandbox: Sandbox, _: Path) -> str:
    """Nothing can be written but the repository and the places meant for it."""
    written = (await output_of(sandbox, sandbox.python, "-c", _WRITE)).strip()
    demand(written == "[]", f"written: {written}")
    return "system, root and /dev are read-only"


async def privileges(sandbox: Sandbox, _: Path) -> str:
    """Commands have no capability and can gain none."""
    result = await python(sandbox, _PRIVILEGE)
    demand(result.ok, summary(result))
    gained, uid, capabilities, locked = result.stdout.decode().strip().split(";")
    demand(gained == "[]", f"gained: {gained}")
    demand(uid != "0", "commands run as user 0")
    demand(int(capabilities, 16) == 0, f"capabilities {capabilities}")
    demand(locked == "1", "new privileges can be gained")
    return f"user {uid}, no capability, no new privileges"


async def descriptors(sandbox: Sandbox, _: Path) -> str:
    """No descriptor but the three standard ones is inherited."""
    numbers = (await output_of(sandbox, sandbox.python, "-c", _DESCRIPTORS)).strip()
    demand(numbers == "[0, 1, 2]", f"descriptors {numbers}")
    return "three standard streams"


async def links(sandbox: Sandbox, _: Path) -> str:
    """A link that strangers plant leads reads and writes of ours to no file of the host."""
    with tempfile.NamedTemporaryFile(prefix="guardian-victim-") as victim:
        victim.write(b"untouched")
        victim.flush()
        folder, name = victim.name.rsplit("/", 1)
        script = 'ln -s "$1" /repo/folder; ln -s "$2" /repo/file'
        await output_of(sandbox, "sh", "-c", script, "sh", folder, victim.name)
        for path in ("/repo/file", f"/repo/folder/{name}"):
            with suppress(SandboxError):
                await sandbox.write_file(path, b"overwritten")
            with suppress(SandboxError):
                seen = await sandbox.read_file(path, limit_bytes=100)
                demand(seen == b"overwritten", f"read {seen!r} of the host")
        victim.seek(0)
        demand(victim.read() == b"untouched", "a file of the host was overwritten")
    return "links resolve inside"


CASES = (
    Case("network", network, isolation=True, fast=True),
    Case("host_files", host_files, isolation=True, fast=True),
    Case("privileges", privileges, isolation=True, fast=True),
    Case("read_only", read_only, isolation=True, fast=True),
    Case("visible_processes", processes, isolation=True),
    Case("descriptors", descriptors),
    Case("links", links, isolation=True),
)
