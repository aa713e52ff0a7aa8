"""Which tests a change can reach, by the graph: rather too many than too few.

From every definition whose own code changed the uses are followed backwards (``reach``). Where that ends in
test functions and classes, these are selected by their pytest ids; where the graph cannot tell, the whole
file. A changed file that is no source code selects everything, unless tests do not depend on it (``unseen``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from repo_guardian.tools.deltas.fixtures import fixture_name, is_test_file
from repo_guardian.tools.deltas.reach import MAX_SYMBOLS, Reached, Walk
from repo_guardian.tools.deltas.starts import changed_definitions
from repo_guardian.tools.deltas.unseen import Read, unseen
from repo_guardian.tools.signals.places import is_python
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

__all__ = ["Read", "TestSelection", "reachable_on_both", "reachable_tests", "tests_reaching"]

_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)


@dataclass(frozen=True, slots=True)
class TestSelection:
    """Tests that a change can reach.

    Attributes:
        files: relative paths of all files with a selected test, sorted.
        everything: no choice can be made; ``reason`` says why.
        tests: pytest ids without parameters of test functions and classes, sorted: of these files, those of
            which not all tests are meant. A file without an entry here is meant whole.
    """

    __test__ = False

    files: tuple[str, ...]
    everything: bool = False
    reason: str = ""
    tests: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """What to give to pytest: ids, and files that are meant whole; sorted."""
        partly = {test.partition("::")[0] for test in self.tests}
        return tuple(sorted([*(path for path in self.files if path not in partly), *self.tests]))

    def includes(self, test_id: str) -> bool:
        """Whether a test, by its full pytest id, is among what was selected."""
        path, _, name = test_id.partition("::")
        if self.everything or path not in self.files:
            return self.everything
        own = [test.partition("::")[2] for test in self.tests if test.partition("::")[0] == path]
        name = name.partition("[")[0]
        return not own or any(f"{name}::".startswith(f"{test}::") for test in own)


def reachable_tests(
    base: Graph, current: Graph, changed_paths: Collection[str], read_base: Read, read_current: Read
) -> TestSelection:
    """The tests of ``current`` that may behave differently after a change.

    Args:
        changed_paths: files that differ in any way.
        read_base, read_current: contents at each commit.
    """
    return reachable_on_both(base, current, changed_paths, read_base, read_current)[1]


def reachable_on_both(
    base: Graph, current: Graph, changed_paths: Collection[str], read_base: Read, read_current: Read
) -> tuple[TestSelection, TestSelection]:
    """As ``reachable_tests``: those of ``base``, and those of ``current``."""
    starts: set[str] = set()
    for path in sorted(changed_paths):
        if is_python(path) and not path.endswith(".pyi"):  # nothing runs a stub
            starts |= changed_definitions(base, current, path, read_base, read_current)
            continue
        reason = unseen(path, read_base, read_current)
        if reason:
            return (TestSelection((), True, reason),) * 2
    graphs = (base, current)
    walks = [(graph, Walk(graph).run(sorted(starts))) for graph in graphs]
    if not all(reached.complete for _, reached in walks):
        return (_too_much(),) * 2
    before, now = (_of_walks(walks, asked) for asked in graphs)
    return before, now


def _of_walks(walks: Iterable[tuple[Graph, Reached]], asked: Graph) -> TestSelection:
    whole: set[str] = set()
    tests: set[str] = set()
    for graph, reached in walks:
        more_whole, more_tests = _selected(graph, asked, reached)
        whole |= more_whole
        tests |= more_tests
    return _selection(whole, tests)


def tests_reaching(graph: Graph, symbols: Iterable[str]) -> TestSelection:
    """The tests of one commit from which the uses lead to any of ``symbols``, themselves included."""
    reached = Walk(graph).run(symbols)
    return _selection(*_selected(graph, graph, reached)) if reached.complete else _too_much()


def _too_much() -> TestSelection:
    return TestSelection((), True, f"more than {MAX_SYMBOLS} symbols are reached")


def _selection(whole: set[str], tests: set[str]) -> TestSelection:
    partly = {test for test in tests if test.partition("::")[0] not in whole}
    partly = {test for test in partly if not any(outer in partly for outer in _around(test))}
    files = whole | {test.partition("::")[0] for test in partly}
    return TestSelection(tuple(sorted(files)), tests=tuple(sorted(partly)))


def _around(test: str) -> Iterator[str]:
    """The classes that hold a test, by id."""
    outer = test.rpartition("::")[0]
    while "::" in outer:
        yield outer
        outer = outer.rpartition("::")[0]


def _selected(graph: Graph, current: Graph, reached: Reached) -> tuple[set[str], set[str]]:
    """Whole files, and ids, that there are in ``current``."""
    whole = set(reached.whole)
    below = tuple(reached.below)
    if below:
        whole |= {path for path in current.files if path.startswith(below) and is_test_file(path)}
    tests: set[str] = set()
    for symbol in reached.symbols.values():
        if not is_test_file(symbol.path) or symbol.path in whole:
            continue
        for chosen in (symbol, *_heirs(graph, symbol)):
            found = _test_of(graph, chosen)
            if found is None:
                continue
            here = current.symbols.get(found.id)
            if found.kind is SymbolKind.MODULE or found.definitions > 1:
                whole.add(found.path)
            elif here is not None and here.path == found.path:
                tests.add(_pytest_id(graph, found))
    return {path for path in whole if path in current.files}, tests


def _heirs(graph: Graph, symbol: Symbol) -> list[Symbol]:
    """The classes that inherit a test."""
    owner = graph.symbols.get(symbol.id.rpartition(".")[0])
    if symbol.kind is not SymbolKind.METHOD or owner is None:
        return []
    heirs = (graph.symbols.get(edge.source) for edge in graph.uses(owner.id) if edge.kind == "inherit")
    return [heir for heir in heirs if heir is not None and is_test_file(heir.path)]


def _test_of(graph: Graph, symbol: Symbol) -> Symbol | None:
    """What has to run because ``symbol`` is reached: a test, its class, or (the module) its file.

    None for helpers, whose users are reached as well.
    """
    owner = graph.symbols.get(symbol.id.rpartition(".")[0])
    if owner is None or symbol.kind in (SymbolKind.MODULE, SymbolKind.ALIAS):
        return None
    if owner.kind is SymbolKind.CLASS:
        if symbol.kind in _CALLABLE and symbol.name.startswith("test"):
            return symbol
        return None if fixture_name(symbol) else _if_unused(graph, symbol, owner)
    if owner.kind is not SymbolKind.MODULE:
        return None
    if symbol.kind is SymbolKind.CLASS:
        has_tests = any(member.name.startswith("test") for member in graph.members(symbol.id))
        return symbol if has_tests or symbol.name.startswith("Test") else _if_unused(graph, symbol, owner)
    if symbol.kind is SymbolKind.FUNCTION and symbol.name.startswith("test"):
        return symbol
    return None if fixture_name(symbol) else _if_unused(graph, symbol, owner)


def _if_unused(graph: Graph, symbol: Symbol, owner: Symbol) -> Symbol | None:
    """``owner`` where nothing shows what ``symbol`` is for: a set-up, a hook, a test by another pattern."""
    return None if graph.uses(symbol.id) or graph.named(symbol.name) else owner


def _pytest_id(graph: Graph, symbol: Symbol) -> str:
    names = [symbol.name]
    owner = graph.symbols.get(symbol.id.rpartition(".")[0])
    while owner is not None and owner.kind is SymbolKind.CLASS:
        names.append(owner.name)
        owner = graph.symbols.get(owner.id.rpartition(".")[0])
    return "::".join([symbol.path, *reversed(names)])
