"""A toolchain for what a repository declares: wheels where they exist, else built here from source.

*Acquire* takes wheels. What has none is fetched as a source distribution and built in a sandbox, once per
archive and Python; its wheel is then offered to the installer beside the index. What cannot be had at all
is left out step by step, and said, so that tests that do not need it can still run.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import anyio
import anyio.to_thread

from repo_guardian.errors import BuildFailedError, NoWheelError, ToolchainError
from repo_guardian.sandbox.toolchain.acquire import Toolchain, acquire, present, unwritable
from repo_guardian.sandbox.toolchain.build import BuildPlan, Workshop, build_wheel
from repo_guardian.sandbox.toolchain.installer import NETWORK_HINT, platform_of
from repo_guardian.sandbox.toolchain.sources import SourceArchive, fetch_source

BUILT = "built"
"""The folder below the root of toolchains that keeps wheels built here, by hash of archive and Python."""

SETS = "sets"
"""The folder below the root that says which toolchain belongs to which set of inputs."""

_MOST_BUILDS = 12


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a toolchain is made from: requirements (needed, and for tests), and a lock file's pins."""

    requirements: tuple[str, ...]
    tests: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    def steps(self) -> list[tuple[Wanted, str]]:
        """Ever less to ask for, each with what its choice gives up."""
        steps = [(self, "")]
        if self.constraints:
            steps.append((replace(self, constraints=()), "the versions of the lock file are not used"))
        if self.tests:
            steps.append((Wanted(self.requirements), "what only the tests need is left out"))
        return steps


async def provision(workshop: Workshop, wanted: Wanted) -> Toolchain:
    """The largest part of ``wanted`` that can be had; what is given up stands in ``Toolchain.problems``.

    Made once for the same inputs and remembered, what was given up included, unless the reason may pass,
    such as a network that does not answer. Needs no network when it is there.

    Raises:
        ToolchainError: not even ``requirements`` alone can be had.
        StateDirError: the folder of toolchains cannot be written.
    """
    note = workshop.root / SETS / f"{_digest(workshop, json.dumps(astuple(wanted)))}.json"
    known = await _remembered(workshop, note)
    if known is not None:
        return known
    given_up: list[str] = []
    lasting = True
    steps = wanted.steps()
    for number, (step, loss) in enumerate(steps):
        given_up += [loss] if loss else []
        try:
            made = await _with_sources(workshop, step)
        except ToolchainError as error:
            if number == len(steps) - 1:
                raise
            given_up.append(str(error))
            lasting = lasting and error.hint != NETWORK_HINT
            continue
        made = replace(made, problems=(*made.problems, *given_up))
        if lasting:
            await anyio.to_thread.run_sync(_remember, note, made)
        return made
    raise ToolchainError("nothing was asked for")


async def _remembered(workshop: Workshop, note: Path) -> Toolchain | None:
    try:
        record = json.loads(await anyio.Path(note).read_text(encoding="utf-8"))
        digest, requirements, problems = record["digest"], record["requirements"], record["problems"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    made = await present(workshop.root, str(digest), tuple(requirements))
    return None if made is None else replace(made, problems=tuple(problems))


def _remember(note: Path, made: Toolchain) -> None:
    record = {"digest": made.digest, "requirements": made.requirements, "problems": made.problems}
    try:
        note.parent.mkdir(exist_ok=True)
        part = note.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(record, indent=1), encoding="utf-8")
        part.replace(note)
    except OSError as error:
        raise unwritable(note.parent, error) from error


async def _with_sources(workshop: Workshop, wanted: Wanted) -> Toolchain:
    wheels: list[Path] = []
    tried: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="guardian-wheels-") as scratch:
        offered = Path(scratch)
        while True:
            try:
                return await acquire(
                    (*wanted.requirements, *wanted.tests),
                    runtime=workshop.runtime,
                    root=workshop.root,
                    cutoff=workshop.cutoff,
                    constraints=wanted.constraints,
                    wheels=offered if wheels else None,
                )
            except NoWheelError as error:
                names = [name for name in error.names if name not in tried]
                if not names or len(tried) + len(names) > _MOST_BUILDS:
                    raise
            for name in names:
                tried.add(name)
                wheels.append(await _built(workshop, name, wanted))
                await anyio.to_thread.run_sync(shutil.copy, wheels[-1], offered)


async def _built(workshop: Workshop, name: str, wanted: Wanted) -> Path:
    """A wheel of the source distribution of ``name``, from an earlier time or built now."""
    work = await anyio.to_thread.run_sync(_scratch, workshop.root)
    try:
        checkout = work / "checkout"
        await anyio.to_thread.run_sync(checkout.mkdir)
        archive = await anyio.to_thread.run_sync(_fetch, workshop, name, wanted, checkout)
        place = workshop.root / BUILT / _digest(workshop, archive.sha256, dated=False)
        kept = await anyio.to_thread.run_sync(lambda: sorted(place.glob("*.whl")))
        if kept:
            return kept[0]
        return await _build(workshop, BuildPlan(checkout, archive.path.name), place, archive)
    except OSError as error:
        raise unwritable(workshop.root, error) from error
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(work, ignore_errors=True))


async def _build(workshop: Workshop, plan: BuildPlan, place: Path, archive: SourceArchive) -> Path:
    try:
        return await build_wheel(workshop, plan, place)
    except ToolchainError as error:
        text = f"{archive.name} {archive.version} has no wheel: {error.message}"
        kind = BuildFailedError if isinstance(error, BuildFailedError) else ToolchainError
        raise kind(text, hint=error.hint) from error


def _scratch(root: Path) -> Path:
    try:
        root.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=".building-", dir=root))
    except OSError as error:
        raise unwritable(root, error) from error


def _fetch(workshop: Workshop, name: str, wanted: Wanted, folder: Path) -> SourceArchive:
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.specifiers import SpecifierSet
    from packaging.utils import canonicalize_name

    major, minor = workshop.runtime.version
    python = {"python_version": f"{major}.{minor}", "python_full_version": f"{major}.{minor}.0"}
    specifier = SpecifierSet()
    for text in (*wanted.requirements, *wanted.tests, *wanted.constraints):
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        applies = requirement.marker is None or requirement.marker.evaluate(python)
        if canonicalize_name(requirement.name) == canonicalize_name(name) and applies:
            specifier &= requirement.specifier
    pinned = any(text.partition("==")[0] == canonicalize_name(name) for text in wanted.constraints)
    cutoff = workshop.cutoff
    return fetch_source(name, specifier, folder, until=cutoff.locked if pinned else cutoff.released)


def _digest(workshop: Workshop, what: str, *, dated: bool = True) -> str:
    text = [what, list(workshop.runtime.version), platform_of(workshop.runtime)]
    text += [str(workshop.cutoff)] if dated else []
    return hashlib.sha256(json.dumps(text).encode()).hexdigest()[:32]
