"""Why do a repository's own tests fail when one of its functions is broken, and which of these count?

    python benchmarks/evidence_reasons.py [--work FOLDER] [--mutants N] [--sandbox NAME] [NAME[==VERSION] ...]

Takes releases (downloaded as ``suites.py`` does), breaks one function at a time in the overlay (seeded: a
comparison turned round, ``+`` and ``-`` exchanged, a condition negated, a returned value dropped), runs the
whole suite in the sandbox, and asks the rules about every test that passed before: is the failure for
the stated reason, when the claim is about that function? Prints counts by reason as Markdown.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
from suites import Package, fetch

from repo_guardian.sandbox.registry import select
from repo_guardian.server.ledger.reasons import Expectation, Expected, classify, classify_collection
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.execution.projects import reader
from repo_guardian.tools.execution.suite import run_once
from repo_guardian.tools.execution.suite_bench import Places, SuiteBench, prepare_suite
from repo_guardian.tools.probes.interface import ExceptionFacts, TestOutcome, TestRun, TestSource

PACKAGES = ("itsdangerous", "tomlkit", "semver", "h11", "pluggy", "inflect", "natsort", "xmltodict")
SEED = 6
FAILING = (TestOutcome.FAILED, TestOutcome.ERROR)


class Broken(ast.NodeTransformer):
    """Changes the first place that it can in one function."""

    def __init__(self, chance: random.Random) -> None:
        self._skip = chance.randrange(4)
        self.done = False

    def _take(self) -> bool:
        if self.done:
            return False
        self._skip -= 1
        self.done = self._skip < 0
        return self.done

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """``a < b`` becomes ``not a < b``."""
        return ast.UnaryOp(ast.Not(), node) if self._take() else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """``a + b`` becomes ``a - b`` and the other way round."""
        if isinstance(node.op, ast.Add | ast.Sub) and self._take():
            return ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """The condition is negated."""
        if self._take():
            return ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """The value is dropped."""
        if node.value is not None and self._take():
            return ast.Return(ast.Constant(None))
        return self.generic_visit(node)


def mutants(package: SuiteBench, count: int) -> Iterator[tuple[str, str, str, bytes]]:
    """Path, module, qualified name and broken text of so many functions, drawn by seed."""
    places = []
    for root in package.plan().layout.roots:
        for name in package.plan().layout.packages:
            base = package.checkout.path / root
            found = sorted((base / name).rglob("*.py")) or [base / f"{name}.py"]
            places += [(path, base) for path in found if path.is_file() and "test" not in path.name]
    chance = random.Random(SEED)
    functions = [
        (path, base, owner, index)
        for path, base in dict.fromkeys(places)
        for owner, index in _functions(ast.parse(path.read_bytes()))
    ]
    chance.shuffle(functions)
    for path, base, name, index in functions:
        if count == 0:
            return
        tree = ast.parse(path.read_bytes())
        breaker = Broken(chance)
        node = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)][
            index
        ]
        node.body = [breaker.visit(statement) for statement in node.body]
        if not breaker.done:
            continue
        count -= 1
        module = ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
        text = ast.unparse(ast.fix_missing_locations(tree)).encode()
        yield path.relative_to(package.checkout.path).as_posix(), module, name, text


def _functions(tree: ast.Module) -> list[tuple[str, int]]:
    order = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(node.name, index) for index, node in enumerate(order) if not node.name.startswith("__")]


def failures(run: TestRun, green: set[str]) -> Iterator[tuple[TestSource, ExceptionFacts | None, bool]]:
    """The tests that passed and fail now: (test, exception, whether it could not even be collected)."""
    for report in run.tests:
        if report.test_id in green and report.outcome in FAILING:
            path, _, rest = report.test_id.partition("::")
            yield TestSource(path, rest, "", "d", existing=True), report.exception, False
    for node, exception in zip(run.collect_error_ids, run.collect_errors, strict=True):
        if any(test.startswith(f"{node}::") for test in green):
            yield TestSource(node, "", "", "d", existing=True), exception, True


async def measure(package: Package, options: argparse.Namespace, counts: Counter[str]) -> None:
    """Add one package's failures to ``counts``."""
    work: Path = options.work
    suite = await prepare_suite(
        await select(options.sandbox),
        Checkout(package.folder, f"{package.name}-{package.version}", package.version.removeprefix("v")),
        declared_dependencies(reader(package.folder)),
        Places(work / "harness", work / "toolchain"),
        as_of=package.published or datetime.now(UTC),
    )
    plan = suite.plan()
    before = await run_once(suite.bench, suite.checkout, plan)
    green = {test.test_id for test in before.tests if test.outcome is TestOutcome.PASSED}
    counts["suites"] += bool(green)
    for path, module, name, text in mutants(suite, options.mutants if green else 0):
        run = await run_once(suite.bench, suite.checkout, replace(plan, edit={path: text}))
        expected = Expected((Expectation(module, name, (path,)),), plan.layout.packages)
        found = list(failures(run, green))
        counts["mutants"] += 1
        counts["mutants that a test notices"] += bool(found)
        kinds = set()
        for test, exception, collecting in found:
            kind = "no readable exception"
            if exception is not None:
                reason = (classify_collection if collecting else classify)(exception, expected, test)
                kind = ("counts: " if reason.stated else "does not: ") + reason.text.partition(":")[0]
                if not reason.stated and options.show:
                    print(f"{package.name} {module}.{name} {test.test_id}: {reason.text}", file=sys.stderr)
            counts[kind] += 1
            kinds.add(kind)
        counts["mutants with a failure that counts"] += any(kind.startswith("counts") for kind in kinds)
        print(f"{package.name} {module}.{name}: {len(found)} failures", file=sys.stderr)


def main() -> None:
    """See the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--work", type=Path, default=Path("build/benchmarks/evidence"))
    parser.add_argument("--mutants", type=int, default=12)
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("--show", action="store_true", help="print each failure that does not count")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    for name in options.packages:
        anyio.run(measure, fetch(name, options.work), options, counts)
    print("| what | count |\n|---|---|")
    for what, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"| {what} | {count} |")


if __name__ == "__main__":
    main()
