"""Every attack by family, and the battery as a whole.

What issue 3 lists is here, but for lies that are told on other levels than the sandbox's, each held by tests
at its own seam:

- a test that rewrites or removes its report, ends the session with code 0, exits 0 mid-suite, forks and
  reports twice, writes records of its own, resets the session's status, kills the supervisor, or deletes the
  repository: ``tests/tools/probes/test_witness.py``; a conftest that resets the status of a whole suite:
  ``tests/tools/execution/test_suite_run.py``;
- hostile configuration, attributes, hooks, filters, submodule addresses, replace refs, grafts and partial
  clones: ``tests/tools/git/test_git_hostile.py``; large-file pointers: ``test_git_materialize.py`` there;
- a source distribution that runs code when its metadata is read: ``tests/sandbox/test_toolchain.py``;
- a client that is killed or cancelled: ``tests/sandbox/test_life_cycle.py``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.hostile import (
    artefacts,
    flood,
    host,
    kernel,
    network,
    processes,
    resources,
    storage,
)
from repo_guardian.sandbox.hostile.frame import Attack, Outcome, run_attack
from repo_guardian.sandbox.interface import Backend

FAMILIES: Mapping[str, tuple[Attack, ...]] = {
    "resources": resources.ATTACKS,
    "storage": storage.ATTACKS,
    "flood": flood.ATTACKS,
    "processes": processes.ATTACKS,
    "host": host.ATTACKS,
    "network": network.ATTACKS,
    "kernel": kernel.ATTACKS,
    "artefacts": artefacts.ATTACKS,
}
"""The attacks by what they attack."""

CASES: tuple[tuple[str, Attack], ...] = tuple(
    (family, attack) for family, attacks in FAMILIES.items() for attack in attacks
)
"""Every attack with its family."""

_AT_ONCE = 2


async def run_battery(backend: Backend) -> tuple[Outcome, ...]:
    """Run every attack, each in a sandbox of its own, once the backend has proved that it isolates.

    Raises:
        SandboxUnavailableError: it does not isolate, fails its self-check, or cannot open a sandbox.
    """
    if not backend.isolates or not (await backend.self_check()).passed:
        raise SandboxUnavailableError(
            f"the hostile battery is not run on {backend.name}: it does not isolate here",
            hint="it would attack this machine; see `guardian sandbox selftest`",
        )
    outcomes: dict[str, Outcome] = {}
    width = anyio.Semaphore(_AT_ONCE)

    async def run(family: str, attack: Attack) -> None:
        async with width:
            with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
                outcomes[attack.name] = await run_attack(backend, family, attack, Path(folder))

    async with anyio.create_task_group() as tasks:
        for family, attack in CASES:
            tasks.start_soon(run, family, attack)
    return tuple(outcomes[attack.name] for _, attack in CASES)
