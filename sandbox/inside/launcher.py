"""Starts one command under resource limits and reports its exact end.

Run as ``python -I -S launcher.py CONFIG_FD STATUS_FD``. bubblewrap and nsenter fold signals into exit
codes (137 may be ``exit(137)`` or SIGKILL) and mix their own failures with the command's, so a parent
that stays beside the command writes the raw ``wait`` status to a pipe of its own. The records, one a line:

    ready                    this script runs: whatever follows is not the sandbox's failure
    spawn <message>          the command could not be started
    wait <status>            it ended, with this raw ``wait(2)`` status

``CONFIG_FD`` holds NUL-separated fields; ``execution.py`` writes them. Runs on Python 3.8 and later.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal itself costs 2 ms, for its enums
import os
import resource
import sys

OPEN_FILES = 1024
_PR_SET_DUMPABLE = 4


def _apply_limits(cpu_s: int, address_space: int, processes: int, file_size: int) -> None:
    # A core limit of 1 writes no file, and unlike 0 hands none to a collector of the host's (core(5)).
    # The hard CPU limit lies one second past the soft one: SIGXCPU first, then SIGKILL.
    pairs = (
        (resource.RLIMIT_CORE, 1, 1),
        (resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES),
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_FSIZE, file_size, file_size),
        (resource.RLIMIT_NPROC, processes, processes),
        (resource.RLIMIT_AS, address_space, address_space),
    )
    for name, soft, hard in pairs:
        ceiling = resource.getrlimit(name)[1]
        bounded = ceiling != resource.RLIM_INFINITY
        resource.setrlimit(name, (min(soft, ceiling), min(hard, ceiling)) if bounded else (soft, hard))


def _become(fields: list[bytes]) -> None:
    """Turn the forked child into the command; returns only by raising ``OSError``."""
    cwd = fields[0]
    limits = [int(field) for field in fields[1:5]]
    count = int(fields[5])
    end = 6 + 2 * count
    environment = {fields[index]: fields[index + 1] for index in range(6, end, 2)}
    argv = fields[end:]
    os.chdir(cwd)
    # Python, or this script, handles these differently; a command expects the defaults.
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGINT):
        _signal.signal(number, _signal.SIG_DFL)
    _apply_limits(*limits)
    os.execvpe(argv[0], argv, environment)  # noqa: S606 - no shell is the point


def _withdraw() -> None:
    """Leave the command nothing to get at: it runs as the same user, and this process has no limits yet.

    A process that is not dumpable lets none of its user's open its memory, descriptors or environment
    (PR_SET_DUMPABLE in prctl(2)).
    """
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    try:
        import ctypes
    except ImportError:  # a Python built without libffi
        return
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _wait_for(child: int) -> int:
    """The wait status of ``child``; orphans are reaped meanwhile, since this may be the first process."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            return status


def main() -> int:
    """Read the configuration, run the command, report; the exit code is the command's, roughly."""
    config_fd, status_fd = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(status_fd, False)
    with os.fdopen(config_fd, "rb") as stream:
        fields = stream.read().split(b"\0")
    _withdraw()
    os.write(status_fd, b"ready\n")
    child = os.fork()
    if child == 0:
        try:
            _become(fields)
        except BaseException as error:
            reason = f"{error.strerror}: {error.filename!r}" if isinstance(error, OSError) else repr(error)
            os.write(status_fd, f"spawn {reason}\n".encode("utf-8", "backslashreplace"))
            os._exit(127)
    status = _wait_for(child)
    os.write(status_fd, f"wait {status}\n".encode())
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


if __name__ == "__main__":
    os._exit(main())
