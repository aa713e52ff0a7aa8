"""Runs a program for as long as whoever started it lives: a script, standard library only.

``tether.py COMMAND...`` starts the command and ends it when standard input does, which the kernel sees to
even when the program at its other end is killed. So an engine of our own never outlives us.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

GRACE_S = 5.0


def main(command: list[str]) -> int:
    """Start, wait for the end of standard input or of the command, stop."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - ours

    def watch() -> None:
        process.wait()
        os._exit(process.returncode & 0xFF)

    threading.Thread(target=watch, daemon=True).start()
    while os.read(0, 4096):
        pass
    process.terminate()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
