"""A seccomp filter as classic BPF: kernel surface that a test suite never needs.

A deny list in the manner of Flatpak's and Docker's default profiles; the namespaces, the empty capability
set and no-new-privileges are the boundary, this narrows what can be tried against it. It also closes two
ways around the memory limit (System V shared memory and memfd are charged to no process) and one around
the network namespace (``AF_VSOCK`` reaches a hypervisor from any of them).

Format: ``struct sock_filter`` of <linux/filter.h>, acting on ``struct seccomp_data``; see
Documentation/userspace-api/seccomp_filter.rst in the kernel's source.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass

_LOAD, _JUMP_EQ, _JUMP_GE, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARG0, _OFFSET_ARG1 = 0, 4, 16, 24  # little endian: low words

_CLONE_NEW_ANYTHING = 0x7E020000  # every CLONE_NEW* flag that clone(2) takes
_SOCKET_FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "pidfd_getfd": 438, "mount_setattr": 442, "memfd_secret": 447, "open_tree_attr": 467,
}  # fmt: skip
_X86_64 = {
    "shmget": 29, "msgget": 68, "ptrace": 101, "syslog": 103, "modify_ldt": 154, "pivot_root": 155,
    "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166,
    "swapon": 167, "swapoff": 168, "reboot": 169, "iopl": 172, "ioperm": 173, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "clock_settime": 227, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
    "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = {
    "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "quotactl": 60, "acct": 89,
    "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112,
    "syslog": 116, "ptrace": 117, "reboot": 142, "settimeofday": 170, "adjtimex": 171, "msgget": 186,
    "shmget": 194, "add_key": 217, "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225,
    "perf_event_open": 241, "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265,
    "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
    "finit_module": 273, "memfd_create": 279, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip

_ABSENT = frozenset({"io_uring_setup", "memfd_create", "memfd_secret", "shmget", "msgget"})
"""Answered with ENOSYS, so that programs take the fallback that they have for older kernels."""


@dataclass(frozen=True, slots=True)
class _Architecture:
    audit: int
    denied: dict[str, int]
    clone: int
    clone3: int
    ioctl: int
    socket: int
    x32: bool


_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, _X86_64 | _COMMON, 56, 435, 16, 41, x32=True),
    "aarch64": _Architecture(0xC00000B7, _AARCH64 | _COMMON, 220, 435, 29, 198, x32=False),
}


def _refuse(number: int) -> int:
    return _ERRNO | number


def _instructions(machine: _Architecture) -> list[tuple[int, int, int, int]]:
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _OFFSET_ARCH),
        (_JUMP_EQ, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
    ]
    if machine.x32:
        code += [(_JUMP_GE, 0, 1, 0x40000000), (_RETURN, 0, 0, _refuse(errno.ENOSYS))]
    # glibc falls back to clone, whose flags are in a register and can be looked at.
    code += [(_JUMP_EQ, 0, 1, machine.clone3), (_RETURN, 0, 0, _refuse(errno.ENOSYS))]
    for name, number in sorted(machine.denied.items()):
        answer = errno.ENOSYS if name in _ABSENT else errno.EPERM
        code += [(_JUMP_EQ, 0, 1, number), (_RETURN, 0, 0, _refuse(answer))]
    code += [
        (_JUMP_EQ, 0, 4, machine.clone),
        (_LOAD, 0, 0, _OFFSET_ARG0),
        (_JUMP_SET, 0, 1, _CLONE_NEW_ANYTHING),
        (_RETURN, 0, 0, _refuse(errno.EPERM)),
        (_RETURN, 0, 0, _ALLOW),
    ]
    injections = [(_JUMP_EQ, len(_TERMINAL_INJECTION) - i, 0, n) for i, n in enumerate(_TERMINAL_INJECTION)]
    code += [(_JUMP_EQ, 0, len(injections) + 3, machine.ioctl), (_LOAD, 0, 0, _OFFSET_ARG1), *injections]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _refuse(errno.EPERM))]
    families = [(_JUMP_EQ, len(_SOCKET_FAMILIES) - i, 0, n) for i, n in enumerate(_SOCKET_FAMILIES)]
    code += [(_JUMP_EQ, 0, len(families) + 2, machine.socket), (_LOAD, 0, 0, _OFFSET_ARG0), *families]
    code += [(_RETURN, 0, 0, _refuse(errno.EAFNOSUPPORT)), (_RETURN, 0, 0, _ALLOW)]
    return code


def filter_program(machine: str | None = None) -> bytes | None:
    """The compiled filter for ``machine`` (default: this one), or None where no table is kept."""
    architecture = _ARCHITECTURES.get(machine or platform.machine())
    if architecture is None:
        return None
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in _instructions(architecture))
