"""Running a test against one side of a cycle: which sandbox, which mounts, which edit.

A sandbox is opened for each probe and gone after it: no state can pass from one probe to the next, and
cancelling the probe cancels what it opened. Repetitions within a probe reset the overlay in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import AdmissionError, SandboxError
from repo_guardian.sandbox.guest import GUEST, GUEST_SOURCE
from repo_guardian.sandbox.interface import (
    REPO,
    Backend,
    Limits,
    ReadOnlyMount,
    Sandbox,
    SandboxSpec,
    SelfCheck,
)
from repo_guardian.sandbox.toolchain import Toolchain
from repo_guardian.server.contract.probes import Side
from repo_guardian.server.session.locus import Edit
from repo_guardian.tools.probes.interface import TestRun, TestSource
from repo_guardian.tools.probes.runner import RunPlan, run_test

HARNESS = "/toolchain/harness"
SITE = "/toolchain/site"


@dataclass(frozen=True, slots=True)
class Capability:
    """What this machine can execute: the chosen backend with its self-check, or why there is none."""

    backend: Backend | None
    check: SelfCheck | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Execution:
    """Everything that is needed to run a test; ``checkout`` says where a side's tree lies on the host."""

    backend: Backend
    harness: Toolchain
    site: Toolchain | None
    checkout: Callable[[Side], tuple[Path, str]]
    limits: Limits

    @property
    def site_path(self) -> str:
        """Where the repository's dependencies are in the sandbox; empty when there are none."""
        return SITE if self.site is not None else ""

    async def run(
        self, test: TestSource, plan: RunPlan, side: Side, edit: Edit, *, repetitions: int
    ) -> list[TestRun]:
        """Run ``test`` against ``side`` with ``edit`` applied in the overlay, ``repetitions`` times.

        Raises:
            SandboxError: the sandbox could not be opened or written.
        """
        checkout, commit = self.checkout(side)
        spec = SandboxSpec(checkout=checkout, commit=commit, mounts=self._mounts(), limits=self.limits)
        runs: list[TestRun] = []
        async with self.backend.open(spec) as sandbox:
            for repetition in range(repetitions):
                if repetition:
                    await sandbox.reset()
                await _apply(sandbox, edit)
                runs.append(await run_test(sandbox, test, plan, self.limits))
        return runs

    def _mounts(self) -> tuple[ReadOnlyMount, ...]:
        mounts = [ReadOnlyMount(GUEST_SOURCE, GUEST), ReadOnlyMount(self.harness.path, HARNESS)]
        if self.site is not None:
            mounts.append(ReadOnlyMount(self.site.path, SITE))
        return tuple(mounts)


def need(execution: Execution | None, note: str) -> Execution:
    """The execution, or a refusal that says why nothing can be run.

    Raises:
        AdmissionError: no sandbox works on this machine.
    """
    if execution is None:
        raise AdmissionError(
            f"nothing can be executed here: {note}", hint="guardian sandbox says what is missing"
        )
    return execution


async def _apply(sandbox: Sandbox, edit: Edit) -> None:
    for path, content in edit.items():
        target = f"{REPO}/{path}"
        if content is not None:
            await sandbox.write_file(target, content)
            continue
        removed = await sandbox.run(["/bin/rm", "-f", "--", target])
        if not removed.ok:
            raise SandboxError(f"cannot remove {path} in the overlay")
