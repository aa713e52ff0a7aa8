"""Which changed definitions a test reaches: what may have changed its outcome, the likeliest first.

A changed definition that the failure's traceback passes through comes first, the innermost before others.
Then those that the test's own uses lead to, by the number of steps in the graph; fixtures are followed by
name. Where the graph shows none (computed names, plugins), every changed definition is a suspect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from functools import cache, cached_property

from repo_guardian.tools.deltas.fixtures import fixture_name, is_conftest, is_test_file
from repo_guardian.tools.deltas.interface import TestDelta
from repo_guardian.tools.deltas.starts import changed_definitions
from repo_guardian.tools.deltas.unseen import Read
from repo_guardian.tools.signals.executed import symbol_detail
from repo_guardian.tools.signals.places import is_production, is_python
from repo_guardian.tools.signals.symbol_detail import SymbolDetail
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind

SUSPECTS = 20
"""How many are kept of one test."""
MAX_STEPS = 5000
"""Definitions that are followed from one test at most."""
_REPO = "/repo/"
_UNKNOWN = "?."
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY)


def changed_production(
    base: Graph, current: Graph, changed_paths: Collection[str], read_base: Read, read_current: Read
) -> frozenset[str]:
    """Ids, in either graph, of the definitions of production code whose own text differs.

    Args:
        changed_paths: files that differ in any way.
        read_base, read_current: contents at each commit.
    """
    found: set[str] = set()
    for path in changed_paths:
        if is_python(path) and is_production(path):
            found |= changed_definitions(base, current, path, read_base, read_current)
    return frozenset(name for name in found if name in base.symbols or name in current.symbols)


def symbol_of(test_id: str, graph: Graph) -> Symbol | None:
    """The definition behind a pytest id; None where the graph does not hold it under that id."""
    path, _, names = test_id.partition("::")
    module = next((s for s in graph.symbols_in(path) if s.kind is SymbolKind.MODULE), None)
    parts = names.partition("[")[0].split("::")
    return graph.symbols.get(".".join([module.id, *parts])) if module is not None else None


class Suspects:
    """Finds them for one test after the other.

    Args:
        base, current: the graphs of both commits.
        changed: ids of changed definitions (``changed_production``).
    """

    def __init__(self, base: Graph, current: Graph, changed: Collection[str]) -> None:
        self._base = base
        self._current = current
        self._changed = frozenset(changed)
        self._walks = (_Forward(current, self._changed), _Forward(base, self._changed))

    def of(self, delta: TestDelta) -> tuple[SymbolDetail, ...]:
        """The suspects of one test, at most ``SUSPECTS``."""
        names = dict.fromkeys((*self._in_traceback(delta), *self._reached(delta.test_id)))
        chosen = list(names) or sorted(self._changed)
        details = (symbol_detail(name, self._base, self._current) for name in chosen[:SUSPECTS])
        return tuple(detail for detail in details if detail is not None)

    def _in_traceback(self, delta: TestDelta) -> Iterator[str]:
        exception = delta.after.exception if delta.after is not None else None
        for frame in reversed(exception.frames if exception is not None else ()):
            path = frame.path.removeprefix(_REPO)
            around = [
                symbol
                for symbol in self._current.symbols_in(path)
                if symbol.kind in _CALLABLE and symbol.span.start_line <= frame.line <= symbol.span.end_line
            ]
            around.sort(key=lambda symbol: symbol.span.end_byte - symbol.span.start_byte)
            yield from (symbol.id for symbol in around if symbol.id in self._changed)

    def _reached(self, test_id: str) -> list[str]:
        distances: dict[str, int] = {}
        for walk in self._walks:
            for name, distance in walk.from_test(test_id.partition("[")[0]).items():
                distances[name] = min(distance, distances.get(name, distance))
        return sorted(distances, key=lambda name: (distances[name], name))


class _Forward:
    """Walks of one graph along the uses of definitions, from a test to those that are wanted."""

    def __init__(self, graph: Graph, wanted: Collection[str]) -> None:
        self._graph = graph
        self._wanted = frozenset(name for name in wanted if name in graph.symbols)
        known = (graph.symbols.get(name) for name in self._wanted)
        self._modules = {s.path: s.id for s in known if s is not None and s.kind is SymbolKind.MODULE}
        self._members: dict[str, list[str]] = {}
        for name in sorted(self._wanted):
            if graph.symbols[name].kind in (SymbolKind.METHOD, SymbolKind.PROPERTY):
                self._members.setdefault(name.rpartition(".")[2], []).append(name)
        # Every test's walk comes by the same definitions, and a graph decodes them each time.
        self._symbol = cache(graph.symbols.get)
        self._targets: dict[str, dict[str, list[str]]] = {}
        self.from_test = cache(self._from_test)

    def _from_test(self, test_id: str) -> dict[str, int]:
        """The nearest wanted definitions that a test leads to, with the number of steps."""
        test = symbol_of(test_id, self._graph)
        if test is None:
            return {}
        owner = self._symbol(test.id.rpartition(".")[0])
        starts = [test.id, *([owner.id] if owner is not None and owner.kind is SymbolKind.CLASS else [])]
        distances = dict.fromkeys(starts, 0)
        found: dict[str, int] = {}
        queue = deque(starts)
        while queue and len(distances) < MAX_STEPS and len(found) < min(SUSPECTS, len(self._wanted)):
            name = queue.popleft()
            for target in self._next(name):
                if target not in distances:
                    distances[target] = distances[name] + 1
                    queue.append(target)
                    for name_found, farther in self._wanted_at(target):
                        found.setdefault(name_found, distances[target] + farther)
        return found

    def _wanted_at(self, name: str) -> Iterator[tuple[str, int]]:
        """A wanted definition itself, and the module whose own code ran before anything in it could.

        A use on a value of unknown type may mean every wanted member of that name. These two are one step
        farther away.
        """
        if name in self._wanted:
            yield name, 0
        if name.startswith(_UNKNOWN):
            yield from ((member, 1) for member in self._members.get(name.removeprefix(_UNKNOWN), ()))
        symbol = self._symbol(name)
        if symbol is not None and symbol.path in self._modules:
            yield self._modules[symbol.path], 1

    def _next(self, name: str) -> Iterator[str]:
        symbol = self._symbol(name)
        if symbol is None:
            return
        yield from self._uses(symbol)
        if symbol.kind is SymbolKind.ALIAS and symbol.target is not None:
            yield symbol.target
        elif symbol.kind is SymbolKind.CLASS:
            yield from (member.id for member in self._graph.members(symbol.id) if _runs_by_itself(member))
        elif symbol.signature is not None and (is_test_file(symbol.path) or is_conftest(symbol.path)):
            for parameter in symbol.signature.parameters:
                yield from self._fixtures.get(parameter.name, ())

    def _uses(self, symbol: Symbol) -> list[str]:
        """What a definition's own code, inner functions included, uses."""
        if symbol.path not in self._targets:
            found: dict[str, list[str]] = {}
            for edge in self._graph.edges_in(symbol.path):
                if edge.kind is not EdgeKind.IMPORT:
                    found.setdefault(edge.source, []).extend((edge.target, *edge.via))
            self._targets[symbol.path] = found
        by_source = self._targets[symbol.path]
        own = list(by_source.get(symbol.id, ()))
        if symbol.kind in _CALLABLE:
            inner = f"{symbol.id}."
            own += [t for source, targets in by_source.items() if source.startswith(inner) for t in targets]
        return own

    @cached_property
    def _fixtures(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._graph.files:
            if not (is_python(path) and (is_test_file(path) or is_conftest(path))):
                continue
            for symbol in self._graph.symbols_in(path):
                name = fixture_name(symbol)
                if name:
                    found.setdefault(name, []).append(symbol.id)
        return found


def _runs_by_itself(member: Symbol) -> bool:
    """Whether making or using an instance may call a member that nothing names."""
    return member.kind in _CALLABLE and member.name.startswith("__") and member.name.endswith("__")
