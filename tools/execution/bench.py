"""Running one test against one checkout: which sandbox, which mounts, which edit in the overlay.

A sandbox is opened for each call and gone after it: no state can pass from one probe to the next, and
cancelling the call cancels what it opened. Repetitions reset the overlay in between.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.guest import GUEST, GUEST_SOURCE
from repo_guardian.sandbox.interface import REPO, Backend, Limits, ReadOnlyMount, Sandbox, SandboxSpec
from repo_guardian.tools.execution.toolchains import Toolchains
from repo_guardian.tools.probes.interface import Edit, TestRun, TestSource
from repo_guardian.tools.probes.runner import RunPlan, run_test

HARNESS = "/toolchain/harness"
SITE = "/toolchain/site"


@dataclass(frozen=True, slots=True)
class Checkout:
    """One tree on the host, and the name of the commit (or empty tree) that it holds."""

    path: Path
    label: str


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that is needed to run a test against any checkout of one repository."""

    backend: Backend
    toolchains: Toolchains
    limits: Limits

    @property
    def site(self) -> str:
        """Where the repository's dependencies are in the sandbox; empty when there are none."""
        return SITE if self.toolchains.site is not None else ""

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
        async with self.open(checkout) as sandbox:
            for repetition in range(repetitions):
                if repetition:
                    await sandbox.reset()
                await apply_edit(sandbox, edit)
                runs.append(await run_test(sandbox, test, plan, self.limits))
        return runs

    def open(self, checkout: Checkout) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox over ``checkout`` with runner and dependencies; see ``Backend.open``."""
        spec = SandboxSpec(
            checkout=checkout.path, commit=checkout.label, mounts=self._mounts(), limits=self.limits
        )
        return self.backend.open(spec)

    def _mounts(self) -> tuple[ReadOnlyMount, ...]:
        mounts = [ReadOnlyMount(GUEST_SOURCE, GUEST), ReadOnlyMount(self.toolchains.harness.path, HARNESS)]
        if self.toolchains.site is not None:
            mounts.append(ReadOnlyMount(self.toolchains.site.path, SITE))
        return tuple(mounts)


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
