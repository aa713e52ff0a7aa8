"""The frame of the conformance suite: what a case is, what it may use, and how one is run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from repo_guardian.sandbox.interface import (
    Backend,
    Check,
    CommandResult,
    Limits,
    ProcessStatus,
    Profile,
    Sandbox,
    SandboxSpec,
)

LIMITS = Limits(
    wall_s=20.0,
    cpu_s=10,
    memory_bytes=256 * 1024**2,
    processes=16,
    file_size_bytes=4 * 1024**2,
    disk_bytes=16 * 1024**2,
    disk_inodes=500,
    output_bytes=64 * 1024,
)
"""Small enough that each is reached at once."""

_TREE = {
    "a.txt": b"a\n",
    "pkg/__init__.py": b"",
    "pkg/m.py": b"VALUE = 1\n",
    "run.sh": b"#!/bin/sh\necho ran\n",
    "large.bin": bytes(6 * 1024**2),  # more than a command may write to one file
}


class _Violation(Exception):
    """A backend does not do what a case demands; the text says what was seen instead."""


@dataclass(frozen=True, slots=True)
class Case:
    """One demand on a backend.

    Attributes:
        name: short, with underscores.
        run: tries it in a sandbox opened with ``LIMITS`` over the checkout on the host that it is also
            given; returns what was seen, in one line, or fails by ``demand``.
        isolation: only a backend that isolates can meet it.
        fast: part of the self-check.
        profile: of the sandbox that it is tried in.
    """

    name: str
    run: Callable[[Sandbox, Path], Awaitable[str]]
    isolation: bool = False
    fast: bool = False
    profile: Profile = Profile.EXECUTE


@dataclass(frozen=True, slots=True)
class BackendCase:
    """One demand that takes sandboxes of its own making, opened over a specification to start from.

    Attributes:
        name, isolation, fast: as of ``Case``.
        run: tries it; returns what was seen, in one line, or fails by ``demand``.
    """

    name: str
    run: Callable[[Backend, SandboxSpec], Awaitable[str]]
    isolation: bool = False
    fast: bool = False


@contextmanager
def failures() -> Iterator[list[str]]:
    """Receives what a failed ``demand`` in the block has seen; the block ends there."""
    seen: list[str] = []
    try:
        yield seen
    except _Violation as violation:
        seen.append(str(violation))


def demand(holds: bool, seen: str) -> None:
    """End the case as failed, with what was ``seen``, unless ``holds``."""
    if not holds:
        raise _Violation(seen)


def summary(result: CommandResult) -> str:
    """A result in one line."""
    number = result.exit_code if result.exit_code is not None else result.signal
    text = (result.stderr or result.stdout).decode("utf-8", "replace").strip().splitlines()
    words = [
        result.status,
        "" if number is None else str(number),
        result.reason or (text[-1] if text else ""),
    ]
    return " ".join(word for word in words if word)


def demand_status(result: CommandResult, *statuses: ProcessStatus) -> None:
    """End the case as failed unless the result has one of ``statuses``."""
    demand(result.status in statuses, f"{' '.join(result.argv)[:80]!r} ended as {summary(result)}")


async def output_of(sandbox: Sandbox, *argv: str) -> str:
    """What a command prints; it must succeed."""
    result = await sandbox.run(argv)
    demand(result.ok, f"{argv[0]!r} ended as {summary(result)}")
    return result.stdout.decode("utf-8", "replace")


async def python(sandbox: Sandbox, code: str, *arguments: str, limits: Limits | None = None) -> CommandResult:
    """Run Python text inside."""
    return await sandbox.run([sandbox.python, "-c", code, *arguments], limits=limits)


def make_checkout(folder: Path) -> Path:
    """Write the small tree that the cases expect below ``folder`` and return it."""
    for name, content in _TREE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("a.txt")
    return folder


def tree_digest(folder: Path) -> str:
    """A digest of names, kinds, modes and contents below ``folder``."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        content = b""
        if path.is_symlink():
            content = os.fsencode(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        digest.update(repr((str(path.relative_to(folder)), info.st_mode, content)).encode())
    return digest.hexdigest()


async def run_case(backend: Backend, case: Case | BackendCase, folder: Path) -> Check:
    """Run one case in a sandbox of its own over a checkout made in ``folder``, which must be empty."""
    checkout = make_checkout(folder)
    before = tree_digest(checkout)
    spec = SandboxSpec(checkout, commit="conformance", limits=LIMITS)
    seen = ""
    with failures() as failed:
        if isinstance(case, BackendCase):
            seen = await case.run(backend, spec)
        else:
            async with backend.open(replace(spec, profile=case.profile)) as sandbox:
                seen = await case.run(sandbox, checkout)
        demand(tree_digest(checkout) == before, "the checkout has changed")
    return Check(case.name, passed=not failed, detail=failed[0] if failed else seen)
