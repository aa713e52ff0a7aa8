"""Seconds to provision a release's dependencies and to build it, from nothing and again.

    python benchmarks/toolchain.py attrs==25.3.0@2025-03-14 markupsafe==3.0.2@2024-10-19

Each argument is a source release and the date of its commit. Everything happens in a temporary folder; the
installer's own cache is used, so a second call of this script is faster than the first.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import anyio
from packaging.requirements import Requirement

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.registry import select
from repo_guardian.sandbox.toolchain.sources import fetch_source
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.project import prepare_project
from repo_guardian.tools.execution.projects import reader
from repo_guardian.tools.execution.toolchains import prepare_toolchains


def unpacked(release: str, folder: Path) -> Path:
    """The tree of a source release."""
    requirement = Requirement(release)
    archive = fetch_source(requirement.name, requirement.specifier, folder, until=None)
    with tarfile.open(archive.path) as opened:
        opened.extractall(folder / "tree", filter="data")
    return next((folder / "tree").iterdir())


async def measure(release: str, day: str, folder: Path) -> None:
    """Print one line."""
    backend = await select("auto")
    checkout = unpacked(release, folder)
    declared = declared_dependencies(reader(checkout))
    roots = {"harness_root": folder / "harness", "site_root": folder / "site"}
    as_of = datetime.fromisoformat(day).replace(tzinfo=UTC)
    cells = [release]
    for _ in range(2):
        started = time.perf_counter()
        toolchains = await prepare_toolchains(backend, declared, as_of=as_of, **roots)
        cells.append(f"{time.perf_counter() - started:.3f}")
    for _ in range(2):
        started = time.perf_counter()
        try:
            built = await prepare_project(toolchains.workshop, checkout, declared, root=folder / "projects")
        except ToolchainError as error:
            cells.append(str(error))
            break
        cells.append(f"{time.perf_counter() - started:.3f}")
        added = len(built.generated) if built is not None else 0
    else:
        cells.append(f"{added}")
    cells.append(f"{len(toolchains.resolved)}")
    print(" | ".join(cells), *toolchains.problems)


def main() -> None:
    """See the module."""
    print("release | provision s | again s | build s | again s | files added | packages")
    for argument in sys.argv[1:]:
        release, _, day = argument.partition("@")
        with tempfile.TemporaryDirectory() as folder:
            anyio.run(measure, release, day, Path(folder))


if __name__ == "__main__":
    main()
