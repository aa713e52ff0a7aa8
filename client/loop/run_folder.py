"""The folder of one run: its reports and its decision log, whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from repo_guardian.errors import DiskFullError, StateDirError
from repo_guardian.server.contract.cycles import Decision

DECISION_LOG = "decisions.jsonl"


def render_decisions(decisions: Sequence[Decision]) -> bytes:
    """The decision log: one JSON record per line and tool call."""
    return "".join(f"{decision.model_dump_json()}\n" for decision in decisions).encode()


@contextmanager
def staged(path: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """Write ``files`` beside ``path`` and put them in place with one rename when the block succeeds.

    What can fail for want of room fails before the block begins; when the block fails nothing remains.
    An older folder at ``path`` is replaced.

    Raises:
        StateDirError: the folder cannot be written.
        DiskFullError: there is no room for it.
    """
    with _typed(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        with _typed(path):
            temporary.chmod(0o755)
            for name, content in files.items():
                (temporary / name).write_bytes(content)
        yield
        with _typed(path):
            if path.exists():
                shutil.rmtree(path)
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _typed(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"no room for the report in {path.parent}", hint="free some space and run the cycle again"
            ) from error
        raise StateDirError(
            f"cannot write the report to {path.parent}: {os.strerror(error.errno or 0)}",
            hint="make the directory writable, or name another one with --out",
        ) from error
