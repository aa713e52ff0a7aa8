"""Call edges against two hand-made ground truths: PyCG's micro cases and Jarvis' six macro projects.

    python benchmarks/call_graph_accuracy.py [--pycg FOLDER] [--jarvis FOLDER] [--misses]

``--pycg`` names a tree of github.com/vitsalis/PyCG (``micro-benchmark/snippets`` is read), ``--jarvis`` one
of github.com/pythonJaRvis/pythonJaRvis.github.io (``Jarvis/ground_truth/macro_benchmark`` and
``Jarvis/dataset/macro_benchmark/pj``). Nothing of them is run. ``--misses`` lists, below the tables, each
edge that is missing (``-``) or too many (``+``), with how the graph found it.

An edge is caller and callee. Micro: both are definitions of the case, 243 edges; the second line adds calls
of builtins and of what is not installed, 264 edges in all. Macro: the callee is a function of the project's
package, whether the name in the ground truth exists or not (some are misspelt, and nobody can find them):
1,034 edges. Edges to modules and classes are left out, since the ground truth holds them for imports and
class statements. Reading a property calls its function; the macro truths hold some such edges and lack
most, so they are counted in a line of their own only.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graphs import Calls, Pair, build
from trees import DirectorySource

from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import SymbolKind


@dataclass
class Score:
    """Expected and found edges, pooled; edges are kept with the name of their case."""

    expected: set[tuple[str, Pair]] = field(default_factory=set)
    found: set[tuple[str, Pair]] = field(default_factory=set)
    how: dict[tuple[str, Pair], str] = field(default_factory=dict)

    def add(self, case: str, expected: set[Pair], found: set[Pair], how: Mapping[Pair, str]) -> None:
        """Add one case."""
        self.expected |= {(case, pair) for pair in expected}
        self.found |= {(case, pair) for pair in found}
        self.how |= {(case, pair): text for pair, text in how.items()}

    def line(self, name: str) -> str:
        """A line of the table: edges expected, precision, recall."""
        right = len(self.expected & self.found)
        precision = right / len(self.found) if self.found else 1.0
        recall = right / len(self.expected) if self.expected else 1.0
        return f"| {name} | {len(self.expected)} | {precision:.3f} | {recall:.3f} |"

    def audited(self) -> Score:
        """The same with the calls of ``AUDIT`` that were found counted as expected too."""
        confirmed = set()
        for line in AUDIT.read_text().splitlines():
            case, _, pair = line.partition(": ")
            if not line.startswith("#"):
                caller, _, callee = pair.partition(" -> ")
                confirmed.add((case, (caller, callee)))
        return Score(self.expected | (confirmed & self.found), self.found)

    def misses(self) -> Iterator[str]:
        """One line for each edge that is missing or too many."""
        for entry in sorted(self.expected ^ self.found):
            case, (caller, callee) = entry
            sign = "-" if entry in self.expected else "+"
            yield f"{sign} {case}: {caller} -> {callee}  {self.how.get(entry, '')}".rstrip()


AUDIT = Path(__file__).with_name("call_graph_audit.txt")
"""Calls that the ground truths lack and that are there, by reading the sources."""

_ANONYMOUS = re.compile(r"\.<lambda\d*>.*")

HEAD = ("| {} | edges | precision | recall |", "|---|---|---|---|")


def micro(folder: Path, state: Path) -> tuple[dict[str, Score], Score, Score]:
    """Scores by category, of everything within the cases, and with what is outside of them."""
    categories: dict[str, Score] = {}
    inside, everything = Score(), Score()
    for truth in sorted((folder / "micro-benchmark" / "snippets").rglob("callgraph.json")):
        case = truth.parent
        name = f"{case.parent.name}/{case.name}"
        graph = build(DirectorySource(case, name.replace("/", "-")), state)
        calls = Calls(graph)
        expected = edges_of(truth)
        top = {path.stem for path in case.iterdir()}
        own = {pair for pair in expected if pair[1].partition(".")[0] in top}
        found, how = calls.pairs(), explain(calls)
        categories.setdefault(case.parent.name, Score()).add(name, own, found, how)
        inside.add(name, own, found, how)
        everything.add(name, expected, found | calls.outside(), how)
    return categories, inside, everything


def macro(folder: Path, state: Path, *, guesses: bool = True, properties: bool = False) -> dict[str, Score]:
    """Scores by project."""
    scores = {}
    truths = folder / "Jarvis" / "ground_truth" / "macro_benchmark"
    for truth in sorted(truths.glob("*/EA.json"), key=lambda path: path.parent.name.lower()):
        project = truth.parent.name
        tree = folder / "Jarvis" / "dataset" / "macro_benchmark" / "pj" / project
        graph = build(DirectorySource(tree, project), state)
        calls = Calls(graph, guesses=guesses, properties=properties)
        expected = {anonymous(graph, pair) for pair in edges_of(truth)}
        package = Counter(caller.partition(".")[0] for caller, _ in expected).most_common(1)[0][0]
        score = scores[project] = Score()
        score.add(
            project,
            {pair for pair in expected if calls_function(graph, package, pair)},
            {anonymous(graph, pair) for pair in calls.pairs() if all(within(package, end) for end in pair)},
            {anonymous(graph, pair): text for pair, text in explain(calls).items()},
        )
    return scores


def calls_function(graph: Graph, package: str, pair: Pair) -> bool:
    """Whether the callee belongs to the package and is neither one of its modules nor of its classes."""
    symbol = graph.symbols.get(pair[1])
    return within(package, pair[1]) and (
        symbol is None or symbol.kind not in (SymbolKind.MODULE, SymbolKind.CLASS)
    )


def anonymous(graph: Graph, pair: Pair) -> Pair:
    """A pair as Jarvis names lambdas: ``<lambda>`` of their module, with or without a number."""
    names = []
    for name in pair:
        owner = _ANONYMOUS.sub("", name)
        module = graph.module_of(owner) if owner != name else None
        names.append(name if module is None else f"{module.id}.<lambda>")
    return names[0], names[1]


def within(package: str, name: str) -> bool:
    """Whether a dotted name is the package or lies in it."""
    return name == package or name.startswith(f"{package}.")


def edges_of(truth: Path) -> set[Pair]:
    """The edges of a ground truth: a JSON object of callees by caller."""
    graph = json.loads(truth.read_bytes())
    return {(caller, callee) for caller, callees in graph.items() for callee in callees}


def explain(calls: Calls) -> dict[Pair, str]:
    """How the graph found each pair, and where."""
    return {
        pair: f"[{edge.resolution.value}] {edge.path}:{edge.span.start_line}: {edge.text}"
        for pair, edge in calls.resolved()
    }


def cpu_s() -> float:
    """CPU seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def pooled(scores: Mapping[str, Score]) -> Score:
    """All of them as one."""
    total = Score()
    for score in scores.values():
        total.expected |= score.expected
        total.found |= score.found
        total.how |= score.how
    return total


def report_micro(folder: Path, state: Path, *, misses: bool) -> None:
    """Print the table of the micro cases."""
    categories, inside, everything = micro(folder, state)
    print("\n".join((HEAD[0].format("PyCG micro cases"), HEAD[1])))
    for name, score in sorted(categories.items()):
        print(score.line(name))
    print(inside.line("**within the cases**"))
    print(everything.line("with builtins and what is not installed"))
    if misses:
        print("", *inside.misses(), sep="\n")


def report_macro(folder: Path, state: Path, *, misses: bool) -> None:
    """Print the table of the macro projects."""
    began = cpu_s()
    scores = macro(folder, state)
    spent = cpu_s() - began
    print("\n".join((HEAD[0].format("Jarvis macro projects"), HEAD[1])))
    for name, score in scores.items():
        print(score.line(name))
    print(pooled(scores).line("**pooled**"))
    print(pooled(scores).audited().line("pooled, with calls that the ground truth lacks by an audit"))
    certain = macro(folder, state, guesses=False)
    print(pooled(certain).line("pooled, without calls resolved by name alone"))
    read = macro(folder, state, properties=True)
    print(pooled(read).line("pooled, with reads of properties"))
    print(f"\n{spent:.1f} CPU seconds, cold, for all projects.")
    if misses:
        print("", *pooled(scores).misses(), sep="\n")


def main() -> None:
    """Print the tables of the ground truths that were named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pycg", type=Path)
    parser.add_argument("--jarvis", type=Path)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.pycg:
            report_micro(options.pycg, Path(folder), misses=options.misses)
        if options.pycg and options.jarvis:
            print()
        if options.jarvis:
            report_macro(options.jarvis, Path(folder), misses=options.misses)


if __name__ == "__main__":
    main()
