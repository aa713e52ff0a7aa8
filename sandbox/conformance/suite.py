"""The whole suite, and the fast part of it as a self-check."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from repo_guardian.sandbox.conformance import behaviour, channel, isolation, limits, profiles
from repo_guardian.sandbox.conformance.frame import BackendCase, Case, run_case
from repo_guardian.sandbox.interface import Backend, Check, SelfCheck

CASES: tuple[Case | BackendCase, ...] = (
    *behaviour.CASES,
    *profiles.CASES,
    *channel.CASES,
    *limits.CASES,
    *isolation.CASES,
)
"""Every case, grouped by subject."""

_AT_ONCE = 4


async def self_check(backend: Backend) -> SelfCheck:
    """Run the fast cases; what they show is enforced here and now.

    Raises:
        SandboxUnavailableError: the backend cannot open a sandbox at all.
    """
    return await _run(backend, [case for case in CASES if case.fast])


async def run_suite(backend: Backend) -> SelfCheck:
    """Run every case; those that only isolation can meet are left out where there is none.

    Raises:
        SandboxUnavailableError: the backend cannot open a sandbox at all.
    """
    return await _run(backend, [case for case in CASES if backend.isolates or not case.isolation])


async def _run(backend: Backend, cases: Sequence[Case | BackendCase]) -> SelfCheck:
    checks: dict[str, Check] = {}
    width = anyio.Semaphore(_AT_ONCE)

    async def run(case: Case | BackendCase) -> None:
        async with width:
            with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
                checks[case.name] = await run_case(backend, case, Path(folder))

    first, *others = cases
    await run(first)  # alone: where nothing works at all, one error says it
    async with anyio.create_task_group() as tasks:
        for case in others:
            tasks.start_soon(run, case)
    return SelfCheck(backend.name, tuple(checks[case.name] for case in cases))
