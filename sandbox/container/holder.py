"""Holds the mounts of one container on the host: a script started by ``ground.py``, standard library only.

An engine can only mount what its own mount namespace shows, so this assembles the places of a sandbox where
the engine sees them, with the same code as the ``bubblewrap`` backend: below BASE then stand the overlay
(``repo``), the bounded tmpfs (``disk``), our scripts (``guardian``) and the further directories (``mounts``).

It says ``ready PID`` or ``failed REASON``, then waits until its standard input ends, which the kernel sees to
even when the program that started it is killed, and takes everything away. ``OWNER_FILE`` beside BASE says
whose it is and goes last. Arguments: OWNER_FILE COMPILED, then those of ``keeper.prepare``, BASE first.
"""

# ruff: noqa: PTH102, PTH106, PTH108, PTH110, PTH118, PTH120, PTH211
from __future__ import annotations

import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repo_guardian.sandbox.bubblewrap import keeper
else:
    # Run as a script without site packages: the neighbour is found by its place.
    sys.path.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "bubblewrap"))
    import keeper

MNT_DETACH = 2


def dismantle(base: str, owner_file: str) -> None:
    """Detach everything at and below ``base`` and remove both; what is gone already is fine."""
    # A container that is still dying keeps its own references, and the memory is freed with the last.
    while keeper.libc.umount2(os.fsencode(base), MNT_DETACH) == 0:
        pass
    with suppress(OSError):
        os.rmdir(base)
    if not os.path.exists(base):
        with suppress(OSError):
            os.unlink(owner_file)


def main(arguments: list[str]) -> None:
    """Prepare, say so, wait, take away."""
    owner_file, compiled, *preparation = arguments
    base = preparation[0]
    os.mkdir(base, 0o700)
    try:
        try:
            keeper.prepare(preparation)
            os.symlink(f"{compiled}/usr", "guardian/bytecode/usr")
            keeper.say(f"ready {os.getpid()}")
        except (keeper.Failed, OSError) as error:
            keeper.say(f"failed {error}")
        while os.read(0, 4096):
            pass
    finally:
        os.chdir("/")
        dismantle(base, owner_file)


if __name__ == "__main__":
    main(sys.argv[1:])
