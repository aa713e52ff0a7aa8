"""Making a test runnable: the Python, the pinned runner, the repository's dependencies, and the project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.interface import Backend, ReadOnlyMount
from repo_guardian.sandbox.toolchain import (
    NO_CUTOFF,
    Toolchain,
    Wanted,
    Workshop,
    acquire_harness,
    cutoff_for,
    provision,
)
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.mounts import HARNESS, SITE
from repo_guardian.tools.execution.override import Override
from repo_guardian.tools.execution.python_choice import choose_python

GENERATOR = "/toolchain/generator"


@dataclass(frozen=True, slots=True)
class Toolchains:
    """What every run of one repository's tests shares, whichever of its trees they run over.

    Attributes:
        harness: the pinned runner.
        site: the dependencies, None when there are none or they cannot be had.
        problems: what went wrong, a line each.
        workshop: the chosen Python, and what builds go through.
        environment: variables of the code that runs.
        test_arguments: the user's own arguments for pytest.
        generator: what makes inputs from annotations, where it was asked for; it is on no path by itself.
    """

    harness: Toolchain
    site: Toolchain | None
    problems: tuple[str, ...]
    workshop: Workshop
    environment: Mapping[str, str] = field(default_factory=dict)
    test_arguments: tuple[str, ...] = ()
    generator: Toolchain | None = None

    @property
    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of the Python that runs the tests."""
        return self.workshop.runtime.version

    @property
    def resolved(self) -> tuple[str, ...]:
        """``name==version`` of everything in runner and dependencies."""
        return (*self.harness.resolved, *(self.site.resolved if self.site is not None else ()))

    @property
    def digest(self) -> str:
        """The digests of both, joined."""
        parts = [self.harness.digest, *([self.site.digest] if self.site is not None else [])]
        return "+".join(parts)

    def variables(self) -> dict[str, str]:
        """The user's variables, and a ``PATH`` on which the dependencies' commands are found first."""
        own = self.workshop.runtime.path.rpartition("/")[0]
        path = [f"{SITE}/bin", f"{HARNESS}/bin", own, "/usr/local/bin", "/usr/bin", "/bin"]
        return {"PATH": ":".join(dict.fromkeys(path)), **self.environment}

    def mounts(self) -> tuple[ReadOnlyMount, ...]:
        """All, at the places where ``HARNESS``, ``SITE`` and ``GENERATOR`` say they are."""
        mounts = [ReadOnlyMount(self.harness.path, HARNESS)]
        if self.site is not None:
            mounts.append(ReadOnlyMount(self.site.path, SITE))
        if self.generator is not None:
            mounts.append(ReadOnlyMount(self.generator.path, GENERATOR))
        return tuple(mounts)


async def prepare_toolchains(
    backend: Backend,
    declared: Declared,
    *,
    as_of: datetime | None,
    harness_root: Path,
    site_root: Path,
    override: Override | None = None,
) -> Toolchains:
    """Choose the Python and provide what is missing (``sandbox.toolchain``); offline when it is there.

    Dependencies that cannot be had are a problem that is told, not an error: the tests that need them show
    up as environment problems.

    Args:
        as_of: the commit's date; None to take any release.
        harness_root: the folder of runners.
        site_root: the folder of the repository's toolchains.
        override: the user's ``guardian.toml``.

    Raises:
        UsageError: ``override`` asks for a Python that is not there.
        ToolchainError: the runner itself cannot be had.
    """
    chosen = override or Override()
    runtime, note = choose_python(
        declared.requires_python, backend.interpreters(), wanted=chosen.python, as_of=as_of
    )
    now = datetime.now(UTC)
    cutoff = NO_CUTOFF if as_of is None else cutoff_for(as_of, now=now)
    workshop = Workshop(backend, runtime, site_root, cutoff, tools_cutoff=cutoff_for(now, now=now))
    harness = await acquire_harness(runtime=runtime, root=harness_root)
    problems = [*declared.problems, *([note] if note else [])]
    site: Toolchain | None = None
    wanted = wanted_of(declared, chosen)
    if wanted.requirements or wanted.tests:
        try:
            site = await provision(workshop, wanted)
            problems += site.problems
        except ToolchainError as error:
            problems.append(str(error))
    return Toolchains(
        harness, site, tuple(problems), workshop, dict(chosen.environment), chosen.test_arguments
    )


def wanted_of(declared: Declared, override: Override) -> Wanted:
    """What to provide for a tree, by its own words and the user's."""
    requirements = tuple(item.text for item in declared.requirements)
    tests = tuple(item.text for item in declared.tests)
    if override.replace is not None:
        requirements, tests = override.replace, ()
    return Wanted(requirements, (*tests, *override.add), tuple(item.text for item in declared.constraints))
