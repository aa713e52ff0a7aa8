"""Do reduced copies of real tests still run? Of sampled tests one check is taken for the failing one.

    python benchmarks/reduced_tests.py [--seed N] [--sample N] [--sandbox NAME] PROJECT ...

A project is an unpacked release with its tests in ``tests``. Of its test functions the seed draws some, and
of each one check; the copy that is reduced to that check is put beside the original, and both run in the
sandbox on the code as it is. Where the original passes the copy has to: one that does not was cut too far.
Prints a Markdown table with the share of the file's lines that is left and, to standard error, the copies
that do not pass.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio

from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite import plan_suite, run_suite
from repo_guardian.tools.execution.suite_model import Selection
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.probes.templates.reduction import reduced

LIMITS = Limits(wall_s=300.0, cpu_s=300, processes=64)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Copy:
    """A test's path and name, its reduced text, and how many lines the file had and has."""

    path: Path
    name: str
    text: str
    lines: tuple[int, int]

    @property
    def place(self) -> str:
        """Where the copy is put."""
        return self.path.with_name(f"{self.path.stem}_{self.name.replace('::', '_')}_reduced.py").as_posix()


def drawn(project: Path, seed: int, sample: int) -> list[Copy]:
    """Copies of some of the project's tests, drawn by the seed; a test that is not reduced is left out."""
    found = [c for path in sorted(project.glob("tests/**/test_*.py")) for c in _copies(project, path, seed)]
    return random.Random(f"{seed}:{project.name}").sample(found, min(sample, len(found)))


def _copies(project: Path, path: Path, seed: int) -> Iterator[Copy]:
    text = path.read_text("utf-8", "replace")
    for name, function in _tests(ast.parse(text)):
        checks = [node.lineno for node in ast.walk(function) if _is_check(node)]
        if not checks:
            continue
        line = random.Random(f"{seed}:{path.name}:{name}").choice(sorted(checks))
        copy = reduced(text, name, [line])
        if copy is not None:
            yield Copy(path.relative_to(project), name, copy, (text.count("\n"), copy.count("\n")))


def _is_check(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return isinstance(node, ast.Assert) or (named and call.func.attr.startswith("assert"))


def _tests(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    for node in tree.body:
        if isinstance(node, Function) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and (node.bases or node.name.startswith("Test")):
            for inner in node.body:
                if isinstance(inner, Function) and inner.name.startswith("test"):
                    yield f"{node.name}::{inner.name}", inner


async def judge(project: Path, copies: list[Copy], sandbox: str) -> str:
    """Run originals and copies; the row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        tree = root / project.name
        shutil.copytree(project, tree)
        # Releases of their time turn what a later pytest deprecates into errors.
        (tree / "pytest.ini").write_text("[pytest]\n")
        for copy in copies:
            (tree / copy.place).write_text(copy.text, "utf-8")
        backend = await select(sandbox)
        toolchains = await prepare_toolchains(
            backend, Declared((), ()), as_of=None, harness_root=root / "harness", site_root=root / "site"
        )
        wanted = [f"{copy.path.as_posix()}::{copy.name}" for copy in copies]
        wanted += [f"{copy.place}::{copy.name}" for copy in copies]
        plan = plan_suite(tree, (), Selection(arguments=tuple(wanted)))
        done = await run_suite(Bench(backend, toolchains, LIMITS), Checkout(tree, project.name), plan)
    if not done.tests:
        raise SystemExit(f"{project.name}: {done.assessment} {done.repetitions[0].output_tail}")
    passing = _passing([(t.test_id, t.outcome.value) for t in done.tests])
    counted = [c for c in copies if f"{c.path.as_posix()}::{c.name}" in passing]
    whole = [c for c in counted if f"{c.place}::{c.name}" in passing]
    for copy in counted:
        if copy not in whole:
            print(f"not passing: {copy.path}::{copy.name}\n{copy.text}", file=sys.stderr)
    shares = [copy.lines[1] / max(1, copy.lines[0]) for copy in counted] or [0.0]
    return f"| {project.name} | {len(counted)} | {len(whole)} | {statistics.median(shares):.2f} |"


def _passing(outcomes: list[tuple[str, str]]) -> set[str]:
    """Ids without parameters of which every parameter passes."""
    failed = {test.partition("[")[0] for test, outcome in outcomes if outcome != "passed"}
    return {test.partition("[")[0] for test, _ in outcomes} - failed


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--sandbox", default="bubblewrap")
    options = parser.parse_args()
    print("| project | tests that pass | copies that pass | lines of the file left, median |")
    print("|---|---|---|---|")
    for project in options.projects:
        copies = drawn(project.resolve(), options.seed, options.sample)
        print(anyio.run(judge, project.resolve(), copies, options.sandbox), flush=True)


if __name__ == "__main__":
    main()
