"""Do the templates' tests prove real changes? Mutations of real packages, their tests run before and after.

    python benchmarks/template_proofs.py [--seed N] [--each N] [--sandbox NAME] PACKAGE ...

A package is the folder of an import package in an unpacked release, e.g. ``click-8.1.7/src/click``. Mutants
are drawn and checked by Python itself as in ``drift_mutations``. For each the signals that name what changed
are taken, their candidates written into the tree's ``tests`` folder, and run there in the sandbox: all tests
of a package at once on the original, those of one mutant on that. A change is *written* when a signal has a
candidate, *proven* when a candidate passes at the base and fails now; *by a later one* counts those where the
first does not. Prints a Markdown table by operator and, to standard error, what was not proven. Exits with 1
when less than 0.9 of the changes that have a signal is proven.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from drift_mutations import Mutant, draw, is_found, linked, texts_of
from drift_operators import Module, read_package
from drift_proofs import proven, write_trees

from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite import plan_suite, run_suite
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.probes.interface import TestReport, TestSource
from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import SymbolDetail
from repo_guardian.tools.views.symbol_graph.model import SymbolGraph

PROVEN_MIN = 0.9
LIMITS = Limits(wall_s=120.0, cpu_s=120, processes=64)


@dataclass
class Case:
    """One mutant, whether a signal names it, its candidates, and what they did on each side."""

    number: int
    package: Path
    mutant: Mutant
    signalled: bool = False
    tests: tuple[TestSource, ...] = ()
    base: dict[str, TestReport] = field(default_factory=dict)
    now: dict[str, TestReport] = field(default_factory=dict)

    def shown_by(self) -> int | None:
        """The index of the first candidate that passes at the base and fails now."""
        for index, test in enumerate(self.tests):
            before, after = self.base.get(test.text), self.now.get(test.text)
            sides = [report.outcome.value for report in (before, after) if report is not None]
            if sides == ["passed", "failed"]:
                return index
        return None


class Original:
    """A package as it is, linked once."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._modules = modules
        self._texts = texts_of(modules)
        self._graph: SymbolGraph = linked(self._texts)

    def write(self, case: Case) -> None:
        """Fill in the signals' candidates."""
        before, after = self._texts, texts_of(self._modules, case.mutant)
        graph = linked(after)
        read = [lambda path, texts=texts: _read(texts, path) for texts in (before, after)]
        found: list[TestSource] = []
        for signal in detect_drift(self._graph, graph, *read):
            if not is_found(case.mutant, [signal]) or not isinstance(signal.detail, SymbolDetail):
                continue
            case.signalled = True
            old = self._graph.symbols.get(signal.detail.old_id)
            signature = old.signature if old is not None else None
            found += candidates(signal, Material(signature, self._graph, graph, *read))
        case.tests = tuple(dict.fromkeys(found))


def _read(texts: Mapping[str, str], path: str) -> bytes | None:
    return texts[path].encode() if path in texts else None


def draw_cases(packages: Sequence[Path], options: argparse.Namespace, root: Path) -> list[Case]:
    """Mutants that Python itself tells from their originals, a few of each kind, with their tests."""
    drawn = list(draw(packages, options.seed))
    write_trees(packages, drawn, root)
    print(f"{len(drawn)} mutants; asking Python about them", file=sys.stderr)
    proofs = proven(packages, drawn, root, options.sandbox)
    originals = {package: Original(read_package(package)) for package in packages}
    taken: dict[str, int] = defaultdict(int)
    cases = []
    for number, ((package, mutant), proof) in enumerate(zip(drawn, proofs, strict=True)):
        if proof and taken[mutant.kind] < options.each:
            taken[mutant.kind] += 1
            cases.append(Case(number, package, mutant))
            originals[package].write(cases[-1])
    return cases


async def run_cases(cases: Sequence[Case], root: Path, sandbox: str) -> None:
    """Run every candidate on both sides."""
    backend = await select(sandbox)
    toolchains = await prepare_toolchains(
        backend,
        Declared((), ()),
        as_of=None,
        harness_root=root / "state" / "harness",
        site_root=root / "state" / "site",
    )
    bench = Bench(backend, toolchains, LIMITS)
    for package in sorted({case.package for case in cases}):
        some = [case for case in cases if case.package == package]
        reports = await _run(bench, root / f"base_{package.name}", root, some)
        for case in some:
            case.base = reports
    for case in cases:
        if case.tests:
            case.now = await _run(bench, root / f"mutant_{case.number}", root, [case])


async def _run(bench: Bench, tree: Path, root: Path, cases: Iterable[Case]) -> dict[str, TestReport]:
    """The report of each test by its text."""
    tests = {test.text: test for case in cases for test in case.tests}
    folder = tree / "tests"
    folder.mkdir()
    (tree / "pytest.ini").write_text("[pytest]\n")
    for dependency in (root / "dependencies").iterdir():
        if not (tree / dependency.name).exists():
            copy = shutil.copytree if dependency.is_dir() else shutil.copy
            copy(dependency, tree / dependency.name)
    names = {}
    for number, test in enumerate(tests.values()):
        (folder / f"test_{number}.py").write_text(test.text)
        names[f"tests/test_{number}.py::{test.function}"] = test.text
    done = await run_suite(bench, Checkout(tree, tree.name), plan_suite(tree, ()))
    return {names[report.test_id]: report for report in done.tests if report.test_id in names}


def table(cases: Sequence[Case]) -> str:
    """What was proven, by kind, as Markdown."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        kinds[case.mutant.kind].append(case)
    lines = [
        "| change | changes | signalled | written | proven | by a later one |",
        "|---|---|---|---|---|---|",
    ]
    for kind, some in [*sorted(kinds.items()), ("all", list(cases))]:
        shown = [index for case in some if (index := case.shown_by()) is not None]
        counts = (
            len(some),
            sum(case.signalled for case in some),
            sum(bool(case.tests) for case in some),
            len(shown),
            sum(index > 0 for index in shown),
        )
        lines.append(f"| {kind} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def explain(case: Case) -> None:
    """Why a change was not proven, to standard error."""
    print(f"not proven: {case.mutant.kind} {case.mutant.symbol}", file=sys.stderr)
    for test in case.tests:
        print(test.text, file=sys.stderr)
        for side, reports in (("base", case.base), ("now", case.now)):
            report = reports.get(test.text)
            said = "not run" if report is None else report.outcome.value
            why = report.exception.line[:200] if report is not None and report.exception is not None else ""
            print(f"    {side}: {said} {why}", file=sys.stderr)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=2, help="mutants of one kind, at most")
    parser.add_argument("--sandbox", default="bubblewrap")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        cases = draw_cases([p.resolve() for p in options.packages], options, root)
        print(f"{len(cases)} of them differ; running their tests", file=sys.stderr)
        anyio.run(run_cases, cases, root, options.sandbox)
    print(table(cases))
    for case in cases:
        if case.shown_by() is None:
            explain(case)
    signalled = [case for case in cases if case.signalled]
    sys.exit(sum(c.shown_by() is not None for c in signalled) < PROVEN_MIN * len(signalled))


if __name__ == "__main__":
    main()
