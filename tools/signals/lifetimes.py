"""What came and what went between two graphs: definitions, and uses of one by another.

Only files whose links differ are read. Lambdas have no name that lasts: they are left out, and what one uses
counts for what it is written in. A use that rests on a name alone (``model.GUESSES``) is left out too: it
comes and goes with definitions elsewhere that merely have that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from repo_guardian.tools.views.symbol_graph.interface import Graph, changed_files
from repo_guardian.tools.views.symbol_graph.model import GUESSES, EdgeKind, Resolution, Symbol

_UNKNOWN = (*GUESSES, Resolution.UNRESOLVED)


class Relation(NamedTuple):
    """One symbol uses another in one way, however often."""

    source: str
    target: str
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """The differences between a base graph and a current one.

    Attributes:
        born: symbols whose ids only the current graph has, by id.
        died: symbols whose ids only the base has, by id.
        began, ceased: relations that only the one, or only the other, has; sorted.
    """

    born: tuple[Symbol, ...]
    died: tuple[Symbol, ...]
    began: tuple[Relation, ...]
    ceased: tuple[Relation, ...]


def lifetimes(base: Graph, current: Graph) -> Lifetimes:
    """What differs between two graphs of one repository."""
    paths = changed_files(base, current)
    before, now = _relations(base, paths), _relations(current, paths)
    return Lifetimes(
        born=_only_in(current, base, paths),
        died=_only_in(base, current, paths),
        began=tuple(sorted(r for r in now - before if r.target in current.symbols)),
        ceased=tuple(sorted(r for r in before - now if r.target in base.symbols)),
    )


def _only_in(graph: Graph, other: Graph, paths: Iterable[str]) -> tuple[Symbol, ...]:
    there = {symbol.id for path in paths for symbol in other.symbols_in(path)}
    here = {s.id: s for path in paths for s in graph.symbols_in(path) if "<" not in s.id}
    missing = sorted(here.keys() - there)
    return tuple(here[name] for name in missing if name not in other.symbols)


def _relations(graph: Graph, paths: Iterable[str]) -> set[Relation]:
    known = (e for path in paths for e in graph.edges_in(path) if e.resolution not in _UNKNOWN)
    return {
        Relation(edge.source.partition(".<")[0], edge.target, edge.kind)
        for edge in known
        if "<" not in edge.target
    }
