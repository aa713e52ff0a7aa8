"""Running one test against one checkout: which sandbox, which mounts, which edit in the overlay.

A sandbox is opened for each call and gone after it: no state can pass from one probe to the next, and
cancelling the call cancels what it opened. Repetitions reset the overlay in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

from anyio import to_thread

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.guest import GUEST, GUEST_SOURCE
from repo_guardian.sandbox.interface import REPO, Backend, Limits, ReadOnlyMount, Sandbox, SandboxSpec
from repo_guardian.tools.execution.mounts import HARNESS, SITE
from repo_guardian.tools.execution.project import PROJECT, ProjectBuild
from repo_guardian.tools.execution.toolchains import Toolchains
from repo_guardian.tools.probes.interface import Edit, TestRun, TestSource
from repo_guardian.tools.probes.runner import RunPlan, run_test

__all__ = ["HARNESS", "SITE", "Bench", "Checkout", "apply_edit"]


@dataclass(frozen=True, slots=True)
class Checkout:
    """One tree on the host, the name of the commit (or empty tree) that it holds, and its version.

    ``version`` is what its history says, for builds that would ask git; empty when nothing is known.
    """

    path: Path
    label: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that is needed to run a test against any checkout of one repository.

    ``projects`` holds what a build added to a checkout, by the checkout's label; one that is not in it is
    run as it lies there.
    """

    backend: Backend
    toolchains: Toolchains
    limits: Limits
    projects: Mapping[str, ProjectBuild] = field(default_factory=dict)

    @property
    def site(self) -> str:
        """Where built metadata and dependencies are in the sandbox, colon-separated; may be empty."""
        there = [PROJECT if self.projects else "", SITE if self.toolchains.site is not None else ""]
        return ":".join(filter(None, there))

    @property
    def site_packages(self) -> tuple[str, ...]:
        """``name==version`` of each of the repository's dependencies."""
        return self.toolchains.site.resolved if self.toolchains.site is not None else ()

    async def run(
        self, test: TestSource, plan: RunPlan, checkout: Checkout, edit: Edit, *, repetitions: int
    ) -> list[TestRun]:
        """Run ``test`` over ``checkout`` with ``edit`` applied in the overlay, ``repetitions`` times.

        Raises:
            SandboxError: the sandbox could not be opened or written.
        """
        runs: list[TestRun] = []
        project = self.projects.get(checkout.label)
        whole = {**(await to_thread.run_sync(project.edit) if project else {}), **edit}
        async with self.open(checkout) as sandbox:
            for repetition in range(repetitions):
                if repetition:
                    await sandbox.reset()
                await apply_edit(sandbox, whole)
                runs.append(await run_test(sandbox, test, plan, self.limits))
        return runs

    def open(self, checkout: Checkout) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox over ``checkout`` with runner and dependencies; see ``Backend.open``."""
        spec = SandboxSpec(
            checkout=checkout.path,
            commit=checkout.label,
            mounts=self._mounts(checkout),
            environment=self.toolchains.variables(),
            limits=self.limits,
            python=self.toolchains.python_version,
        )
        return self.backend.open(spec)

    def _mounts(self, checkout: Checkout) -> tuple[ReadOnlyMount, ...]:
        project = self.projects.get(checkout.label)
        own = [ReadOnlyMount(project.path, PROJECT)] if project is not None else []
        return (ReadOnlyMount(GUEST_SOURCE, GUEST), *self.toolchains.mounts(), *own)


async def apply_edit(sandbox: Sandbox, edit: Edit) -> None:
    """Put the files of ``edit`` in place of the checkout's, in the overlay.

    Raises:
        SandboxError: the overlay could not be written.
    """
    for path, content in edit.items():
        target = f"{REPO}/{path}"
        if content is not None:
            await sandbox.write_file(target, content)
            continue
        removed = await sandbox.run(["/bin/rm", "-f", "--", target])
        if not removed.ok:
            raise SandboxError(f"cannot remove {path} in the overlay")
