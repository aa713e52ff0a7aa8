"""The folder that a check works in: its own, named after its process, and removed with it.

A killed check cannot remove its folder, so whoever makes the next one removes those of dead processes.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repo_guardian.memory_store.process import ProcessIdentity, boot_id, current_process
from repo_guardian.tools.git.faults import state_fault
from repo_guardian.tools.git.materialize import remove_checkout


@contextmanager
def check_folder(parent: Path) -> Iterator[Path]:
    """A new folder in ``parent``, for the length of the block.

    Raises:
        StateDirError, DiskFullError: it cannot be made.
    """
    process = current_process()
    folder = parent / f"{process.pid}-{process.start_ticks}-{secrets.token_hex(4)}"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        folder.mkdir()
    except OSError as error:
        raise state_fault(error, folder) from error
    try:
        yield folder
    finally:
        remove_checkout(folder)


def _sweep(parent: Path) -> None:
    """Remove the folders of processes that are gone; what is not named like one of ours stays."""
    for path in parent.iterdir():
        parts = path.name.split("-")
        if len(parts) != 3 or not all(part.isdecimal() and len(part) < 18 for part in parts[:2]):
            continue
        pid, ticks = map(int, parts[:2])
        if pid < 1 or pid >= 2**31 or not path.is_dir() or path.is_symlink():
            continue
        if not ProcessIdentity(pid=pid, start_ticks=ticks, boot_id=boot_id()).is_alive():
            remove_checkout(path)
