"""The filter, evaluated as the kernel would."""

from __future__ import annotations

import errno
import struct

import pytest

from repo_guardian.sandbox.bubblewrap import seccomp

ALLOW, KILL = 0x7FFF0000, 0x80000000
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def evaluate(program: bytes, number: int, *arguments: int, arch: int) -> int:
    """Run classic BPF over a ``struct seccomp_data``."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, arch, 0, *padded)
    code = list(struct.iter_unpack("<HBBI", program))
    position, accumulator = 0, 0
    while True:
        operation, if_true, if_false, operand = code[position]
        position += 1
        if operation == 0x20:
            accumulator = struct.unpack_from("<I", data, operand)[0]
        elif operation == 0x06:
            return operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[operation]
            position += if_true if holds else if_false


def refused(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_denied_and_what_is_not(machine):
    program, arch = seccomp.filter_program(machine), MACHINES[machine]
    numbers = seccomp._ARCHITECTURES[machine]
    for name, number in numbers.denied.items():
        answer = evaluate(program, number, arch=arch)
        assert answer in (refused(errno.EPERM), refused(errno.ENOSYS)), name
    assert evaluate(program, numbers.denied["mount"], arch=arch) == refused(errno.EPERM)
    assert evaluate(program, numbers.denied["memfd_create"], arch=arch) == refused(errno.ENOSYS)
    assert evaluate(program, numbers.clone3, arch=arch) == refused(errno.ENOSYS)
    taken = {*numbers.denied.values(), numbers.clone3}
    for number in set(range(500)) - taken - {numbers.clone, numbers.ioctl, numbers.socket}:
        assert evaluate(program, number, arch=arch) == ALLOW, number


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_are_looked_at(machine):
    program, arch = seccomp.filter_program(machine), MACHINES[machine]
    numbers = seccomp._ARCHITECTURES[machine]
    fork, new_user, thread = 17, 0x10000000 | 17, 0x3D0F00
    assert evaluate(program, numbers.clone, fork, arch=arch) == ALLOW
    assert evaluate(program, numbers.clone, thread, arch=arch) == ALLOW
    assert evaluate(program, numbers.clone, new_user, arch=arch) == refused(errno.EPERM)
    for family, allowed in {1: True, 2: True, 10: True, 16: True, 17: False, 38: False, 40: False}.items():
        answer = evaluate(program, numbers.socket, family, arch=arch)
        assert answer == (ALLOW if allowed else refused(errno.EAFNOSUPPORT)), family
    assert evaluate(program, numbers.ioctl, 0, 0x5401, arch=arch) == ALLOW
    assert evaluate(program, numbers.ioctl, 0, 0x5412, arch=arch) == refused(errno.EPERM)
    assert evaluate(program, numbers.ioctl, 0, 0x541C, arch=arch) == refused(errno.EPERM)


def test_other_ways_in_are_closed():
    program = seccomp.filter_program("x86_64")
    i386, x32 = 0x40000003, 0x40000000
    assert evaluate(program, 1, arch=i386) == KILL
    assert evaluate(program, x32 | 1, arch=MACHINES["x86_64"]) == refused(errno.ENOSYS)
    assert seccomp.filter_program("riscv64") is None
