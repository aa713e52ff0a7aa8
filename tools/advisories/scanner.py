"""Runs the pinned scanner over a database in the sandbox's *tool* profile, and reads its answer.

The database is the checkout, mounted read-only; the watched repository is not in the sandbox at all, only
the names and versions that it pins. The answer is judged like any output of a sandbox: it must have the
shape below and speak of exactly the pins that were asked about, else the scanner has failed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.interface import (
    REPO,
    Backend,
    CommandResult,
    Limits,
    ProcessStatus,
    Profile,
    PythonRuntime,
    ReadOnlyMount,
    SandboxSpec,
)
from repo_guardian.sandbox.toolchain import Toolchain, acquire_scanner
from repo_guardian.tools.advisories.database import OpenDatabase
from repo_guardian.tools.advisories.inside import INSIDE_SOURCE, PACKAGE, PATH
from repo_guardian.tools.advisories.inside.osv import Affected
from repo_guardian.tools.advisories.interface import DatabaseFacts

LIMITS = Limits(wall_s=300.0, cpu_s=300, output_bytes=64 * 1024**2)
"""Of one scan. OSV's archive of PyPI is read whole: some hundred megabytes of JSON."""

OLDEST_PYTHON = (3, 10)
"""What pip-audit needs at least."""

_TOOLCHAIN = "/toolchain/scanner"
_TOLD_CHARS = 300
_CLOCKS_DIFFER = timedelta(days=1)


class Ranges(msgspec.Struct, frozen=True):
    """What an advisory says of a package; see ``inside.osv.Affected``."""

    versions: list[str]
    ranges: list[list[tuple[str, str]]]

    def affected(self) -> Affected:
        """The same as the value that judges."""
        return Affected(tuple(self.versions), tuple(tuple(events) for events in self.ranges))


class Found(msgspec.Struct, frozen=True):
    """One advisory that affects a pin."""

    id: str
    aliases: list[str]
    summary: str
    published: str
    affected: list[Ranges]


class Entry(msgspec.Struct, frozen=True):
    """What was found of one pin.

    ``skipped`` says why it was not judged, ``doubts`` what may be missing beside ``advisories``; ``others``
    are those of the package that do not affect this version, but may affect another.
    """

    name: str
    version: str
    skipped: str
    advisories: list[Found]
    others: list[Ranges]
    doubts: list[str]


class Counts(msgspec.Struct, frozen=True):
    """What the database holds; see ``interface.DatabaseFacts``."""

    advisories: int
    packages: int
    withdrawn: int
    elsewhere: int
    modified: str
    unreadable: list[str]
    unreadable_count: int


class Answer(msgspec.Struct, frozen=True):
    """All that the scanner prints."""

    scanner: str
    database: Counts
    packages: list[Entry]


@dataclass(frozen=True, slots=True)
class Scan:
    """How a scan ended: with an answer, or with ``failure`` in a line."""

    answer: Answer | None
    failure: str = ""


async def prepare_scanner(backend: Backend, root: Path) -> tuple[Toolchain, PythonRuntime]:
    """The pinned scanner for a Python of ``backend``; offline when it is there.

    Raises:
        ToolchainError: no Python is recent enough, or the scanner cannot be had.
    """
    runtime = next((one for one in backend.interpreters() if one.version >= OLDEST_PYTHON), None)
    if runtime is None:
        needed = ".".join(map(str, OLDEST_PYTHON))
        raise ToolchainError(
            f"the scanner needs Python {needed}, and the {backend.name} sandbox has none",
            hint=f"install a Python of at least {needed}",
        )
    return await acquire_scanner(runtime=runtime, root=root), runtime


async def run_scanner(
    backend: Backend,
    scanner: tuple[Toolchain, PythonRuntime],
    database: OpenDatabase,
    pins: Sequence[tuple[str, str]],
    *,
    limits: Limits = LIMITS,
) -> Scan:
    """Look ``pins`` (canonical name, version) up in ``database``; never raises for what the scanner does.

    Raises:
        SandboxError: the sandbox could not be opened.
    """
    toolchain, runtime = scanner
    spec = SandboxSpec(
        checkout=database.folder,
        commit=database.commit or database.kind,
        mounts=(
            ReadOnlyMount(toolchain.path, _TOOLCHAIN),
            ReadOnlyMount(INSIDE_SOURCE, f"{PATH}/{PACKAGE}"),
        ),
        environment={"PYTHONPATH": f"{PATH}:{_TOOLCHAIN}"},
        limits=limits,
        profile=Profile.TOOL,
        python=runtime.version,
    )
    async with backend.open(spec) as sandbox:
        # Not in /repo: with -m, Python would import what a database puts there.
        command = [sandbox.python, "-B", "-m", f"{PACKAGE}.scan", REPO]
        result = await sandbox.run(command, cwd=PATH, stdin=json.dumps([list(pin) for pin in pins]).encode())
    return read_answer(result, pins)


def read_answer(result: CommandResult, pins: Sequence[tuple[str, str]]) -> Scan:
    """What a finished run says about ``pins``; anything but a whole and fitting answer is a failure."""
    failure = _failure(result)
    if failure:
        return Scan(None, failure)
    try:
        answer = msgspec.json.decode(result.stdout, type=Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Scan(None, f"its answer cannot be read: {str(error)[:_TOLD_CHARS]}")
    if [(entry.name, entry.version) for entry in answer.packages] != [tuple(pin) for pin in pins]:
        return Scan(None, "its answer is about other packages than it was asked about")
    return Scan(answer)


def _failure(result: CommandResult) -> str:
    if result.status is not ProcessStatus.EXITED:
        return f"{result.status.value.replace('_', ' ')} {result.reason}".strip()
    if result.exit_code != 0:
        lines = [line for line in result.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        last = ascii(lines[-1].strip()[:_TOLD_CHARS]) if lines else "no reason given"
        return f"exit code {result.exit_code}: {last}"
    return f"its answer is longer than {LIMITS.output_bytes} bytes" if result.stdout_truncated else ""


def facts_of(database: OpenDatabase, answer: Answer | None, *, now: datetime | None = None) -> DatabaseFacts:
    """What is known of a database: its place, and what the scanner counted, when it did.

    A date later than ``now`` (of the clock, unless given) is no date: it would make any database look fresh.
    """
    place = DatabaseFacts(database.location, database.kind, database.commit)
    latest = (now or datetime.now(UTC)) + _CLOCKS_DIFFER
    if answer is None:
        return replace(place, date=_sane(database.date, latest))
    counts = answer.database
    return replace(
        place,
        date=_sane(database.date or _moment(counts.modified), latest),
        advisories=counts.advisories,
        packages=counts.packages,
        withdrawn=counts.withdrawn,
        elsewhere=counts.elsewhere,
        unreadable=tuple(counts.unreadable),
        unreadable_count=counts.unreadable_count,
    )


def _sane(moment: datetime | None, latest: datetime) -> datetime | None:
    return moment if moment is not None and moment <= latest else None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
