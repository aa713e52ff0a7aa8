"""Cases: what a specification may ask for beside limits: a profile, and one of several Pythons."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from repo_guardian.errors import SandboxError, SandboxUnavailableError
from repo_guardian.sandbox.conformance.frame import BackendCase, Case, demand, output_of, summary
from repo_guardian.sandbox.interface import OUT, Backend, Profile, Sandbox, SandboxSpec

_VERSION = "import sys; print(sys.implementation.name, *sys.version_info[:2])"
_STANDARD = "import ctypes, hashlib, json, ssl, sqlite3, subprocess, zlib"


async def tool(sandbox: Sandbox, _: Path) -> str:
    """For a tool the repository is read-only; what it makes goes elsewhere."""
    demand(await output_of(sandbox, "cat", "a.txt") == "a\n", "the repository is not there")
    for script in (
        "echo x > a.txt",
        "echo x > new",
        "rm pkg/m.py",
        "chmod 777 run.sh",
        "mkdir d",
        "mv link l",
    ):
        result = await sandbox.run(["sh", "-c", script])
        demand(not result.ok, f"{script!r} ended as {summary(result)}")
    try:
        await sandbox.write_file("/repo/a.txt", b"x")
    except SandboxError:
        pass
    else:
        demand(False, "a file was written")
    await sandbox.write_file("/out/report", b"made")
    demand(await output_of(sandbox, "cat", "/out/report") == "made", "the writable channel is not")
    demand(await sandbox.evidence_diff() == (), "the overlay has changes")
    return "the repository is read-only"


async def build(sandbox: Sandbox, _: Path) -> str:
    """A build may write beside the sources and leaves its results in the writable channel."""
    await output_of(sandbox, "sh", "-ec", 'mkdir build; cp a.txt build/a; cp -r build "$0"', f"{OUT}/built")
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        target = Path(folder) / "harvest"
        harvest = await sandbox.harvest(target, limit_bytes=1000, limit_files=10)
        demand(harvest.files == ("built/a",), f"harvested: {harvest}")
        demand((target / "built" / "a").read_bytes() == b"a\n", "wrong content")
    return "built in the tree, harvested from the channel"


async def pythons(backend: Backend, spec: SandboxSpec) -> str:
    """Each Python that the backend lists runs, is what it says, and has its library and our scripts."""
    runtimes = backend.interpreters()
    demand(bool(runtimes), "no Python is listed")
    demand(runtimes[0].version == backend.python_version(), "the default is not the first")
    versions = [runtime.version for runtime in runtimes]
    demand(len(set(versions)) == len(versions), f"listed twice: {versions}")
    for runtime in runtimes:
        async with backend.open(replace(spec, python=runtime.version)) as sandbox:
            demand(sandbox.python == runtime.path, f"{sandbox.python} is not {runtime.path}")
            said = await output_of(sandbox, sandbox.python, "-c", _VERSION)
            demand(said.split() == ["cpython", *map(str, runtime.version)], f"it is {said.strip()}")
            await output_of(sandbox, sandbox.python, "-c", _STANDARD)
            await output_of(
                sandbox, "sh", "-c", f"test $(command -v python3.{runtime.version[1]}) = $0", sandbox.python
            )
            await sandbox.write_file("/repo/a.txt", b"b")
            demand(await sandbox.read_file("/repo/a.txt", limit_bytes=10) == b"b", "files cannot be written")
    return ", ".join(f"{major}.{minor}" for major, minor in versions)


async def default_python(backend: Backend, spec: SandboxSpec) -> str:
    """Without a wish the first of the listed Pythons runs."""
    async with backend.open(replace(spec, profile=Profile.BUILD)) as sandbox:
        first = backend.interpreters()[0]
        demand(sandbox.python == first.path, f"{sandbox.python} is not {first.path}")
    return first.path


async def missing_python(backend: Backend, spec: SandboxSpec) -> str:
    """A Python that is not there is refused when opening, and those that are there are named."""
    try:
        async with backend.open(replace(spec, python=(3, 99))):
            pass
    except SandboxUnavailableError as error:
        major, minor = backend.interpreters()[0].version
        demand(f"{major}.{minor}" in error.hint, f"the hint names no Python: {error.hint}")
        return error.message
    demand(False, "Python 3.99 was opened")
    return ""


CASES: tuple[Case | BackendCase, ...] = (
    Case("tool_profile", tool, isolation=True, profile=Profile.TOOL),
    Case("build_profile", build, profile=Profile.BUILD),
    BackendCase("pythons", pythons),
    BackendCase("default_python", default_python),
    BackendCase("missing_python", missing_python),
)
