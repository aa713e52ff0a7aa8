"""Toolchains as directories under a root, one per set of inputs: made once, then used offline.

``ROOT/DIGEST/site`` holds the packages and ``ROOT/DIGEST/record.json`` what they are. A toolchain appears
by an atomic rename, so it is whole or not there, and two processes that make the same one do no harm.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import anyio
import anyio.to_thread

from repo_guardian.errors import DiskFullError, StateDirError, ToolchainError
from repo_guardian.sandbox.toolchain.installer import install_wheels
from repo_guardian.sandbox.toolchain.requirements import accept_requirements

_FORMAT = 1
"""Part of every digest: raise it when the same inputs shall give another directory."""

_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Installed packages.

    Attributes:
        path: the directory to put on ``PYTHONPATH``, to be mounted read-only.
        digest: of all inputs: requirements, Python, platform, date. Hexadecimal.
        requirements: what was asked for, as accepted.
        resolved: ``name==version`` of each package in it, sorted.
        problems: requirements that were left out, and why, a line each.
    """

    path: Path
    digest: str
    requirements: tuple[str, ...]
    resolved: tuple[str, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Order:
    """What one directory is made from; ``options`` are uv's and never come from strangers."""

    requirements: tuple[str, ...]
    python_version: tuple[int, int]
    lines: str
    options: tuple[str, ...]

    @property
    def digest(self) -> str:
        inputs = [
            _FORMAT,
            list(self.python_version),
            sysconfig.get_platform(),
            self.lines,
            list(self.options),
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:32]


async def acquire(
    requirements: Sequence[str],
    *,
    python: str,
    python_version: tuple[int, int],
    root: Path,
    as_of: datetime | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> Toolchain:
    """The packages that ``requirements`` ask for, as the index offered them at the end of a day.

    Args:
        requirements: PEP 508 strings, trusted in no way; those that are not plain names with versions are
            left out and reported in ``Toolchain.problems``.
        python: host path of the interpreter that they are for.
        python_version: its ``(major, minor)``.
        root: directory on the host that keeps toolchains.
        as_of: releases after that day (UTC) do not exist; None for no such bound. By day, so that the
            commits of a day share a toolchain and a commit may use what was released before it that day.
        timeout_s: seconds for the whole installation.

    Raises:
        ToolchainError: none of the requirements is usable, or they could not be resolved or fetched.
        StateDirError: ``root`` cannot be written.
    """
    accepted = accept_requirements(requirements)
    if requirements and not accepted.requirements:
        raise ToolchainError(
            f"no dependency can be taken: {accepted.problems[0]}",
            hint="only releases by name and version are",
        )
    options: tuple[str, ...] = ()
    if as_of is not None:
        day = as_of.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        options = ("--exclude-newer", day.strftime("%Y-%m-%dT%H:%M:%SZ"))
    lines = "".join(f"{text}\n" for text in accepted.requirements)
    order = _Order(accepted.requirements, python_version, lines, options)
    return await _provide(order, root, python, accepted.problems, timeout_s)


async def acquire_harness(
    *, python: str, python_version: tuple[int, int], root: Path, timeout_s: float = _TIMEOUT_S
) -> Toolchain:
    """The test runner, in the versions and with the hashes of ``harness.lock``.

    Raises:
        ToolchainError: it could not be fetched, or a hash does not match.
        StateDirError: ``root`` cannot be written.
    """
    lock = files(__package__).joinpath("harness.lock").read_text(encoding="utf-8")
    order = _Order(("pytest",), python_version, lock, ("--require-hashes",))
    return await _provide(order, root, python, (), timeout_s)


async def _provide(
    order: _Order, root: Path, python: str, problems: tuple[str, ...], timeout_s: float
) -> Toolchain:
    place = root / order.digest
    resolved = await anyio.to_thread.run_sync(_read_record, place)
    if resolved is None:
        await _make(order, root, place, python, timeout_s)
        resolved = await anyio.to_thread.run_sync(_read_record, place)
    if resolved is None:
        raise ToolchainError(f"{place} is damaged", hint="delete that directory and try again")
    return Toolchain(place / "site", order.digest, order.requirements, resolved, problems)


async def _make(order: _Order, root: Path, place: Path, python: str, timeout_s: float) -> None:
    try:
        work = await anyio.to_thread.run_sync(_begin, order, root)
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        request, site = work / "requirements.txt", work / "site"
        if order.requirements:
            await install_wheels(request, site, python=python, options=order.options, timeout_s=timeout_s)
        await anyio.to_thread.run_sync(_publish, order, work, place)
    except OSError as error:
        raise _unwritable(root, error) from error
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(work, ignore_errors=True))


def _begin(order: _Order, root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=root))
    (work / "site").mkdir()
    (work / "requirements.txt").write_text(order.lines, encoding="utf-8")
    return work


def _publish(order: _Order, work: Path, place: Path) -> None:
    from importlib.metadata import distributions

    found = {(d.metadata["Name"] or "?", d.version) for d in distributions(path=[str(work / "site")])}
    record = {
        "format": _FORMAT,
        "requirements": list(order.requirements),
        "resolved": sorted(f"{name}=={version}" for name, version in found),
    }
    (work / "record.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
    work.chmod(0o755)  # mkdtemp makes it private; the unprivileged user of a sandbox reads it
    try:
        work.rename(place)
    except OSError:
        if not (place / "record.json").is_file():
            raise  # not merely another process that was first


def _read_record(place: Path) -> tuple[str, ...] | None:
    try:
        record = json.loads((place / "record.json").read_text(encoding="utf-8"))
        return tuple(str(name) for name in record["resolved"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolchainError(f"{place} is damaged", hint="delete that directory and try again") from error


def _unwritable(root: Path, error: OSError) -> StateDirError:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"no room left for dependencies in {root}", hint="free some space")
    return StateDirError(f"cannot write to {root}: {error.strerror}", hint="check its owner and permissions")
