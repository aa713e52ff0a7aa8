"""Which checkouts need a build before their code can be run, and a bench that has those builds.

Most pure Python runs from a checkout as it lies there. A build costs a second or more and, the first time,
the build tools; so one is made where something of it is needed: extensions, a version file, or metadata that
the code asks for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from anyio import to_thread

from repo_guardian.errors import ToolchainError
from repo_guardian.tools.dependencies import Declared, Read, declared_dependencies
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.project import UNBUILT, ProjectBuild, prepare_project

_ASKS = re.compile(rb"importlib[._]metadata|pkg_resources")
_COMPILES = re.compile(
    r"(cython|maturin|setuptools[-_]rust|scikit[-_]build|meson|cffi|mypy|pybind11|nanobind|cmake|numpy)", re.I
)
_EXTENSION = re.compile(rb"ext_modules|cffi_modules|rust_extensions|\bExtension\s*\(|ext-modules")
_FILE_BYTES = 2 * 1024**2
_MOST_FILES = 20_000


async def with_projects(
    bench: Bench, checkouts: Iterable[Checkout], *, root: Path, always: bool = False
) -> Bench:
    """``bench`` with the builds of those ``checkouts`` that need one.

    A build that fails is a problem of the toolchains, which is told, not an error.

    Args:
        root: the folder that keeps builds.
        always: build each, as a run of the repository's own suite wants it.

    Raises:
        SandboxError: the sandbox itself failed.
        StateDirError: ``root`` cannot be written.
    """
    projects: dict[str, ProjectBuild] = dict(bench.projects)
    problems = list(bench.toolchains.problems)
    for checkout in checkouts:
        declared = await to_thread.run_sync(declared_dependencies, reader(checkout.path))
        if not always and not await to_thread.run_sync(needs_build, checkout.path, declared):
            continue
        try:
            built = await prepare_project(
                bench.toolchains.workshop, checkout.path, declared, root=root, version=checkout.version
            )
        except ToolchainError as error:
            problems.append(f"{checkout.label}: {error}")
            continue
        if built is not None:
            projects[checkout.label] = built
    toolchains = replace(bench.toolchains, problems=tuple(dict.fromkeys(problems)))
    return replace(bench, toolchains=toolchains, projects=projects)


def reader(checkout: Path) -> Read:
    """The regular files of a checkout by repository-relative path; no link is followed, none leads out."""

    def read(path: str) -> bytes | None:
        parts = path.split("/")
        below = [checkout.joinpath(*parts[:count]) for count in range(1, len(parts) + 1)]
        if ".." in parts or path.startswith("/") or "\0" in path:
            return None
        try:
            linked = any(step.is_symlink() for step in below)
            return below[-1].read_bytes() if not linked and below[-1].is_file() else None
        except OSError:
            return None  # a name that is too long for a file, for one

    return read


def needs_build(checkout: Path, declared: Declared) -> bool:
    """Whether the tree's code needs something that only a build gives it."""
    if declared.build is None:
        return False
    if declared.version_source not in ("", "attr", "file"):
        return True
    if any(_COMPILES.match(item.text) for item in declared.build.requires):
        return True
    read = reader(checkout)
    if any(_EXTENSION.search(read(name) or b"") for name in ("setup.py", "setup.cfg", "pyproject.toml")):
        return True
    return any(_ASKS.search(content) for content in _sources(checkout))


def _sources(checkout: Path) -> Iterable[bytes]:
    count = 0
    for folder, folders, names in os.walk(checkout):
        folders[:] = [name for name in folders if name not in UNBUILT]
        for name in names:
            path = Path(folder) / name
            usable = name.endswith(".py") and name != "setup.py" and not path.is_symlink()
            if usable and path.stat().st_size <= _FILE_BYTES and count < _MOST_FILES:
                count += 1
                yield path.read_bytes()
