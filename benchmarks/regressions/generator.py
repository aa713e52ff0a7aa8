"""Pynguin as a generator of regression tests: made at the base, run on the current commit.

It is given the module that the case is about, which it could not know, and a budget of seconds. Tests are
kept that pass twice at the base. Tests with xfail marks, which Pynguin writes for exceptions, count as they
stand: an exception that is expected and does not come is a failure. Pynguin and what it needs lie in a
folder of their own (``pip install --target``), behind the repository and before its dependencies; a
repository that Pynguin itself depends on may not bear that, and then it cannot run.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.guest import GUEST, GUEST_SOURCE
from repo_guardian.sandbox.interface import OUT, REPO, Limits, ReadOnlyMount, Sandbox, SandboxSpec
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite_layout import find_layout

from .corpus import Case
from .verify import Ready

_PLACE = "/generators"
_RUN = """
import json, sys, pytest
class Told:
    def __init__(self): self.outcomes = {}
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed:
            self.outcomes[report.nodeid.rpartition("::")[2]] = report.outcome
told = Told()
pytest.main(["-q", "--noconftest", "-p", "no:cacheprovider", "--rootdir=/out",
             "-c", "/dev/null", "-o", "xfail_strict=true", sys.argv[1]], plugins=[told])
print("\\n" + json.dumps(told.outcomes))
"""


async def generate(case: Case, ready: Ready, folder: Path, *, seconds: int = 60) -> dict[str, Any]:
    """How many generated tests passed at the base, and which of them fail now."""
    started = time.monotonic()
    module = module_of(case, ready.checkouts["base"])
    if not module:
        return {"failed": "the case's module is not at the base"}
    limits = Limits(wall_s=seconds * 4, cpu_s=seconds * 8, memory_bytes=4 * 1024**3, processes=256)
    base, current = ready.checkouts["base"], ready.checkouts["current"]
    async with _open(ready.bench, base, folder, limits) as sandbox:
        text, problem = await _written(sandbox, ready.bench, base, module, seconds)
        if not text:
            return {"failed": problem, "module": module, "wall_s": round(time.monotonic() - started, 1)}
        kept: set[str] | None = None
        for _ in range(2):
            await sandbox.reset()
            outcomes = await _outcomes(sandbox, ready.bench, base, text)
            good = {name for name, outcome in outcomes.items() if outcome != "failed"}
            kept = good if kept is None else kept & good
    async with _open(ready.bench, current, folder, limits) as sandbox:
        outcomes = await _outcomes(sandbox, ready.bench, current, text)
    failing = sorted(name for name in kept or () if outcomes.get(name, "failed") == "failed")
    names = {function.rpartition(".")[2] for function in case.functions}
    own = [name for name in failing if any(f".{word}(" in _body(text, name) for word in names)]
    return {
        "module": module,
        "kept": len(kept or ()),
        "failing": len(failing),
        "own": len(own),
        "found": bool(own) or (bool(failing) and _about_class(case, text, failing)),
        "wall_s": round(time.monotonic() - started, 1),
    }


def module_of(case: Case, checkout: Checkout) -> str:
    """The module at the base that the first function is in, as it is imported."""
    for name in case.functions:
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            for root in find_layout(checkout.path).roots:
                place = checkout.path.joinpath(root, *parts[:length])
                if place.with_suffix(".py").is_file() or (place / "__init__.py").is_file():
                    return ".".join(parts[:length])
    return ""


def _open(bench: Bench, checkout: Checkout, folder: Path, limits: Limits) -> Any:
    project = bench.projects.get(checkout.label)
    own = [ReadOnlyMount(project.path, "/toolchain/project")] if project is not None else []
    spec = SandboxSpec(
        checkout=checkout.path,
        commit=checkout.label,
        mounts=(
            *(ReadOnlyMount(GUEST_SOURCE, GUEST), *bench.toolchains.mounts(), *own),
            ReadOnlyMount(folder, _PLACE),
        ),
        environment=bench.toolchains.variables(),
        limits=limits,
        python=bench.toolchains.python_version,
    )
    return bench.backend.open(spec)


def _environment(bench: Bench, checkout: Checkout) -> dict[str, str]:
    roots = [f"{REPO}/{root}".rstrip("/") for root in find_layout(checkout.path).roots]
    path = ":".join(filter(None, [*roots, _PLACE, bench.site]))
    return {"PYTHONPATH": path, "PYTHONHASHSEED": "0", "PYNGUIN_DANGER_AWARE": "1"}


async def _written(
    sandbox: Sandbox, bench: Bench, checkout: Checkout, module: str, seconds: int
) -> tuple[str, str]:
    """The generated file, or why there is none."""
    project = bench.projects.get(checkout.label)
    await apply_edit(sandbox, project.edit() if project is not None else {})
    root = next(
        r for r in find_layout(checkout.path).roots
        if checkout.path.joinpath(r, *module.split(".")).with_suffix(".py").is_file()
        or checkout.path.joinpath(r, *module.split("."), "__init__.py").is_file()
    )  # fmt: skip
    argv = [sandbox.python, "-m", "pynguin", "--project-path", f"{REPO}/{root}".rstrip("/")]
    argv += ["--module-name", module, "--output-path", OUT, "--report-dir", f"{OUT}/report", "--seed", "1"]
    argv += ["--maximum-search-time", str(seconds), "--assertion-generation", "SIMPLE"]
    result = await sandbox.run(argv, environment=_environment(bench, checkout))
    try:
        name = f"test_{module.rpartition('.')[2]}.py"
        content = await sandbox.read_file(f"{OUT}/{name}", limit_bytes=4 * 1024**2)
    except SandboxError:
        said = (result.stderr + result.stdout).decode(errors="replace").strip().splitlines()
        return "", f"{result.status.value} {result.exit_code}: {' '.join(said[-3:])[-300:]}"
    return content.decode(errors="replace"), ""


async def _outcomes(sandbox: Sandbox, bench: Bench, checkout: Checkout, text: str) -> dict[str, str]:
    project = bench.projects.get(checkout.label)
    await apply_edit(sandbox, project.edit() if project is not None else {})
    await sandbox.write_file(f"{OUT}/test_generated.py", text.encode())
    result = await sandbox.run(
        [sandbox.python, "-c", _RUN, f"{OUT}/test_generated.py"], environment=_environment(bench, checkout)
    )
    try:
        return dict(json.loads(result.stdout.decode(errors="replace").splitlines()[-1]))
    except (IndexError, ValueError):
        return {}


def _body(text: str, name: str) -> str:
    _, _, rest = text.partition(f"def {name}(")
    return rest.partition("\ndef ")[0]


def _about_class(case: Case, text: str, failing: list[str]) -> bool:
    """Whether a failing test makes an object of the class whose constructor or special method it is about."""
    classes = {n.split(".")[-2] for n in case.functions if n.rpartition(".")[2].startswith("__")}
    return any(f".{kind}(" in _body(text, name) for kind in classes for name in failing)
