"""What a cycle can execute, made ready once, and the environment that its results depend on."""

from __future__ import annotations

import platform
from dataclasses import asdict, replace
from datetime import UTC, datetime

from anyio import to_thread

from repo_guardian import __version__
from repo_guardian.errors import AdmissionError
from repo_guardian.server.contract.cycles import Envelope
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.execution.projects import with_projects
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS
from repo_guardian.tools.execution.toolchains import Toolchains, prepare_toolchains
from repo_guardian.tools.git.command import git_version
from repo_guardian.tools.views.publish import builder_versions
from repo_guardian.vocabulary import Side


async def need_bench(session: CycleSession, settings: ServerSettings) -> Bench:
    """The bench that this cycle's tests run on.

    Raises:
        AdmissionError: no sandbox works on this machine.
        ToolchainError: the test runner cannot be had.
        MaterializeError: a tree cannot be checked out.
        UsageError: the user's ``guardian.toml`` asks for a Python that is not there.
    """
    backend = session.capability.backend
    if backend is None:
        note = session.capability.note
        raise AdmissionError(f"nothing can be executed here: {note}", hint="see guardian sandbox selftest")
    if session.bench is None:
        toolchains = await prepare_toolchains(
            backend,
            declared_dependencies(session.current.read),
            as_of=datetime.fromisoformat(session.info.committed_at).astimezone(UTC),
            harness_root=session.state.harness,
            site_root=session.state.toolchain,
            override=session.override,
        )
        checkouts = [await to_thread.run_sync(session.checkout, side) for side in (Side.BASE, Side.CURRENT)]
        session.bench = await with_projects(
            Bench(backend, toolchains, settings.probes.run),
            checkouts,
            root=session.state.toolchain / "projects",
        )
    return session.bench


async def need_suite_bench(session: CycleSession, settings: ServerSettings) -> Bench:
    """The bench that the repository's own tests run on: as ``need_bench``, with both trees built as they ask.

    Its limits are those of a whole suite.

    Raises:
        AdmissionError, ToolchainError, MaterializeError, UsageError: see ``need_bench``.
    """
    if session.suite_bench is None:
        bench = await need_bench(session, settings)
        checkouts = [await to_thread.run_sync(session.checkout, side) for side in (Side.BASE, Side.CURRENT)]
        session.suite_bench = await with_projects(
            replace(bench, limits=SUITE_LIMITS),
            checkouts,
            root=session.state.toolchain / "projects",
            always=True,
        )
    return session.suite_bench


async def bench_for(session: CycleSession, settings: ServerSettings, *, in_repository: bool) -> Bench:
    """The bench of one probe: of a test in the repository, or of one that stands alone.

    Once the trees were built for their suites, every test runs on what was built: both sides of a comparison
    have to share it.

    Raises:
        AdmissionError, ToolchainError, MaterializeError, UsageError: see ``need_bench``.
    """
    if in_repository:
        return replace(await need_suite_bench(session, settings), limits=settings.probes.suite_run)
    if session.suite_bench is not None:
        return replace(session.suite_bench, limits=settings.probes.run)
    return await need_bench(session, settings)


def envelope(session: CycleSession, settings: ServerSettings) -> Envelope:
    """The environment so far: without a toolchain when nothing was run."""
    backend, check = session.capability.backend, session.capability.check
    toolchains: Toolchains | None = session.bench.toolchains if session.bench is not None else None
    checks = check.checks if check is not None else ()
    python = backend.python_version() if backend is not None else None
    python = toolchains.python_version if toolchains is not None else python
    return Envelope(
        guardian_version=__version__,
        python_version=platform.python_version(),
        git_version=".".join(map(str, git_version())),
        sandbox_backend=session.capability.name,
        sandbox_python=".".join(map(str, python)) if python is not None else None,
        sandbox_image=backend.image_digest if backend is not None else "",
        sandbox_checks=tuple(f"{'holds' if c.passed else 'FAILS'}: {c.name} ({c.detail})" for c in checks),
        toolchain=toolchains.resolved if toolchains is not None else (),
        toolchain_digest=toolchains.digest if toolchains is not None else None,
        toolchain_problems=toolchains.problems if toolchains is not None else (),
        extractor=", ".join(f"{name} {version}" for name, version in builder_versions().items()),
        limits={name: float(value) for name, value in asdict(settings.probes.run).items()},
    )
