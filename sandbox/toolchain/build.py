"""Builds wheels in a sandbox: of source distributions, and of the watched repository itself.

The build's code sees no network, no host and no toolchain but its own; what it leaves in ``/out`` is
harvested and counts for no more than any other wheel of a stranger.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

import anyio
import anyio.to_thread

from repo_guardian.errors import BuildFailedError, ToolchainError
from repo_guardian.sandbox.interface import (
    OUT,
    REPO,
    Backend,
    CommandResult,
    Limits,
    ProcessStatus,
    Profile,
    PythonRuntime,
    ReadOnlyMount,
    Sandbox,
    SandboxSpec,
)
from repo_guardian.sandbox.toolchain.acquire import Toolchain, acquire, acquire_pinned
from repo_guardian.sandbox.toolchain.cutoff import NO_CUTOFF, Cutoff
from repo_guardian.sandbox.toolchain.inside.build_wheel import NEEDS_MORE
from repo_guardian.sandbox.toolchain.wheels import check_wheel

LIMITS = Limits(
    wall_s=600.0,
    cpu_s=900,
    processes=128,
    file_size_bytes=512 * 1024**2,
    disk_bytes=2 * 1024**3,
    disk_inodes=100_000,
)
WHEEL_BYTES = 512 * 1024**2

_INSIDE = "/toolchain/build"
_HOOKS = "/toolchain/hooks"
_BUILDER = "/toolchain/builder"
_UNPACKED = "/tmp/source"  # noqa: S108 - inside
_RESULT = "/tmp/guardian-result"  # noqa: S108 - inside
_RESULT_BYTES = 1024**2
_ROUNDS = 3
_TOLD_BYTES = 64 * 1024
_SIGNALED = 128
"""Exit codes above it stand for a signal that ended the backend's own process."""

_MISSING = (
    (r"unable to execute '?([^\s']{1,200})'?: No such|[Uu]nknown compiler|Failed to find C compiler|"
     r"command '[^\s']{0,200}(?:gcc|cc|clang)' failed: No such|"
     r"No such file or directory: '(?:[^\s']{0,200}/)?(?:gcc|g\+\+|cc|c\+\+|clang)'",
     "no C compiler in the sandbox"),
    (r"fatal error: Python\.h", "no header files of Python in the sandbox"),
    (r"fatal error: ([^\s:]{1,200}\.h[a-z]{0,2}): No such", "a header file is missing in the sandbox"),
    (r"cargo.{0,40}not (?:found|installed)|can't find Rust compiler|rustc.{0,40}not found",
     "no Rust compiler in the sandbox"),
    (r"(?:cmake|ninja|make|pkg-config|swig|gfortran|cython).{0,40}(?:not found|No such file)",
     "a build tool is missing in the sandbox"),
    (r"name resolution|Network is unreachable|Name or service not known|Connection refused|"
     r"Failed to establish a new connection|urlopen error", "the build needs the network, which it has not"),
    (r"No module named '([\w.]{1,200})'", "the build imports a module that it does not ask for"),
    (r"unable to detect version", "the version comes from a history that is not there"),
)  # fmt: skip
"""What a build's output says when something is missing, and how that is told."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What to build, and with what.

    Attributes:
        checkout: the directory that the sandbox sees at ``/repo``.
        archive: the name of a source distribution in it; None to build the checkout itself.
        backend: object path of the build backend (PEP 517), "" to read it from the archive.
        backend_path: where in the tree it lies.
        requires: what it needs.
        environment: variables for the build.
    """

    checkout: Path
    archive: str | None = None
    backend: str = ""
    backend_path: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where builds take place.

    Attributes:
        backend, runtime: the sandbox, and the Python that is built for.
        root: the folder of toolchains.
        cutoff: which releases exist.
        tools_cutoff: the same for build tools, when a build with those of ``cutoff`` fails: the tools of an
            old commit's day often do not run on a Python that came later.
        limits: of one build.
    """

    backend: Backend
    runtime: PythonRuntime
    root: Path
    cutoff: Cutoff = NO_CUTOFF
    tools_cutoff: Cutoff | None = None
    limits: Limits = LIMITS


async def build_wheel(workshop: Workshop, plan: BuildPlan, destination: Path) -> Path:
    """Build a wheel and put it into ``destination``; returns its path.

    Raises:
        BuildFailedError: the build failed; says what is missing where that can be told.
        ToolchainError: what the build needs cannot be had as wheels.
        SandboxError: the sandbox itself failed.
    """
    hooks = await acquire_pinned(
        "builder.lock", ("pyproject-hooks",), runtime=workshop.runtime, root=workshop.root
    )
    if not plan.backend:
        plan = await _read_build_system(workshop, plan, hooks)
    try:
        return await _build(workshop, plan, hooks, workshop.cutoff, destination)
    except ToolchainError:
        if workshop.tools_cutoff is None:
            raise
    return await _build(workshop, plan, hooks, workshop.tools_cutoff, destination)


async def _build(
    workshop: Workshop, plan: BuildPlan, hooks: Toolchain, cutoff: Cutoff, destination: Path
) -> Path:
    requires = plan.requires
    for _ in range(_ROUNDS):
        builder = await acquire(requires, runtime=workshop.runtime, root=workshop.root, cutoff=cutoff)
        more = await _attempt(workshop, plan, (hooks, builder), requires, destination)
        if isinstance(more, Path):
            return more
        requires = (*requires, *more)
    raise BuildFailedError("the build asks for something else each time", hint="see its build backend")


async def _read_build_system(workshop: Workshop, plan: BuildPlan, hooks: Toolchain) -> BuildPlan:
    from repo_guardian.sandbox.toolchain.build_system import parse_build_system

    async with workshop.backend.open(_spec(workshop, plan, (hooks,))) as sandbox:
        result = await _call(sandbox, "pyproject", plan, ())
        if not result.ok:
            raise BuildFailedError(_explain(result), hint="the source distribution cannot be unpacked")
        system = parse_build_system(await sandbox.read_file(_RESULT, limit_bytes=_RESULT_BYTES))
    return BuildPlan(
        plan.checkout, plan.archive, system.backend, system.backend_path, system.requires, plan.environment
    )


async def _attempt(
    workshop: Workshop,
    plan: BuildPlan,
    toolchains: Sequence[Toolchain],
    provided: tuple[str, ...],
    destination: Path,
) -> Path | tuple[str, ...]:
    """The wheel, or what the backend asks for besides."""
    async with workshop.backend.open(_spec(workshop, plan, toolchains)) as sandbox:
        result = await _call(sandbox, "wheel", plan, provided)
        if result.status is ProcessStatus.EXITED and result.exit_code == NEEDS_MORE:
            return _needs(await sandbox.read_file(_RESULT, limit_bytes=_RESULT_BYTES))
        if not result.ok:
            raise BuildFailedError(_explain(result), hint="see guardian sandbox doctor, or guardian.toml")
        scratch = Path(await anyio.to_thread.run_sync(tempfile.mkdtemp, "", "guardian-build-"))
        try:
            await sandbox.harvest(scratch / "out", limit_bytes=WHEEL_BYTES, limit_files=100)
            return await anyio.to_thread.run_sync(_keep, scratch / "out", destination)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(lambda: shutil.rmtree(scratch, ignore_errors=True))


def _keep(harvested: Path, destination: Path) -> Path:
    wheels = sorted(path for path in harvested.iterdir() if path.suffix == ".whl")
    if len(wheels) != 1:
        raise BuildFailedError(f"the build left {len(wheels)} wheels", hint="a backend leaves one")
    check_wheel(wheels[0])
    destination.mkdir(parents=True, exist_ok=True)
    kept = destination / wheels[0].name
    shutil.copyfile(wheels[0], kept.with_suffix(".part"))
    return kept.with_suffix(".part").replace(kept)


def _needs(content: bytes) -> tuple[str, ...]:
    try:
        needs = json.loads(content)
    except ValueError:
        needs = None
    if not isinstance(needs, list) or not all(isinstance(need, str) for need in needs) or not needs:
        raise BuildFailedError("the build backend asks for nothing that can be read")
    return tuple(needs[:100])


def _spec(workshop: Workshop, plan: BuildPlan, toolchains: Sequence[Toolchain]) -> SandboxSpec:
    with as_file(files("repo_guardian.sandbox.toolchain.inside")) as inside:
        mounts = [ReadOnlyMount(inside, _INSIDE)]
    mounts += [
        ReadOnlyMount(toolchain.path, target)
        for toolchain, target in zip(toolchains, (_HOOKS, _BUILDER), strict=False)
    ]
    return SandboxSpec(
        checkout=plan.checkout,
        commit="build",
        mounts=tuple(mounts),
        limits=workshop.limits,
        profile=Profile.BUILD,
        python=workshop.runtime.version,
    )


async def _call(sandbox: Sandbox, verb: str, plan: BuildPlan, provided: tuple[str, ...]) -> CommandResult:
    task = {"backend": plan.backend, "backend_path": list(plan.backend_path), "provided": list(provided)}
    archive = [f"{REPO}/{plan.archive}"] if plan.archive else []
    places = [_UNPACKED if plan.archive else REPO, OUT, _RESULT, *archive]
    own = sandbox.python.rpartition("/")[0]
    return await sandbox.run(
        [sandbox.python, "-B", f"{_INSIDE}/build_wheel.py", verb, *places],
        stdin=json.dumps(task).encode(),
        environment={
            **plan.environment,
            "PYTHONPATH": f"{_BUILDER}:{_HOOKS}",
            "PATH": f"{_BUILDER}/bin:{own}:/usr/local/bin:/usr/bin:/bin",
        },
    )


def _explain(result: CommandResult) -> str:
    """One line on why a build failed, from its status or the end of its output."""
    if result.status is ProcessStatus.TIMED_OUT:
        return f"cannot build: it was not done after {result.duration_s:.0f} s"
    if result.status is not ProcessStatus.EXITED:
        return f"cannot build: {result.status.value.replace('_', ' ')} {result.reason}".rstrip()
    if result.exit_code is not None and result.exit_code > _SIGNALED:
        number = result.exit_code - _SIGNALED
        how = "it used up its processor time" if number == signal.SIGXCPU else f"signal {number} ended it"
        return f"cannot build: {how}"
    output = b"\n".join(part[-_TOLD_BYTES:] for part in (result.stdout, result.stderr))
    return _explain_output(output.decode("utf-8", "replace"))


def _explain_output(output: str) -> str:
    for pattern, what in _MISSING:
        match = re.search(pattern, output)
        if match is not None:
            named = next((group for group in match.groups() if group), "")
            return f"cannot build: {what}{f' ({named!a})' if named else ''}"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return f"cannot build: {ascii(lines[-1][:300]) if lines else 'no reason given'}"
