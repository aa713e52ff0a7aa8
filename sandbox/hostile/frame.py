"""The frame of the hostile battery: what an attack is, and what has to hold during and after each.

An attack ends in a typed outcome: how its process ended, or the error that it provoked. Then the sandbox
has to serve the next command, and after a reset be as fresh as at first: the tree whole, nothing changed,
nothing left. The checkout on the host and the folder beside it have to be byte-identical.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from repo_guardian.errors import SandboxError, SandboxUnavailableError
from repo_guardian.sandbox.conformance.frame import (
    LIMITS,
    demand,
    failures,
    make_checkout,
    summary,
    tree_digest,
)
from repo_guardian.sandbox.interface import (
    Backend,
    CommandResult,
    Limits,
    ProcessStatus,
    Sandbox,
    SandboxSpec,
)

SHORT = replace(LIMITS, wall_s=1.5, cpu_s=5)
"""For attacks that never end by themselves."""

_FRESH = "cat a.txt && ls -A /out /tmp && echo x > fresh && rm fresh && test ! -e /dev/shm/left"

_PRELUDE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
gained = []
def attempt(label, call):
    # Only OSError is a refusal: any other exception is a mistake in the attack and ends it.
    try:
        answer = call()
    except OSError:
        return
    if not (isinstance(answer, int) and answer < 0):
        gained.append(label)
"""
_POSTLUDE = """
print("gained:", *gained, sep="\\n", flush=True)
"""


@dataclass(frozen=True, slots=True)
class Arena:
    """Where an attack takes place.

    ``sandbox`` is open over ``spec.checkout``; ``beside`` is a folder of the host that no sandbox is given
    and that must not change. ``backend`` and ``spec`` open further sandboxes.
    """

    backend: Backend
    spec: SandboxSpec
    sandbox: Sandbox
    beside: Path

    async def python(self, code: str, *arguments: str, limits: Limits | None = None) -> CommandResult:
        """Run Python text inside, in ``/repo``."""
        return await self.sandbox.run([self.sandbox.python, "-c", code, *arguments], limits=limits)

    async def nothing_gained(self, code: str, *arguments: str, limits: Limits | None = None) -> CommandResult:
        """Run Python text that calls ``attempt(label, call)``: it must get to its end and gain nothing."""
        result = await self.python(_PRELUDE + code + _POSTLUDE, *arguments, limits=limits)
        demand(result.ok, f"the attack did not get to its end: {summary(result)}")
        _, _, gained = result.stdout.decode("utf-8", "replace").partition("gained:\n")
        demand(result.stdout.startswith(b"gained:\n") and not gained, f"gained: {' '.join(gained.split())}")
        return result


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack.

    Attributes:
        name: short, with underscores.
        run: tries it and returns its typed outcome and what was seen; fails by ``demand``.
    """

    name: str
    run: Callable[[Arena], Awaitable[tuple[ProcessStatus, str]]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One line of the battery's table.

    ``outcome`` is the ``ProcessStatus`` of the attack, or ``error`` when the sandbox raised; ``held`` says
    that it gained nothing and that the next probe worked; ``detail`` is what was seen.
    """

    family: str
    name: str
    outcome: str
    held: bool
    detail: str


def ended(name: str, code: str, *statuses: ProcessStatus, limits: Limits = SHORT) -> Attack:
    """An attack that has to end with one of ``statuses``; where it exits, its code may be anything."""

    async def run(arena: Arena) -> tuple[ProcessStatus, str]:
        result = await arena.python(code, limits=limits)
        demand(result.status in statuses, f"it ended as {summary(result)}")
        return result.status, summary(result)

    return Attack(name, run)


def refused(name: str, code: str, detail: str) -> Attack:
    """An attack that tries things with ``attempt(label, call)``, each of which has to be refused."""

    async def run(arena: Arena) -> tuple[ProcessStatus, str]:
        result = await arena.nothing_gained(code)
        return result.status, detail

    return Attack(name, run)


def counted(result: CommandResult) -> int:
    """The number that an attack printed last; it must have exited with 0."""
    demand(result.ok, f"it ended as {summary(result)}")
    return int(result.stdout.split()[-1])


def make_beside(folder: Path) -> Path:
    """A folder that plays the watched repository and another tree's checkout, writable by anyone."""
    for name, text in {
        "watched/.git/config": "[core]\n",
        "watched/.git/hooks/pre-commit": "#!/bin/sh\n",
        "watched/a.txt": "watched\n",
        "other/a.txt": "other\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o666)
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o777)
    return folder


async def _next_probe(sandbox: Sandbox) -> None:
    """Commands work at once, and after a reset nothing of the attack is left."""
    result = await sandbox.run(["sh", "-c", "echo works"], cwd="/")
    demand(result.ok and result.stdout == b"works\n", f"the next command ended as {summary(result)}")
    await sandbox.reset()
    fresh = await sandbox.run(["sh", "-c", _FRESH])
    listed = fresh.stdout.decode("utf-8", "replace").split()
    demand(fresh.ok, f"after a reset: {summary(fresh)}")
    demand(listed[0] == "a" and {*listed[1:]} <= {"/out:", "/tmp:"}, f"left over: {listed}")  # noqa: S108 - inside
    demand(await sandbox.evidence_diff() == (), "the overlay is not fresh after a reset")


async def run_attack(backend: Backend, family: str, attack: Attack, folder: Path) -> Outcome:
    """Run one attack in a sandbox of its own; ``folder`` must be empty.

    Raises:
        SandboxUnavailableError: the backend cannot open a sandbox at all.
    """
    checkout, beside = make_checkout(folder / "checkout"), make_beside(folder / "beside")
    before = tree_digest(folder)
    spec = SandboxSpec(checkout, commit="hostile", limits=LIMITS)
    outcome, detail = "none", ""
    try:
        with failures() as failed:
            async with backend.open(spec) as sandbox:
                status, detail = await attack.run(Arena(backend, spec, sandbox, beside))
                outcome = status.value
                await _next_probe(sandbox)
            demand(tree_digest(folder) == before, "files of the host have changed")
    except SandboxUnavailableError:
        raise
    except SandboxError as error:
        return Outcome(family, attack.name, "error", held=False, detail=str(error))
    return Outcome(family, attack.name, outcome, held=not failed, detail=failed[0] if failed else detail)
