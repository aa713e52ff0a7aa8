"""A bench on which one tree's own suite can run: Python, runner, dependencies, and the project as built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.interface import Backend, Limits
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.override import Override
from repo_guardian.tools.execution.project import prepare_project
from repo_guardian.tools.execution.suite import plan_suite
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS, Selection, SuitePlan
from repo_guardian.tools.execution.toolchains import prepare_toolchains


@dataclass(frozen=True, slots=True)
class Places:
    """Host folders that keep what is made: runners, and the repository's toolchains and built projects."""

    harness: Path
    toolchain: Path

    @property
    def projects(self) -> Path:
        """Builds of the repository itself, one folder per tree that differs in more than its tests."""
        return self.toolchain / "projects"


@dataclass(frozen=True, slots=True)
class SuiteBench:
    """``build_problem`` says why the project could not be built; "" when it could, or needs no build."""

    bench: Bench
    checkout: Checkout
    build_problem: str

    def plan(self, selection: Selection | None = None) -> SuitePlan:
        """The plan that the tree itself asks for."""
        plan = plan_suite(self.checkout.path, self.bench.site_packages, selection)
        return replace(plan, build_problem=self.build_problem)


async def prepare_suite(
    backend: Backend,
    checkout: Checkout,
    declared: Declared,
    places: Places,
    *,
    as_of: datetime | None,
    override: Override | None = None,
    limits: Limits = SUITE_LIMITS,
    report: Callable[[str], None] = lambda step: None,
) -> SuiteBench:
    """Provide what ``declared`` asks for and build the project of ``checkout``; offline when it is there.

    Dependencies that cannot be had are in ``bench.toolchains.problems``; neither they nor a failed build are
    errors here. ``report`` is told of each step.

    Raises:
        UsageError: ``override`` asks for a Python that is not there.
        ToolchainError: the test runner cannot be had.
        SandboxError: the sandbox failed.
    """
    report("acquiring dependencies")
    toolchains = await prepare_toolchains(
        backend,
        declared,
        as_of=as_of,
        harness_root=places.harness,
        site_root=places.toolchain,
        override=override,
    )
    bench = Bench(backend, toolchains, limits)
    report("building the project")
    try:
        project = await prepare_project(
            toolchains.workshop, checkout.path, declared, root=places.projects, version=checkout.version
        )
    except ToolchainError as error:
        return SuiteBench(bench, checkout, str(error))
    projects = {checkout.label: project} if project is not None else {}
    return SuiteBench(replace(bench, projects=projects), checkout, "")
