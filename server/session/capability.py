"""What this machine can execute, and the environment that a cycle's results depend on."""

from __future__ import annotations

import platform
from dataclasses import asdict
from datetime import UTC, datetime

from repo_guardian import __version__
from repo_guardian.errors import SandboxUnavailableError, ToolchainError
from repo_guardian.sandbox.interface import Backend
from repo_guardian.sandbox.registry import select
from repo_guardian.sandbox.toolchain import Toolchain, acquire, acquire_harness
from repo_guardian.server.contract.cycles import Envelope
from repo_guardian.server.session.execution import Capability, Execution
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.git.command import git_version
from repo_guardian.tools.views.publish import builder_versions


async def find_capability(settings: ServerSettings) -> Capability:
    """Choose the sandbox, once per server.

    Raises:
        SandboxUnavailableError: the one that was named does not work; for ``auto`` this is a note instead.
    """
    try:
        backend = await select(settings.sandbox)
    except SandboxUnavailableError as error:
        if settings.sandbox != "auto":
            raise
        return Capability(None, None, str(error))
    return Capability(backend, await backend.self_check())


async def prepare(session: CycleSession, settings: ServerSettings) -> Execution | None:
    """Make the toolchain ready; None when nothing can be executed.

    The runner is required. The repository's own dependencies are acquired as they were at the commit's
    date; when they cannot be, tests that need them show up as environment problems.
    """
    backend = session.capability.backend
    if backend is None or session.execution is not None:
        session.envelope = session.envelope or _envelope(session, settings, None, None, ())
        return session.execution
    harness = await acquire_harness(
        python=backend.python, python_version=backend.python_version(), root=session.state.harness
    )
    declared = declared_dependencies(session.current.read)
    site, problems = await _site(session, backend, declared.requirements)
    session.execution = Execution(backend, harness, site, session.checkout, settings.probes.run)
    problems = (*declared.problems, *problems)
    session.envelope = _envelope(session, settings, harness, site, problems)
    return session.execution


async def _site(
    session: CycleSession, backend: Backend, requirements: tuple[str, ...]
) -> tuple[Toolchain | None, tuple[str, ...]]:
    if not requirements:
        return None, ()
    as_of = datetime.fromisoformat(session.info.committed_at).astimezone(UTC)
    try:
        site = await acquire(
            requirements,
            python=backend.python,
            python_version=backend.python_version(),
            root=session.state.toolchain,
            as_of=as_of,
        )
    except ToolchainError as error:
        return None, (str(error),)
    return site, site.problems


def _envelope(
    session: CycleSession,
    settings: ServerSettings,
    harness: Toolchain | None,
    site: Toolchain | None,
    problems: tuple[str, ...],
) -> Envelope:
    backend, check = session.capability.backend, session.capability.check
    chains = [chain for chain in (harness, site) if chain is not None]
    return Envelope(
        guardian_version=__version__,
        python_version=platform.python_version(),
        git_version=git_version(),
        sandbox_backend=backend.name if backend is not None else None,
        sandbox_python=".".join(map(str, backend.python_version())) if backend is not None else None,
        sandbox_checks=tuple(
            f"{'holds' if c.passed else 'FAILS'}: {c.name} ({c.detail})"
            for c in (check.checks if check else ())
        ),
        toolchain=tuple(name for chain in chains for name in chain.resolved),
        toolchain_digest="+".join(chain.digest for chain in chains) or None,
        toolchain_problems=problems,
        extractor=", ".join(f"{name} {version}" for name, version in builder_versions().items()),
        limits={name: float(value) for name, value in asdict(settings.probes.run).items()},
    )
