"""The watched project's own metadata and compiled parts, built from one exact checkout.

The code under test stays that of ``/repo``: of the built wheel only what the checkout lacks is used. Its
``.dist-info``, and packages that do not exist in the checkout at all, lie in a directory that comes after
``/repo`` on the path. Files that a build adds *inside* the checkout's packages (``_version.py``, compiled
extensions) cannot come from a second path entry, which would hide or shadow whole packages: they are put
into the overlay, and only where the checkout has no file of that name.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import anyio
import anyio.to_thread

from repo_guardian.errors import BuildFailedError
from repo_guardian.sandbox.toolchain import BuildPlan, Workshop, build_wheel, unwritable
from repo_guardian.tools.dependencies import BuildSystem, Declared

PROJECT = "/toolchain/project"
"""Where ``ProjectBuild.path`` is mounted; it comes after the roots of ``/repo`` on the path."""

NO_VERSION = "0+guardian"
"""The version of a project that computes its own from a history, which a checkout has not."""

_FORMAT = 1
_PKG_INFO_BYTES = 1024**2
_MOST_GENERATED = 500
_GENERATED_BYTES = 256 * 1024**2
UNBUILT = frozenset({".git", "test", "tests", "testing", "doc", "docs", "examples", "benchmarks", ".github"})
"""Folders at the top of a tree that change no metadata: a change in them alone needs no other build."""


@dataclass(frozen=True, slots=True)
class ProjectBuild:
    """What a build added to a checkout.

    Attributes:
        path: directory to mount at ``PROJECT``.
        digest: of what went into the build. Hexadecimal.
        name, version: of the built distribution.
        generated: repository-relative paths that the checkout lacks, and where their content lies.
    """

    path: Path
    digest: str
    name: str
    version: str
    generated: tuple[tuple[str, Path], ...] = ()

    def edit(self) -> dict[str, bytes]:
        """The generated files as an edit of the overlay; reads them."""
        return {path: content.read_bytes() for path, content in self.generated}


async def prepare_project(
    workshop: Workshop, checkout: Path, declared: Declared, *, root: Path, version: str = ""
) -> ProjectBuild | None:
    """Build the project at ``checkout`` in a sandbox, or take what an equal tree gave; None when it is none.

    Args:
        workshop: the sandbox, the Python, and where builders are kept.
        declared: what that checkout declares.
        root: directory on the host that keeps such builds.
        version: what to tell plugins that compute a version from a history.

    Raises:
        BuildFailedError: the build failed; says what is missing where that can be told.
        ToolchainError: what the build needs cannot be had.
        SandboxError: the sandbox itself failed.
        StateDirError: ``root`` cannot be written.
    """
    if declared.build is None:
        return None
    try:
        return await _provide(workshop, checkout, declared, root, version)
    except OSError as error:
        raise unwritable(root, error) from error


async def _provide(
    workshop: Workshop, checkout: Path, declared: Declared, root: Path, version: str
) -> ProjectBuild | None:
    system = declared.build or BuildSystem()
    version = version or declared.version or await anyio.to_thread.run_sync(_stated_version, checkout)
    digest = await anyio.to_thread.run_sync(_digest, workshop, checkout, declared, version)
    place = root / digest
    known = await anyio.to_thread.run_sync(_read, place)
    if known is not None:
        return known
    work = await anyio.to_thread.run_sync(_scratch, root)
    try:
        plan = BuildPlan(
            checkout=checkout,
            backend=system.backend,
            backend_path=system.backend_path,
            requires=tuple(item.text for item in system.requires),
            environment=_version_variables(version),
        )
        wheel = await build_wheel(workshop, plan, work / "wheel")
        await anyio.to_thread.run_sync(_publish, wheel, checkout, work, place)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: shutil.rmtree(work, ignore_errors=True))
    return await anyio.to_thread.run_sync(_read, place)


def _stated_version(checkout: Path) -> str:
    """The version in the ``PKG-INFO`` that a source release carries; the stand-in where there is none."""
    from packaging.metadata import parse_email
    from packaging.version import InvalidVersion, Version

    path = checkout / "PKG-INFO"
    try:
        content = b"" if path.is_symlink() else path.read_bytes()[:_PKG_INFO_BYTES]
        return str(Version(parse_email(content)[0].get("version", "")))
    except (OSError, InvalidVersion):
        return NO_VERSION


def _version_variables(version: str) -> dict[str, str]:
    """What tells each plugin the version that it would compute from a history."""
    return {
        "SETUPTOOLS_SCM_PRETEND_VERSION": version,
        "PDM_BUILD_SCM_VERSION": version,
        "PBR_VERSION": version,
        "POETRY_DYNAMIC_VERSIONING_BYPASS": version,
    }


def _scratch(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".building-", dir=root))
    for name in ("made", "made/site", "made/generated"):
        (work / name).mkdir()
    return work


def _files(checkout: Path) -> Iterator[str]:
    """Repository-relative paths of regular files and links, sorted; nothing is followed."""
    for folder, folders, names in os.walk(checkout):
        folders.sort()
        base = Path(folder).relative_to(checkout)
        if ".git" in folders:
            folders.remove(".git")
        for name in sorted(names):
            yield (base / name).as_posix()


def _digest(workshop: Workshop, checkout: Path, declared: Declared, version: str) -> str:
    total = hashlib.sha256()
    inputs = [_FORMAT, list(workshop.runtime.version), str(workshop.cutoff), str(declared.build), version]
    total.update(json.dumps(inputs).encode())
    for name in _files(checkout):
        if name.partition("/")[0] in UNBUILT:
            continue
        path = checkout / name
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        total.update(f"\0{name}\0{path.lstat().st_mode:o}\0".encode("utf-8", "surrogateescape"))
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()[:32]


def _publish(wheel: Path, checkout: Path, work: Path, place: Path) -> None:
    made = work / "made"
    existing = set(_files(checkout))
    generated: list[str] = []
    with zipfile.ZipFile(wheel) as archive:
        members = {_installed(name): name for name in archive.namelist() if not name.endswith("/")}
        roots = _roots(existing, members)
        for target, member in members.items():
            if not target:
                continue
            home = roots.get(target.partition("/")[0])
            if home is None:
                _extract(archive, member, made / "site" / target)
            elif f"{home}{target}" not in existing and not target.endswith(".pyc"):
                generated.append(f"{home}{target}")
                _extract(archive, member, made / "generated" / generated[-1])
            if len(generated) > _MOST_GENERATED:
                raise BuildFailedError("the build adds too many files", hint="see its build backend")
    if sum((made / "generated" / name).stat().st_size for name in generated) > _GENERATED_BYTES:
        raise BuildFailedError("the build adds files that are too large", hint="see its build backend")
    name, version = wheel.name.split("-")[:2]
    record = {"name": name, "version": version, "generated": sorted(generated)}
    (made / "record.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
    try:
        made.rename(place)
    except OSError:
        if not (place / "record.json").is_file():
            raise  # not merely another process that was first


def _installed(member: str) -> str:
    """Where an installer puts a member, relative to the packages; "" for scripts, headers and data."""
    top, _, rest = member.partition("/")
    if not top.endswith(".data"):
        return member
    scheme, _, inner = rest.partition("/")
    return inner if scheme in ("purelib", "platlib") else ""


def _roots(existing: set[str], members: dict[str, str]) -> dict[str, str]:
    """For each top-level name of the wheel that the checkout has, the folder ("" or "src/") that it is in.

    The folder under which most of the name's files exist; a name without a single one is not in the checkout.
    """
    folders = {"", *(f"{parent}/" for path in existing for parent in _parents(path))}
    counts: dict[str, Counter[str]] = {}
    for target in members:
        top = target.partition("/")[0]
        if top.endswith(".dist-info"):
            continue
        for folder in folders:
            if f"{folder}{target}" in existing:
                counts.setdefault(top, Counter())[folder] += 1
    return {top: min(found, key=lambda folder: (-found[folder], folder)) for top, found in counts.items()}


def _parents(path: str) -> list[str]:
    """The folders above ``path``, at most two levels deep: no project keeps its packages deeper."""
    parents = [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]
    return [parent for parent in parents if parent.count("/") < 2]


def _extract(archive: zipfile.ZipFile, member: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, target.open("wb") as stream:
        shutil.copyfileobj(source, stream)


def _read(place: Path) -> ProjectBuild | None:
    try:
        record = json.loads((place / "record.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    generated = tuple((name, place / "generated" / name) for name in record["generated"])
    return ProjectBuild(place / "site", place.name, record["name"], record["version"], generated)
