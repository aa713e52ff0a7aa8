"""The first process of a container: a script, standard library only, unprivileged like all in there.

It calls the host once, over a socket that nobody else in the container ever gets to, and then obeys:

    run      with five descriptors (standard input, output, error; configuration; status): start the
             launcher with these; ``ended`` is said when it has ended
    settle   kill everything else, reap it, and say ``settled``

As process 1 it cannot be killed or stopped from inside, it reaps whatever loses its parent, and when it
ends the kernel kills all others. It ends when the host closes the line, which the kernel sees to when the
host's program is killed, and at its own deadline. Arguments: SOCKET DEADLINE_S.
"""

# ruff: noqa: PTH123
from __future__ import annotations

import ctypes
import importlib
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import NoReturn

PR_SET_DUMPABLE, PR_SET_SECCOMP = 4, 22
SECCOMP_MODE_FILTER = 2
DESCRIPTORS = 5
HIGHEST_DESCRIPTOR = 64
SETTLE_S = 10.0
SCRIPTS = "/run/guardian"

libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    """``struct sock_fprog`` of <linux/filter.h>."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def narrow() -> None:
    """Add our seccomp filter to the engine's, and hide this process' descriptors from its children."""
    with suppress(FileNotFoundError), open(f"{SCRIPTS}/filter.bpf", "rb") as stream:
        content = stream.read()
        program = Program(len(content) // 8, content)
        if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot install the seccomp filter")
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def first_to_die() -> None:
    """Where memory runs out, the kernel picks a command and never process 1."""
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self is root's
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("1000")
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


class Init:
    """The loop; ``launcher`` is the running launcher's process id, 0 when there is none."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.launcher = 0

    def launch(self, descriptors: list[int]) -> None:
        """Fork the launcher with these descriptors."""
        child = os.fork()
        if child == 0:
            self.become_launcher(descriptors)
        self.launcher = child
        for descriptor in descriptors:
            os.close(descriptor)

    def become_launcher(self, descriptors: list[int]) -> NoReturn:
        """In the child: never returns."""
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            first_to_die()
            for number, descriptor in enumerate(descriptors[:3]):
                os.dup2(descriptor, number, inheritable=True)
            config, status = descriptors[3:]
            for number in range(3, HIGHEST_DESCRIPTOR):
                if number not in (config, status):
                    with suppress(OSError):
                        os.close(number)
            sys.argv = ["launcher.py", str(config), str(status)]
            os._exit(importlib.import_module("launcher").main())
        finally:
            os._exit(125)

    def reap(self) -> None:
        """Reap whatever has ended; say so when the launcher has."""
        with suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.launcher:
                    self.launcher = 0
                    self.line.send(b"ended")

    def settle(self) -> None:
        """Kill every other process and wait until none is left."""
        self.launcher = 0
        deadline = time.monotonic() + SETTLE_S
        while time.monotonic() < deadline:
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                self.line.send(b"settled")
                return
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.0005)
        self.line.send(b"failed a process could not be killed")

    def obey(self) -> bool:
        """Serve one request; False when the host has closed the line."""
        message, descriptors, _, _ = socket.recv_fds(self.line, 64, DESCRIPTORS)
        if message == b"run" and len(descriptors) == DESCRIPTORS:
            self.launch(descriptors)
        elif message == b"settle":
            self.settle()
        return bool(message)


def main() -> None:
    """Call the host and obey until it hangs up or the deadline has come."""
    path, lifetime = sys.argv[1], float(sys.argv[2])
    deadline = time.monotonic() + lifetime
    # A handler lets a signal through to process 1: only this one may, and it only causes a look around.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.path.append(SCRIPTS)
    importlib.import_module("launcher")
    awake, wake = socket.socketpair()
    for end in (awake, wake):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.connect(path)
        narrow()
        init = Init(line)
        line.send(b"ready")
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([line, awake], [], [], left)
            with suppress(BlockingIOError):
                awake.recv(4096)
            init.reap()
            if line in ready and not init.obey():
                return


if __name__ == "__main__":
    main()
    os._exit(0)
