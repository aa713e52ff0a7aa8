"""The whole suite, and the fast part of it as a self-check."""

from __future__ import annotations

import tempfile
from pathlib import Path

from repo_guardian.sandbox.conformance import behaviour, isolation, limits
from repo_guardian.sandbox.conformance.frame import Case, run_case
from repo_guardian.sandbox.interface import Backend, SelfCheck

CASES: tuple[Case, ...] = (*behaviour.CASES, *limits.CASES, *isolation.CASES)
"""Every case, grouped by subject."""


async def self_check(backend: Backend) -> SelfCheck:
    """Run the fast cases; what they show is enforced here and now.

    Raises:
        SandboxUnavailableError: the backend cannot open a sandbox at all.
    """
    checks = []
    for case in CASES:
        if case.fast:
            with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
                checks.append(await run_case(backend, case, Path(folder)))
    return SelfCheck(backend.name, tuple(checks))
