"""The call graph against what really ran: packages' own suites under a call tracer, in the sandbox.

    python benchmarks/call_graph_runtime.py [--misses] [--reuse] [--work FOLDER] [--sandbox NAME] PACKAGE ...

A PACKAGE is named as for ``suites.py``: NAME[==VERSION] is a release, whose source distribution is
downloaded; FOLDER[@DAY] is a folder, best called NAME-VERSION, as of DAY (YYYY-MM-DD). Each suite runs once,
in the sandbox, with ``call_tracer.py`` in its interpreter (Python 3.11 or later). A pair is caller and
callee, both in the package itself: its tests are no part of it. Recall is the part of the traced pairs that
the graph has, by how the call looks in the source:

- direct, method, constructor: the callee (or its class) stands there by its name;
- passed: called under another name (a parameter, a variable, a container, the wrapper of a decorator);
- callback: C code called it (``sorted(key=...)``, ``map``, ``re.sub``);
- implicit: no call is written (a property, an operator, iteration, ``with``, ``__getattr__``);
- resumed: a generator or coroutine, entered by what resumes it, who need not be who called it; not in "all".

"overrides followed" also counts a pair whose callee overrides, by the graph's own override edges, a method
that the graph has as the callee. Precision is a lower bound: of the graph's pairs whose call stands on a line
that ran, those that were traced. An override that no test reaches and a branch of an expression count against
the graph. ``--misses`` lists what the graph lacks, with the kind and the place. ``--reuse`` takes the trace
of an earlier run from ``--work`` where there is one.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from graphs import Calls, Pair, build
from suites import ADDED, Package, fetch
from trees import DirectorySource

from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import HARNESS, Checkout, apply_edit
from repo_guardian.tools.execution.override import Override
from repo_guardian.tools.execution.projects import reader
from repo_guardian.tools.execution.suite_bench import Places, prepare_suite
from repo_guardian.tools.execution.suite_layout import find_layout
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import SymbolKind

TRACER = Path(__file__).with_name("call_tracer.py")
PLACE = "/tmp/call_tracer"
"""Inside the sandbox, whose ``/tmp`` is its own."""
TRACE_BYTES = 256 * 1024**2
KINDS = ("direct", "method", "constructor", "passed", "callback", "implicit", "resumed")
_OPTIMIZED, _RESUMABLE = 0x1, 0x20 | 0x80 | 0x200
"""Code flags: of a function's body, unlike a module's or a class's; of generators and coroutines."""
Position = tuple[int, int, int, int]
"""First and last line, first and last column in bytes."""

_HIDDEN = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")


async def trace(package: Package, options: argparse.Namespace) -> bytes:
    """Run the suite of a package once under the tracer; returns what the tracer wrote."""
    work: Path = options.work
    suite = await prepare_suite(
        await select(options.sandbox),
        Checkout(package.folder, f"{package.name}-{package.version}", package.version.removeprefix("v")),
        declared_dependencies(reader(package.folder)),
        Places(work / "harness", work / "toolchain"),
        as_of=package.published,
        override=Override(add=ADDED.get(package.name, ())),
        report=lambda step: print(f"{package.name}: {step}", file=sys.stderr),
    )
    bench, plan = suite.bench, suite.plan()
    project = bench.projects.get(suite.checkout.label)
    built = await anyio.to_thread.run_sync(project.edit) if project is not None else {}
    roots = [f"{REPO}/{root}".rstrip("/") for root in plan.layout.roots]
    packages = [f"{root}/{name}" for root in roots for name in plan.layout.packages]
    environment = {
        "PYTHONPATH": ":".join([PLACE, *roots, *filter(None, (bench.site, HARNESS)), GUEST]),
        "CALL_TRACER_ROOTS": ":".join(packages),
        "CALL_TRACER_OUT": f"{PLACE}/calls.json",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    async with bench.open(suite.checkout) as sandbox:
        await apply_edit(sandbox, {**built, **plan.edit})
        await sandbox.write_file(f"{PLACE}/call_tracer.py", TRACER.read_bytes())
        done = await sandbox.run(
            [
                *(sandbox.python, f"{GUEST}/run_pytest.py", "-p", "call_tracer", "-q", "--color=no"),
                *(*plan.options.argv, *bench.toolchains.test_arguments, "-p", "no:cacheprovider"),
            ],
            environment=environment,
        )
        print(f"{package.name}: {done.stdout.decode(errors='replace').strip()[-200:]}", file=sys.stderr)
        return await sandbox.read_file(f"{PLACE}/calls.json", limit_bytes=TRACE_BYTES)


@dataclass(frozen=True)
class Code:
    """A code object of the trace: repository-relative path, qualified name, first line, and its flags."""

    path: str
    name: str
    line: int
    flags: int


class Names:
    """From code objects to the graph's symbols."""

    def __init__(self, graph: Graph) -> None:
        self._modules: dict[str, str] = {}
        self._lambdas: dict[tuple[str, int], str] = {}
        for symbol in graph.symbols.values():
            if symbol.kind is SymbolKind.MODULE:
                self._modules[symbol.path] = symbol.id
            elif symbol.name.startswith("<lambda"):
                self._lambdas.setdefault((symbol.path, symbol.span.start_line), symbol.id)

    def id_of(self, code: Code) -> str:
        """The symbol that the code was compiled from; a comprehension's is that of its owner."""
        parts = [part for part in code.name.split(".") if part != "<locals>" and part not in _HIDDEN]
        if parts and parts[-1] == "<lambda>":
            return self._lambdas.get((code.path, code.line), f"{code.path}.{code.name}")
        return ".".join([self._modules.get(code.path, code.path), *(p for p in parts if p != "<module>")])


class Sites:
    """What stands in the source where a call was made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, dict[Position, str]] = {}

    def called(self, path: str, position: Position) -> str | None:
        """The last part of the name that is called (or decorates) there; None when no call is written."""
        if path not in self._names:
            self._names[path] = dict(_called((self._folder / path).read_bytes()))
        return self._names[path].get(position)


def _called(source: bytes) -> Iterator[tuple[Position, str]]:
    """Each call and decorator of a file with the last part of the name that it calls, "" without one."""
    for node in ast.walk(ast.parse(source)):
        calls = [(node, node.func)] if isinstance(node, ast.Call) else []
        calls += [(expression, expression) for expression in getattr(node, "decorator_list", ())]
        for whole, function in calls:
            place = (whole.lineno, whole.end_lineno or 0, whole.col_offset, whole.end_col_offset or 0)
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            yield place, ("." if isinstance(function, ast.Attribute) else "") + name


def kind_of(callee: Code, called: str | None, *, in_c: bool) -> str:
    """How the call looks; one of ``KINDS``."""
    *_, owner, name = ("", *callee.name.split("."))
    if callee.flags & _RESUMABLE:
        return "resumed"
    if in_c:
        return "callback"
    if called is None:
        return "implicit"
    if called.removeprefix(".") == name:
        return "method" if called.startswith(".") else "direct"
    if name in ("__init__", "__new__", "__post_init__"):
        return "constructor"
    if name.startswith("__") and name.endswith("__"):
        return "implicit"
    return "direct" if called == owner else "passed"


@dataclass
class Trace:
    """What ran, in the graph's names.

    Attributes:
        pairs: caller and callee with the kind of the call; the plainest one when there are several.
        places: where a pair was seen.
        lines: the lines of the package that ran, with their path.
    """

    pairs: dict[Pair, str]
    places: dict[Pair, str]
    lines: set[tuple[str, int]]


def read_trace(data: Mapping[str, Any], names: Names, folder: Path) -> Trace:
    """The trace in the graph's names; imports, class statements and comprehensions are no calls."""
    codes = [
        Code(path.removeprefix(f"{REPO}/"), name, line, flags) for path, name, line, flags in data["codes"]
    ]
    sites, trace = Sites(folder), Trace({}, {}, set())
    trace.lines = {(codes[number].path, line) for number, line in data["lines"]}
    for caller_number, callee_number, _opcode, position, in_c, _count in data["calls"]:
        caller, callee = codes[caller_number], codes[callee_number]
        if not callee.flags & _OPTIMIZED or callee.name.endswith(_HIDDEN):
            continue
        kind = kind_of(callee, sites.called(caller.path, tuple(position)), in_c=in_c)
        pair = (names.id_of(caller), names.id_of(callee))
        known = trace.pairs.get(pair, kind)
        trace.pairs[pair] = min(known, kind, key=KINDS.index)
        trace.places[pair] = f"{caller.path}:{position[0]}"
    return trace


@dataclass
class Row:
    """Counts of one package, or of all: traced pairs and those that the graph has, by kind; precision's.

    ``dispatched`` are pairs that the graph only has through an override.
    """

    traced: Counter[str]
    found: Counter[str]
    dispatched: int
    on_lines: int
    confirmed: int

    def line(self, name: str) -> str:
        """A line of the table."""
        cells = [_share(self.found[kind], self.traced[kind]) for kind in KINDS]
        traced, found = (
            self.traced.total() - self.traced["resumed"],
            self.found.total() - self.found["resumed"],
        )
        whole = (_share(found, traced), _share(found + self.dispatched, traced))
        return f"| {' | '.join([name, *whole, *cells, _share(self.confirmed, self.on_lines)])} |"

    def __add__(self, other: Row) -> Row:
        return Row(
            self.traced + other.traced,
            self.found + other.found,
            self.dispatched + other.dispatched,
            self.on_lines + other.on_lines,
            self.confirmed + other.confirmed,
        )


NOTHING = Row(Counter(), Counter(), 0, 0, 0)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} of {whole}" if whole else ""


def compare(trace: Trace, graph: Graph, packages: tuple[str, ...]) -> tuple[Row, list[str]]:
    """The row of one package, and a line for each traced pair that the graph lacks."""
    calls = Calls(graph)
    resolved = list(calls.resolved())
    have = {pair for pair, _ in resolved}
    row = Row(Counter(trace.pairs.values()), Counter(), 0, 0, 0)
    misses = []
    for pair, kind in sorted(trace.pairs.items()):
        if pair in have:
            row.found[kind] += 1
        else:
            row.dispatched += kind != "resumed" and any(
                (pair[0], b) in have for b in calls.overridden(pair[1])
            )
            misses.append(f"{kind}: {pair[0]} -> {pair[1]}  {trace.places[pair]}")
    ran = {
        pair
        for pair, edge in resolved
        if (edge.path, edge.span.start_line) in trace.lines and pair[1].partition(".")[0] in packages
    }
    row.on_lines, row.confirmed = len(ran), len(ran & trace.pairs.keys())
    return row, misses


async def measure(text: str, options: argparse.Namespace) -> tuple[str, Row, list[str]]:
    """One package: trace, graph, comparison."""
    package = fetch(text, options.work)
    kept = options.work / "traces" / f"{package.name}-{package.version}.json"
    if not (options.reuse and kept.exists()):
        written = await trace(package, options)
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(written)
    packages = find_layout(package.folder).packages
    with tempfile.TemporaryDirectory() as state:
        graph = build(DirectorySource(package.folder, "traced"), Path(state))
        found = read_trace(json.loads(kept.read_bytes()), Names(graph), package.folder)
        row, misses = compare(found, graph, packages)
    return f"{package.name} {package.version}", row, misses


def main() -> None:
    """Print the table, then what the graph lacks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--work", type=Path, default=Path("build/suites"))
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    rows = [anyio.run(measure, text, options) for text in options.packages]
    print(f"| package | all | overrides followed | {' | '.join(KINDS)} | precision, at least |")
    print(f"|{'---|' * (len(KINDS) + 4)}")
    for name, row, _ in rows:
        print(row.line(name))
    print(sum((row for _, row, _ in rows), NOTHING).line("**pooled**"))
    if options.misses:
        for name, _, misses in rows:
            print(f"\n{name}", *misses, sep="\n- ")


if __name__ == "__main__":
    main()
