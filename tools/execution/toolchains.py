"""Making a test runnable: the pinned runner, and the repository's dependencies as of a commit's date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.interface import Backend
from repo_guardian.sandbox.toolchain import Toolchain, acquire, acquire_harness
from repo_guardian.tools.dependencies import Declared


@dataclass(frozen=True, slots=True)
class Toolchains:
    """The runner, the dependencies (None when there are none or they cannot be had), and what went wrong."""

    harness: Toolchain
    site: Toolchain | None
    problems: tuple[str, ...]

    @property
    def resolved(self) -> tuple[str, ...]:
        """``name==version`` of everything in both."""
        return (*self.harness.resolved, *(self.site.resolved if self.site is not None else ()))

    @property
    def digest(self) -> str:
        """The digests of both, joined."""
        parts = [self.harness.digest, *([self.site.digest] if self.site is not None else [])]
        return "+".join(parts)


async def prepare_toolchains(
    backend: Backend,
    declared: Declared,
    *,
    as_of: datetime,
    harness_root: Path,
    site_root: Path,
) -> Toolchains:
    """Acquire what is missing; wheels only, no code of anybody's is run. What is there needs no network.

    Dependencies that cannot be had are a problem that is told, not an error: the tests that need them show
    up as environment problems.

    Raises:
        ToolchainError: the runner itself cannot be had.
    """
    harness = await acquire_harness(
        python=backend.python, python_version=backend.python_version(), root=harness_root
    )
    problems = declared.problems
    site: Toolchain | None = None
    if declared.requirements:
        try:
            site = await acquire(
                [item.text for item in declared.requirements],
                python=backend.python,
                python_version=backend.python_version(),
                root=site_root,
                as_of=as_of,
            )
            problems = (*problems, *site.problems)
        except ToolchainError as error:
            problems = (*problems, str(error))
    return Toolchains(harness, site, problems)
