"""Which tests a change can reach, by the graph: rather too many than too few, at the grain of test files.

From every definition whose own code changed the uses are followed backwards: calls, references, imports,
inheritance and overrides, and calls of a method's name on values of unknown type, since they may mean it. A
conftest on the way reaches every test below it, since fixtures are asked for by name. What the graph cannot
see (changed conftests, configuration, files that are no source code) selects everything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from repo_guardian.tools.signals.places import Place, is_python, place
from repo_guardian.tools.views.bodies import changed_bodies
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind

_INERT = (".md", ".rst", ".txt", ".yml", ".yaml", ".cff", ".gitignore", ".gitattributes", ".svg", ".png")
"""Files that a suite seldom reads, by their end; anything else that is no Python selects everything."""
_DEEP = frozenset({"requirements.txt", "constraints.txt"})
_ENTRIES = 20_000
"""Symbols that are followed at most; beyond that everything is selected."""


Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when it cannot be had."""


@dataclass(frozen=True, slots=True)
class TestSelection:
    """Test files that a change can reach.

    ``files`` are relative paths, sorted; ``everything`` says that no choice can be made, and ``reason`` why.
    """

    __test__ = False

    files: tuple[str, ...]
    everything: bool = False
    reason: str = ""


def reachable_tests(
    base: Graph, current: Graph, changed_paths: Collection[str], read_base: Read, read_current: Read
) -> TestSelection:
    """The test files of ``current`` that may behave differently after a change.

    Args:
        changed_paths: files that differ in any way.
        read_base, read_current: contents at each commit.
    """
    for path in sorted(changed_paths):
        reason = _unseen(path)
        if reason:
            return TestSelection((), True, reason)
    python = [path for path in changed_paths if is_python(path)]
    changed = (_changed(base, current, path, read_base, read_current) for path in python)
    starts = sorted(set().union(*changed))
    files = {path for path in python if _is_test(path) and path in current.files}
    for graph in (current, base):
        reached = tests_reaching(graph, starts)
        if reached.everything:
            return reached
        files |= {path for path in reached.files if path in current.files}
    return TestSelection(tuple(sorted(files)))


def tests_reaching(graph: Graph, symbols: Iterable[str]) -> TestSelection:
    """The test files of one commit from which the uses lead to any of ``symbols``, themselves included."""
    reached = _backwards(graph, symbols)
    if reached is None:
        return TestSelection((), True, f"more than {_ENTRIES} symbols are reached")
    folders = tuple(path.removesuffix("conftest.py") for path in reached if _is_conftest(path))
    reached |= {path for path in graph.files if folders and path.startswith(folders)}
    return TestSelection(tuple(sorted(path for path in reached if _is_test(path))))


def _changed(base: Graph, current: Graph, path: str, read_base: Read, read_current: Read) -> set[str]:
    """Ids of the definitions of a file whose own code differs; of all of them where that cannot be told."""
    everything = {symbol.id for graph in (base, current) for symbol in graph.symbols_in(path)}
    old, new = read_base(path), read_current(path)
    names = changed_bodies(old, new) if old is not None and new is not None else None
    if names is None:
        return everything
    found: set[str] = set()
    for graph in (base, current):
        module = next((s.id for s in graph.symbols_in(path) if s.kind is SymbolKind.MODULE), None)
        if module is not None:
            found |= {f"{module}.{name}" if name else module for name in names}
    return found


def _unseen(path: str) -> str:
    if _is_conftest(path):
        return f"{path} may reach every test"
    name = path.rpartition("/")[2]
    if is_python(path) or (name.endswith(_INERT) and name not in _DEEP and place(path) is not Place.TEST):
        return ""
    return f"{path} is not in the graph"


def _is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == "conftest.py"


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    named = name.startswith("test") or name.endswith("_test.py")
    return named and is_python(path) and place(path) is Place.TEST


def _backwards(graph: Graph, starts: Iterable[str]) -> set[str] | None:
    """Paths of everything that leads to ``starts``; None when there is too much of it."""
    queue = deque(starts)
    seen: set[str] = set()
    paths: set[str] = set()
    while queue:
        name = queue.popleft()
        if name in seen:
            continue
        seen.add(name)
        if len(seen) > _ENTRIES:
            return None
        symbol = graph.symbols.get(name)
        if symbol is not None:
            paths.add(symbol.path)
        for edge in (*graph.uses(name), *_by_name(graph, symbol)):
            paths.add(edge.path)
            queue.append(edge.source)
        queue.extend(_beside(graph, symbol))
    return paths


def _by_name(graph: Graph, symbol: Symbol | None) -> tuple[Edge, ...]:
    """Uses that may mean a method: those of the same name on values of unknown type."""
    if symbol is None or symbol.kind not in (SymbolKind.METHOD, SymbolKind.PROPERTY):
        return ()
    return () if _is_dunder(symbol.name) else graph.named(symbol.name)


def _beside(graph: Graph, symbol: Symbol | None) -> Iterator[str]:
    """What a change of ``symbol`` changes besides its users.

    A method that the language calls by itself changes its class; a class its subclasses (they use it); a
    function that replaces one of a base may be called where that one is.
    """
    if symbol is None or symbol.kind not in (SymbolKind.METHOD, SymbolKind.PROPERTY):
        return
    if _is_dunder(symbol.name):
        yield symbol.id.rpartition(".")[0]
    for edge in graph.edges_in(symbol.path):
        if edge.kind is EdgeKind.OVERRIDE and edge.source == symbol.id:
            yield edge.target


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
