"""Toolchains as directories under a root, one per set of inputs: made once, then used offline.

``ROOT/DIGEST/site`` holds the packages and ``ROOT/DIGEST/record.json`` what they are. A toolchain appears
by an atomic rename, so it is whole or not there, and two processes that make the same one do no harm.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import anyio
import anyio.to_thread

from repo_guardian.errors import DiskFullError, StateDirError, ToolchainError
from repo_guardian.sandbox.interface import PythonRuntime
from repo_guardian.sandbox.toolchain.cutoff import NO_CUTOFF, Cutoff
from repo_guardian.sandbox.toolchain.installer import Request, install_wheels, platform_of
from repo_guardian.sandbox.toolchain.requirements import accept_requirements

_FORMAT = 3
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
    """What one directory is made from; ``options`` are uv's and never come from strangers.

    ``wheels`` is a folder of wheels that were built here, offered beside the index.
    """

    requirements: tuple[str, ...]
    runtime: PythonRuntime
    lines: str
    constraints: str = ""
    options: tuple[str, ...] = ()
    wheels: Path | None = None

    @property
    def digest(self) -> str:
        built = sorted(wheel.name for wheel in self.wheels.iterdir()) if self.wheels is not None else []
        inputs = [
            *(_FORMAT, list(self.runtime.version), platform_of(self.runtime)),
            *(self.lines, self.constraints, list(self.options), built),
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:32]


async def acquire(
    requirements: Sequence[str],
    *,
    runtime: PythonRuntime,
    root: Path,
    cutoff: Cutoff = NO_CUTOFF,
    constraints: Sequence[str] = (),
    wheels: Path | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> Toolchain:
    """The packages that ``requirements`` ask for, as wheels that the index offered before a cut-off.

    Args:
        requirements: PEP 508 strings, trusted in no way; those that are not plain names with versions are
            left out and reported in ``Toolchain.problems``.
        runtime: the Python that they are for; it need not exist on the host.
        root: directory on the host that keeps toolchains.
        cutoff: which releases exist.
        constraints: ``name==version`` pins of a lock file, trusted no more.
        wheels: a folder of wheels that are offered beside those of the index.
        timeout_s: seconds for the whole installation.

    Raises:
        NoWheelError: some have no wheel; the error names them.
        ToolchainError: none of the requirements is usable, or they could not be resolved or fetched.
        StateDirError: ``root`` cannot be written.
    """
    accepted = accept_requirements(requirements)
    if requirements and not accepted.requirements:
        raise ToolchainError(
            f"no dependency can be taken: {accepted.problems[0]}",
            hint="only releases by name and version are",
        )
    pins = accept_requirements(constraints).requirements
    order = _Order(
        requirements=accepted.requirements,
        runtime=runtime,
        lines="".join(f"{text}\n" for text in accepted.requirements),
        constraints="".join(f"{text}\n" for text in pins),
        options=cutoff.options(tuple(text.partition("==")[0] for text in pins)),
        wheels=wheels,
    )
    return await _provide(order, root, accepted.problems, timeout_s)


async def acquire_pinned(
    lock: str, names: tuple[str, ...], *, runtime: PythonRuntime, root: Path, timeout_s: float = _TIMEOUT_S
) -> Toolchain:
    """The packages of one of our own lock files, by their hashes.

    Raises:
        ToolchainError: they could not be fetched, or a hash does not match.
        StateDirError: ``root`` cannot be written.
    """
    lines = files(__package__).joinpath(lock).read_text(encoding="utf-8")
    return await _provide(_Order(names, runtime, lines, options=("--require-hashes",)), root, (), timeout_s)


async def acquire_harness(*, runtime: PythonRuntime, root: Path, timeout_s: float = _TIMEOUT_S) -> Toolchain:
    """The test runner, in the versions and with the hashes of ``harness.lock``; see ``acquire_pinned``."""
    return await acquire_pinned("harness.lock", ("pytest",), runtime=runtime, root=root, timeout_s=timeout_s)


async def acquire_generator(
    *, runtime: PythonRuntime, root: Path, timeout_s: float = _TIMEOUT_S
) -> Toolchain:
    """What makes inputs from annotations, by ``generator.lock``; see ``acquire_pinned``."""
    names = ("hypothesis",)
    return await acquire_pinned("generator.lock", names, runtime=runtime, root=root, timeout_s=timeout_s)


async def acquire_scanner(*, runtime: PythonRuntime, root: Path, timeout_s: float = _TIMEOUT_S) -> Toolchain:
    """What looks dependencies up in an advisory database, by ``scanner.lock``; see ``acquire_pinned``."""
    names = ("pip-audit", "pyyaml")
    return await acquire_pinned("scanner.lock", names, runtime=runtime, root=root, timeout_s=timeout_s)


async def acquire_checker(*, runtime: PythonRuntime, root: Path, timeout_s: float = _TIMEOUT_S) -> Toolchain:
    """The type checker, by ``checker.lock``, for Python 3.10 and later; see ``acquire_pinned``."""
    return await acquire_pinned("checker.lock", ("mypy",), runtime=runtime, root=root, timeout_s=timeout_s)


async def _provide(order: _Order, root: Path, problems: tuple[str, ...], timeout_s: float) -> Toolchain:
    place = root / await anyio.to_thread.run_sync(lambda: order.digest)
    resolved = await anyio.to_thread.run_sync(_read_record, place)
    if resolved is None:
        await _make(order, root, place, timeout_s)
        resolved = await anyio.to_thread.run_sync(_read_record, place)
    if resolved is None:
        raise ToolchainError(f"{place} is damaged", hint="delete that directory and try again")
    return Toolchain(place / "site", place.name, order.requirements, resolved, problems)


async def _make(order: _Order, root: Path, place: Path, timeout_s: float) -> None:
    try:
        work = await anyio.to_thread.run_sync(_begin, order, root)
    except OSError as error:
        raise unwritable(root, error) from error
    try:
        if order.requirements:
            request = Request(work / "requirements.txt", work / "site", order.runtime, _options(order, work))
            await install_wheels(request, timeout_s=timeout_s)
        await anyio.to_thread.run_sync(_publish, order, work, place)
    except OSError as error:
        raise unwritable(root, error) from error
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(work, ignore_errors=True))


def _options(order: _Order, work: Path) -> tuple[str, ...]:
    constraints = ("--constraints", str(work / "constraints.txt")) if order.constraints else ()
    wheels = ("--find-links", str(order.wheels)) if order.wheels is not None else ()
    return (*order.options, *constraints, *wheels)


def _begin(order: _Order, root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=root))
    (work / "site").mkdir()
    (work / "requirements.txt").write_text(order.lines, encoding="utf-8")
    (work / "constraints.txt").write_text(order.constraints, encoding="utf-8")
    return work


def _point_scripts_inside(folder: Path, version: tuple[int, int]) -> None:
    """Let console scripts name the Python of a sandbox, found on its ``PATH``, not that of the host."""
    line = f"#!/usr/bin/env python{version[0]}.{version[1]}\n".encode()
    for script in folder.iterdir() if folder.is_dir() else ():
        if script.is_symlink() or not script.is_file():
            continue
        first, _, rest = script.read_bytes().partition(b"\n")
        if first.startswith(b"#!") and b"python" in first:
            script.write_bytes(line + rest)
        elif first == b"#!/bin/sh" and rest.startswith(b"'''exec' "):
            # The form that installers use where the path is too long for a first line.
            script.write_bytes(line + rest.partition(b"\n' '''\n")[2])


def _publish(order: _Order, work: Path, place: Path) -> None:
    from importlib.metadata import distributions

    _point_scripts_inside(work / "site" / "bin", order.runtime.version)
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


async def present(root: Path, digest: str, requirements: tuple[str, ...]) -> Toolchain | None:
    """The toolchain with that digest when it is there."""
    resolved = await anyio.to_thread.run_sync(_read_record, root / digest)
    return None if resolved is None else Toolchain(root / digest / "site", digest, requirements, resolved)


def _read_record(place: Path) -> tuple[str, ...] | None:
    try:
        record = json.loads((place / "record.json").read_text(encoding="utf-8"))
        return tuple(str(name) for name in record["resolved"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolchainError(f"{place} is damaged", hint="delete that directory and try again") from error


def unwritable(root: Path, error: OSError) -> StateDirError:
    """The error for a place that dependencies cannot be written to."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"no room left for dependencies in {root}", hint="free some space")
    return StateDirError(f"cannot write to {root}: {error.strerror}", hint="check its owner and permissions")
