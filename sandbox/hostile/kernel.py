"""Attacks on the kernel's surface: namespaces, mounts, keys, tracing, devices, settings.

System calls are made by number, since libraries refuse or lack most of them. A sandbox may answer that a
call does not exist, that it is not permitted, or that it has failed: all that counts is that it did nothing.
"""

from __future__ import annotations

from repo_guardian.sandbox.conformance.frame import demand, output_of, summary
from repo_guardian.sandbox.hostile.frame import Arena, Attack, refused
from repo_guardian.sandbox.interface import ProcessStatus

_CALLS = """
import platform
NUMBERS = {
    "x86_64": dict(ptrace=101, mount=165, umount2=166, pivot_root=155, chroot=161, unshare=272, setns=308,
        add_key=248, request_key=249, keyctl=250, bpf=321, perf_event_open=298, userfaultfd=323,
        init_module=175, finit_module=313, delete_module=176, kexec_load=246, reboot=169, swapon=167,
        acct=163, quotactl=179, syslog=103, sethostname=170, open_by_handle_at=304, iopl=172, ioperm=173,
        process_vm_readv=310, process_vm_writev=311, kcmp=312, fanotify_init=300, clone=56),
    "aarch64": dict(ptrace=117, mount=40, umount2=39, pivot_root=41, chroot=51, unshare=97, setns=268,
        add_key=217, request_key=218, keyctl=219, bpf=280, perf_event_open=241, userfaultfd=282,
        init_module=105, finit_module=273, delete_module=106, kexec_load=104, reboot=142, swapon=224,
        acct=89, quotactl=60, syslog=116, sethostname=161, open_by_handle_at=265, iopl=-1, ioperm=-1,
        process_vm_readv=270, process_vm_writev=271, kcmp=272, fanotify_init=262, clone=220),
}[platform.machine()]
NUMBERS.update(io_uring_setup=425, open_tree=428, move_mount=429, fsopen=430, pidfd_open=434,
    pidfd_getfd=438, mount_setattr=442)
def call(name, *arguments):
    wide = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return libc.syscall(ctypes.c_long(NUMBERS[name]), *wide)
"""

_MOUNT = """
attempt("tmpfs", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
attempt("proc", lambda: call("mount", b"none", b"/tmp", b"proc", 0, None))
attempt("sysfs", lambda: call("mount", b"none", b"/tmp", b"sysfs", 0, None))
attempt("cgroup", lambda: call("mount", b"none", b"/tmp", b"cgroup2", 0, None))
attempt("bind", lambda: call("mount", b"/usr", b"/tmp", None, 0x1000, None))
for place in (b"/", b"/usr", b"/repo", b"/proc", b"/dev"):
    attempt(b"remount " + place, lambda: call("mount", None, place, None, 0x20 | 0x1000, None))
    attempt(b"umount " + place, lambda: call("umount2", place, 2))
attempt("fsopen", lambda: call("fsopen", b"tmpfs", 0))
attempt("open_tree", lambda: call("open_tree", -100, b"/usr", 1))
attempt("mount_setattr", lambda: call("mount_setattr", -100, b"/usr", 0, ctypes.create_string_buffer(32), 32))
"""
_NAMESPACES = """
flags = dict(mount=0x20000, cgroup=0x2000000, uts=0x4000000, ipc=0x8000000, user=0x10000000,
    pid=0x20000000, net=0x40000000, time=0x80)
for name, flag in flags.items():
    attempt(f"unshare {name}", lambda: call("unshare", flag))
    attempt(f"unshare user and {name}", lambda: call("unshare", flag | flags["user"]))
    if name != "time":
        def clone():
            child = call("clone", flag | 17, 0, 0, 0, 0)
            if child == 0:
                os._exit(0)
            return child
        attempt(f"clone {name}", clone)
    for pid in ("1", str(os.getppid()), "self"):
        def enter():
            return call("setns", os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY), 0)
        attempt(f"setns {name} of {pid}", enter)
"""
_ROOTS = """
OWN = {os.stat(path).st_dev for path in ("/", "/repo", "/out", "/tmp", "/usr", "/proc")}
os.makedirs("/tmp/root/old")
attempt("chroot", lambda: call("chroot", b"/tmp/root"))
attempt("pivot_root", lambda: call("pivot_root", b"/tmp/root", b"/tmp/root/old"))
attempt("handle", lambda: call("open_by_handle_at", os.open("/repo", os.O_RDONLY),
    ctypes.create_string_buffer(b"\\x08\\0\\0\\0\\x01\\0\\0\\0\\x02", 136), 0))
for pid in ("1", str(os.getppid())):
    attempt(f"root of {pid}", lambda: -1 if os.path.samefile(f"/proc/{pid}/root", "/") else 0)
    attempt(f"folder of {pid}", lambda: -1 if os.stat(f"/proc/{pid}/cwd/").st_dev in OWN else 0)
"""
_KEYS = """
attempt("add_key", lambda: call("add_key", b"user", b"guardian", b"x", 1, -3))
attempt("request_key", lambda: call("request_key", b"user", b"guardian", None, -3))
for keyring in (-1, -2, -3, -4, -5):
    attempt(f"keyring {keyring}", lambda: call("keyctl", 0, keyring, 0))
    attempt(f"contents of {keyring}", lambda: call("keyctl", 11, keyring, None, 0))
attempt("join", lambda: call("keyctl", 1, None))
"""
_TRACE = """
for pid in (1, os.getppid()):
    attempt(f"attach to {pid}", lambda: call("ptrace", 16, pid, 0, 0))
    attempt(f"seize {pid}", lambda: call("ptrace", 0x4206, pid, 0, 0))
    attempt(f"kcmp {pid}", lambda: call("kcmp", pid, os.getpid(), 0, 0, 0))
    attempt(f"memory of {pid}", lambda: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR)))
    space = ctypes.create_string_buffer(16)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(space), 16)
    attempt(f"read {pid}", lambda: call("process_vm_readv", pid, vector, 1, vector, 1, 0))
    attempt(f"write {pid}", lambda: call("process_vm_writev", pid, vector, 1, vector, 1, 0))
    handle = call("pidfd_open", pid, 0)
    for number in range(8):
        attempt(f"descriptor of {pid}", lambda: call("pidfd_getfd", handle, number, 0) if handle >= 0 else -1)
"""
_SURFACE = """
nothing = ctypes.create_string_buffer(256)
calls = dict(
    bpf=(0, nothing, 72), io_uring_setup=(8, nothing), perf_event_open=(nothing, 0, -1, -1, 0),
    userfaultfd=(0,), init_module=(nothing, 256, b""), finit_module=(0, b"", 0), kexec_load=(0, 0, 0, 0),
    delete_module=(b"dummy", 0), reboot=(0xFEE1DEAD, 672274793, 0, 0), swapon=(b"/tmp/x", 0), acct=(None,),
    syslog=(3, nothing, 256), sethostname=(b"x", 1), fanotify_init=(0, 0), iopl=(3,), ioperm=(0x80, 1, 1),
)
nothing[0:8] = bytes([1, 0, 0, 0, 112, 0, 0, 0])
for name, arguments in calls.items():
    attempt(name, lambda: call(name, *arguments))
"""
_SETTINGS = """
def write(path, text):
    descriptor = os.open(path, os.O_WRONLY)
    try:
        return os.write(descriptor, text)
    finally:
        os.close(descriptor)
# What is everybody's is only opened: that it can be is enough to know.
for path in ("sysrq-trigger", "sys/kernel/core_pattern", "sys/kernel/modprobe", "sys/vm/overcommit_memory",
             "sys/kernel/hostname", "sys/kernel/randomize_va_space", "sys/fs/binfmt_misc/register",
             "sys/net/ipv4/ip_forward", "sys/user/max_user_namespaces", "mtrr",
             "irq/default_smp_affinity", "scsi/scsi", "kcore", "latency_stats"):
    attempt(path, lambda: os.close(os.open("/proc/" + path, os.O_WRONLY)))
for path in ("kernel/uevent_helper", "kernel/mm/transparent_hugepage/enabled", "power/state",
             "kernel/security/apparmor/.remove", "fs/cgroup/cgroup.procs", "fs/cgroup/release_agent",
             "fs/cgroup/memory/memory.limit_in_bytes", "fs/cgroup/pids/pids.max", "fs/cgroup/memory.max",
             "fs/cgroup/pids.max", "class/net/lo/mtu", "devices/system/cpu/cpu0/online"):
    attempt(path, lambda: os.close(os.open("/sys/" + path, os.O_WRONLY)))
attempt("next process id", lambda: write("/proc/sys/kernel/ns_last_pid", b"300"))
for pid in ("1", str(os.getppid()), "self"):
    attempt(f"{pid} spared by the killer", lambda: write(f"/proc/{pid}/oom_score_adj", b"-1000"))
    for name in ("uid_map", "gid_map"):
        attempt(f"{name} of {pid}", lambda: write(f"/proc/{pid}/{name}", b"0 0 1"))
for pid in ("1", str(os.getppid())):
    for name in ("comm", "timerslack_ns", "clear_refs", "autogroup", "setgroups"):
        attempt(f"{name} of {pid}", lambda: write(f"/proc/{pid}/{name}", b"1"))
"""
_DEVICES = """
import stat
for kind, major, minor in ((stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 254, 0), (stat.S_IFCHR, 1, 1),
                           (stat.S_IFCHR, 1, 5), (stat.S_IFCHR, 10, 232), (stat.S_IFCHR, 5, 1)):
    for folder in ("/repo", "/out", "/tmp", "/dev", "/dev/shm"):
        attempt(f"{major}:{minor} in {folder}",
                lambda: os.mknod(f"{folder}/device", kind | 0o666, os.makedev(major, minor)))
for name in ("mem", "kmem", "port", "kmsg", "kvm", "fuse", "sda", "vda", "nvme0n1", "loop0", "loop-control",
             "mapper/control", "net/tun", "vhost-net", "vsock", "uinput", "snapshot", "hpet", "disk"):
    attempt(name, lambda: os.close(os.open(f"/dev/{name}", os.O_RDWR | os.O_NONBLOCK)))
    attempt(name, lambda: os.close(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK)))
"""
_IDENTITY = """
for number in (0, 1, 1000, 2**31 - 1):
    if number != os.getuid():
        attempt(f"setuid {number}", lambda: os.setuid(number))
        attempt(f"setresgid {number}", lambda: os.setresgid(number, number, number))
        attempt(f"setgroups {number}", lambda: os.setgroups([number]))
        attempt(f"chown to {number}", lambda: os.chown("/repo/a.txt", number, number))
attempt("capabilities", lambda: libc.prctl(47, 2, 21, 0, 0))
attempt("new privileges", lambda: libc.prctl(38, 0, 0, 0, 0))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
    attempt(name, lambda: 0 if int(status[name], 16) else -1)
attempt("NoNewPrivs is off", lambda: 0 if status["NoNewPrivs"].strip() != "1" else -1)
attempt("runs as user 0", lambda: 0 if os.getuid() == 0 or os.geteuid() == 0 else -1)
"""
_SETUID = """
import shutil, subprocess
for folder in ("/repo", "/out", "/tmp", "/dev/shm"):
    shutil.copy("/usr/bin/id", f"{folder}/planted")
    os.chmod(f"{folder}/planted", 0o6755)
    try:
        said = subprocess.run([f"{folder}/planted", "-u"], capture_output=True).stdout
    except OSError:
        continue
    attempt(f"in {folder}", lambda: 0 if said.strip() == b"0" else -1)
for command in (["su", "-c", "id -u"], ["sudo", "-n", "id", "-u"], ["pkexec", "id", "-u"],
                ["newuidmap", "1", "0", "0", "1"], ["mount", "-t", "tmpfs", "x", "/tmp"],
                ["unshare", "-Ur", "id", "-u"], ["nsenter", "-t", "1", "-a", "id", "-u"],
                ["bwrap", "--dev-bind", "/", "/", "id", "-u"]):
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=10)
    except OSError:
        continue
    attempt(command[0], lambda: 0 if done.returncode == 0 else -1)
"""


async def filter_is_on(arena: Arena) -> tuple[ProcessStatus, str]:
    """A system call filter is in force, also for what the command starts."""
    status = await output_of(arena.sandbox, "sh", "-c", "sh -c 'grep Seccomp: /proc/self/status'")
    demand(status.split() == ["Seccomp:", "2"], f"seen: {status.strip()}")
    result = await arena.sandbox.run(["true"])
    demand(result.ok, summary(result))
    return result.status, "in force"


ATTACKS = (
    refused("mounts", _CALLS + _MOUNT, "nothing was mounted, remounted or unmounted"),
    refused("namespaces", _CALLS + _NAMESPACES, "no namespace was made or entered"),
    refused("roots", _CALLS + _ROOTS, "no other root"),
    refused("keyrings", _CALLS + _KEYS, "no key"),
    refused("tracing", _CALLS + _TRACE, "no process above was traced, read or written"),
    refused("kernel_calls", _CALLS + _SURFACE, "bpf, io_uring, perf events, modules and others refused"),
    refused("kernel_settings", _SETTINGS, "nothing in /proc or /sys was written"),
    refused("devices", _DEVICES, "no device was made or opened"),
    refused("identity", _IDENTITY, "no user, group or capability was gained"),
    refused("set_id_programs", _SETUID, "set-id bits give nothing"),
    Attack("filter", filter_is_on),
)
