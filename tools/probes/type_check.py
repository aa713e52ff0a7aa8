"""What mypy says about modules of a tree, and which of it is new: run in the sandbox's *tool* profile.

The repository's own settings are not read: they may name plugins, and leave out what is asked. Dependencies
are unknown to it and so count as ``Any``; bodies without annotations are checked too. What stays is what the
checker can tell from the repository's own definitions, as a test of that module would.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.interface import (
    REPO,
    CommandResult,
    Limits,
    ProcessStatus,
    Profile,
    PythonRuntime,
    ReadOnlyMount,
    SandboxSpec,
)
from repo_guardian.sandbox.toolchain import Toolchain, acquire_checker
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite_layout import find_layout

CHECKER_LIMITS = Limits(wall_s=240.0, cpu_s=480, memory_bytes=4 * 1024**3, output_bytes=4 * 1024**2)
"""Of one tree. Nothing is kept between runs, so all that the modules import is read each time."""

OLDEST_PYTHON = (3, 10)
"""What the pinned mypy needs at least."""

_CHECKER = "/toolchain/checker"
_OPTIONS = (
    *("--config-file=", "--no-incremental", "--cache-dir=/dev/null", "--ignore-missing-imports"),
    *("--follow-imports=silent", "--check-untyped-defs", "--no-error-summary", "--no-color-output"),
    *("--hide-error-context", "--show-error-codes", "--no-pretty", "--namespace-packages"),
    "--explicit-package-bases",
)
_ERROR = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::\d+)?: error: (?P<text>.+)")
_ANSWERED = (0, 1)
"""Exit codes: nothing found, or something; 2 is for what stops mypy itself."""


@dataclass(frozen=True, slots=True)
class TypeReport:
    """Errors of one tree as ``(path, line, text)``; ``problem`` says why there is no answer."""

    errors: tuple[tuple[str, int, str], ...] = ()
    problem: str = ""


async def prepare_checker(bench: Bench, root: Path) -> tuple[Toolchain, PythonRuntime]:
    """The pinned checker for a Python of the bench's backend; offline when it is there.

    Args:
        root: the folder that keeps runners.

    Raises:
        ToolchainError: no Python is recent enough, or the checker cannot be had.
    """
    own = bench.toolchains.workshop.runtime
    runtimes = (own, *bench.backend.interpreters())
    runtime = next((one for one in runtimes if one.version >= OLDEST_PYTHON), None)
    if runtime is None:
        needed = ".".join(map(str, OLDEST_PYTHON))
        raise ToolchainError(f"mypy needs Python {needed}, and the sandbox has none")
    return await acquire_checker(runtime=runtime, root=root), runtime


async def check_types(
    bench: Bench, checker: tuple[Toolchain, PythonRuntime], checkout: Checkout, modules: Sequence[str]
) -> TypeReport:
    """Have ``modules`` of the tree at ``checkout`` checked; never raises for what the checker does.

    Raises:
        SandboxError: the sandbox could not be opened.
    """
    if not modules:
        return TypeReport()
    toolchain, runtime = checker
    layout = await to_thread.run_sync(find_layout, checkout.path)
    roots = ":".join(f"{REPO}/{root}".rstrip("/") for root in layout.roots)
    spec = SandboxSpec(
        checkout=checkout.path,
        commit=checkout.label,
        mounts=(ReadOnlyMount(toolchain.path, _CHECKER),),
        environment={"PYTHONPATH": _CHECKER, "MYPYPATH": roots},
        limits=CHECKER_LIMITS,
        profile=Profile.TOOL,
        python=runtime.version,
    )
    names = [word for module in modules for word in ("-m", module)]
    async with bench.backend.open(spec) as sandbox:
        result = await sandbox.run([sandbox.python, "-m", "mypy", *_OPTIONS, *names], cwd=REPO)
    return _read(result)


def new_errors(base: TypeReport, current: TypeReport) -> tuple[str, ...]:
    """What is said of the current tree and was not of the base, one line each, in the checker's order.

    Line numbers move with any edit and tell no errors apart: of equal ones in one file the last are new.
    """
    before = Counter((path, text) for path, _, text in base.errors)
    found = []
    for path, line, text in current.errors:
        if before[path, text]:
            before[path, text] -= 1
        else:
            found.append(f"{path}:{line}: {text}")
    return tuple(found)


def _read(result: CommandResult) -> TypeReport:
    if result.status is not ProcessStatus.EXITED:
        return TypeReport(problem=f"mypy ended as {result.status.value.replace('_', ' ')}")
    lines = result.stdout.decode("utf-8", "replace").split("\n")
    if result.exit_code not in _ANSWERED or result.stdout_truncated:
        said = next((line for line in (*lines, result.stderr.decode("utf-8", "replace")) if line.strip()), "")
        return TypeReport(problem=f"mypy cannot check this tree: {' '.join(said.split())[:200]}")
    matches = (_ERROR.fullmatch(line) for line in lines)
    return TypeReport(tuple((m["path"], int(m["line"]), m["text"]) for m in matches if m is not None))
