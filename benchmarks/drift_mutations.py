"""Recall of structural drift: API changes made by operators in real packages, each proven at run time.

    python benchmarks/drift_mutations.py [--griffe PYTHON] [--seed N] [--each N] [--sandbox NAME] PACKAGE ...

A package is the folder of an import package in an unpacked release, e.g. ``click-8.1.7/src/click``. Of every
operator (``drift_operators`` and its siblings) the seed draws a mutant of each package, of what users can
reach; each is imported in the sandbox, and only what Python itself then calls different counts
(``drift_proofs``). A change is *found* when a signal names the changed symbol; the last column says how many
signals one change gives. ``--griffe`` names a Python that has griffe, which reads the same trees
(``find_breaking_changes``); it has found a change when any breakage lies at or below the symbol. Prints a
Markdown table and, to standard error, what was missed. Exits with 1 when less than 0.95 was found.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import drift_classes
import drift_names
import drift_parameters
from drift_operators import OPERATORS, Module, Mutant, read_package
from drift_proofs import proven, write_trees

from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import Signal, SignalKind
from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link
from repo_guardian.tools.views.symbol_graph.model import SymbolGraph

RECALL_MIN = 0.95
OPERATOR_MODULES = (drift_classes, drift_names, drift_parameters)

GRIFFE = """
import json, logging, sys
import griffe
logging.disable(logging.CRITICAL)
known = {}
def load(name, root):
    if root not in known:
        known[root] = griffe.load(name, search_paths=[root], allow_inspection=False, force_inspection=False)
    return known[root]
for name, base, mutant in json.load(sys.stdin):
    found = griffe.find_breaking_changes(load(name, base), load(name, mutant))
    said = [[b.kind.value, b.obj.path, b.obj.canonical_path] for b in found]
    known.pop(mutant)
    print(json.dumps(said), flush=True)
"""


@dataclass(frozen=True)
class Outcome:
    """One proven mutant: whether it was found, by how many signals, and by griffe (None: not asked)."""

    mutant: Mutant
    signals: tuple[Signal, ...]
    found: bool
    griffe: bool | None = None


def draw(packages: Sequence[Path], seed: int) -> Iterator[tuple[Path, Mutant]]:
    """One mutant of every operator for every package where it has any, drawn by the seed."""
    for package in packages:
        modules = read_package(package)
        offered, unlisted = _offered(modules), _unlisted(modules)
        for kind, make in sorted(OPERATORS.items()):
            made = (mutant for module in modules for mutant in make(module))
            every = [m for m in made if kind.startswith("private_") or _is_public(m, offered, unlisted)]
            if every:
                yield package, random.Random(f"{seed}:{package.name}:{kind}").choice(every)


def _offered(modules: Sequence[Module]) -> frozenset[str]:
    """The dotted names that the package itself takes from its modules: public wherever they are defined."""
    top = min(modules, key=lambda module: len(module.name))
    found = set()
    for node in top.tree.body:
        if isinstance(node, ast.ImportFrom):
            source = f"{top.name}.{node.module}" if node.level else node.module
            found |= {f"{source}.{alias.name}" for alias in node.names}
    return frozenset(found)


def _unlisted(modules: Sequence[Module]) -> frozenset[str]:
    """Top-level definitions that an ``__all__`` of their module leaves out."""
    found: set[str] = set()
    for module in modules:
        values = [n.value for n in module.tree.body if isinstance(n, ast.Assign) and _binds_all(n)]
        names = [ast.literal_eval(v) for v in values if isinstance(v, (ast.List, ast.Tuple))]
        if names:
            own = {node.name for node in module.tree.body if hasattr(node, "name")} - set(names[-1])
            found |= {f"{module.name}.{name}" for name in own}
    return frozenset(found)


def _binds_all(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)


def _is_public(mutant: Mutant, offered: frozenset[str], unlisted: frozenset[str]) -> bool:
    """Whether users can be expected to rely on what changed."""
    top = f"{mutant.module}.{mutant.qualname.partition('.')[0]}"
    hidden = any(part.startswith("_") for part in mutant.module.split(".")) or top in unlisted
    return not hidden or top in offered


@lru_cache(maxsize=4096)
def _facts(path: str, text: str) -> FileFacts:
    extractor = extractor_for("python")
    assert extractor is not None
    return extractor.extract(text.encode(), ExtractLimits())


def linked(texts: Mapping[str, str]) -> SymbolGraph:
    """The graph of a package's sources by path."""
    return link("0" * 40, {path: _facts(path, text) for path, text in texts.items()})


def texts_of(modules: Sequence[Module], mutant: Mutant | None = None) -> dict[str, str]:
    """Path to text, of the original or of a mutant."""
    texts: dict[str, str] = {module.path: module.text for module in modules}
    for path, text in mutant.files.items() if mutant is not None else ():
        if text is None:
            del texts[path]
        else:
            texts[path] = text
    return texts


class Original:
    """A package as it is, linked once, with which mutants are compared."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._modules = modules
        self._texts = texts_of(modules)
        self._graph = linked(self._texts)

    def signals(self, mutant: Mutant) -> tuple[Signal, ...]:
        """All drift of a mutant, reach left out: it tells of nobody's contract."""
        before, after = self._texts, texts_of(self._modules, mutant)
        found = detect_drift(
            self._graph, linked(after), lambda p: before[p].encode(), lambda p: after[p].encode()
        )
        return tuple(s for s in found if s.kind is not SignalKind.REACH_CHANGED)


def is_found(mutant: Mutant, signals: Sequence[Signal]) -> bool:
    """Whether a signal names what changed; for a constructor its class does."""
    wanted = {mutant.symbol, mutant.symbol.removesuffix(".__init__")}
    return any(not wanted.isdisjoint((*signal.symbols, *_ids(signal))) for signal in signals)


def _ids(signal: Signal) -> tuple[str, ...]:
    old_id: str = getattr(signal.detail, "old_id", "")
    return (old_id,)


def ask_griffe(python: str, root: Path, mutants: Sequence[tuple[Path, Mutant]]) -> list[bool]:
    """Whether griffe reports a breakage at or below each changed symbol."""
    jobs = [
        [package.name, str(root / f"base_{package.name}"), str(root / f"mutant_{number}")]
        for number, (package, _) in enumerate(mutants)
    ]
    done = subprocess.run(
        [python, "-c", GRIFFE], input=json.dumps(jobs).encode(), capture_output=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr.decode("utf-8", "replace")[-800:])
    found = []
    for line, (_, mutant) in zip(done.stdout.splitlines(), mutants, strict=True):
        wanted = mutant.symbol.removesuffix(".__init__")
        paths = {path for _, *paths in json.loads(line) for path in paths}
        found.append(any(path == wanted or path.startswith(f"{wanted}.") for path in paths))
    return found


def judge(packages: Sequence[Path], options: argparse.Namespace, root: Path) -> list[Outcome]:
    """Draw, write, prove, compare."""
    drawn = list(draw(packages, options.seed))
    write_trees(packages, drawn, root)
    print(f"{len(drawn)} mutants; asking Python about them", file=sys.stderr)
    proofs = proven(packages, drawn, root, options.sandbox)
    print(f"{sum(proofs)} proven; comparing", file=sys.stderr)
    told: Sequence[bool | None] = (
        ask_griffe(options.griffe, root, drawn) if options.griffe else [None] * len(drawn)
    )
    originals = {package: Original(read_package(package)) for package in packages}
    taken: dict[str, int] = defaultdict(int)
    outcomes = []
    for (package, mutant), proof, griffe in zip(drawn, proofs, told, strict=True):
        if not proof or taken[mutant.kind] == options.each:
            continue
        taken[mutant.kind] += 1
        signals = originals[package].signals(mutant)
        outcomes.append(Outcome(mutant, signals, is_found(mutant, signals), griffe))
    return outcomes


def table(outcomes: Sequence[Outcome]) -> str:
    """Recall and signals per change, by kind, as Markdown."""
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.mutant.kind].append(outcome)
    lines = ["| change | proven | found | griffe | signals: mean, most |", "|---|---|---|---|---|"]
    for kind, some in [*sorted(kinds.items()), ("all", list(outcomes))]:
        counts = [len(outcome.signals) for outcome in some]
        griffe = "" if some[0].griffe is None else str(sum(bool(o.griffe) for o in some))
        mean = sum(counts) / len(counts)
        lines.append(
            f"| {kind} | {len(some)} | {sum(o.found for o in some)} | {griffe} | {mean:.1f}, {max(counts)} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--griffe", metavar="PYTHON", help="a Python that has griffe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=4, help="mutants of one kind, at most")
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = judge([p.resolve() for p in options.packages], options, Path(folder))
    print(table(outcomes))
    for outcome in outcomes:
        if not outcome.found or len(outcome.signals) > 1:
            what = "several" if outcome.found else "missed"
            print(f"{what}: {outcome.mutant.kind} {outcome.mutant.symbol}", file=sys.stderr)
            print("".join(f"    {signal.line}\n" for signal in outcome.signals), end="", file=sys.stderr)
    recall = sum(outcome.found for outcome in outcomes) / max(1, len(outcomes))
    sys.exit(recall < RECALL_MIN)


if __name__ == "__main__":
    main()
