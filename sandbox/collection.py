"""The host's end of a harvest: a fresh destination, and what the copy said about itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.interface import Harvest

HARVEST_SCRIPT = Path(__file__).with_name("harvest.py")
"""Run by backends that have to enter a mount namespace first."""


@contextmanager
def fresh_folder(destination: Path) -> Iterator[int]:
    """Make ``destination``, hand out a descriptor of it, and remove it when the block fails.

    Raises:
        SandboxError: it exists or cannot be made, or the block raised ``OSError``.
    """
    try:
        destination.mkdir(mode=0o755)
    except OSError as error:
        raise SandboxError(
            f"cannot create {destination}: {error.strerror}", hint="name a new folder"
        ) from error
    descriptor = os.open(destination, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        destination.chmod(0o755)
        yield descriptor
    except BaseException as error:
        shutil.rmtree(destination, ignore_errors=True)
        if isinstance(error, OSError):
            raise SandboxError(f"cannot write {destination}: {error.strerror}") from error
        raise
    finally:
        os.close(descriptor)


def harvest_of(files: Sequence[str], total_bytes: int, left_out: Sequence[Sequence[str]]) -> Harvest:
    """The public record of what a copy says about itself."""
    return Harvest(tuple(files), total_bytes, tuple((path, reason) for path, reason in left_out))
