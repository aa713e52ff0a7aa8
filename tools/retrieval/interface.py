"""What retrieval answers: hits of a search with the score of each route, and the callers of a symbol."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from repo_guardian.tools.views.symbol_graph.model import Edge, Span, Symbol


class Route(StrEnum):
    """A way to find something."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    GRAPH = "graph"
    """Definitions that the query asks for by name."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Counts: hits returned, and candidates that each route contributes before they are fused."""

    hits: int = 10
    candidates: int = 100


@dataclass(frozen=True, slots=True)
class RouteScore:
    """One route's opinion of a hit: its rank there, from 1, and its score in that route's own unit."""

    route: Route
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that a search found.

    Attributes:
        path, span: the chunk; it follows a definition where the language is covered.
        symbol: id of the innermost definition that the chunk belongs to; None outside of source code.
        score: fused, comparable within one result only.
        scores: the routes that found it, best rank first.
    """

    path: str
    span: Span
    symbol: str | None
    score: float
    scores: tuple[RouteScore, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a query found at ``commit``.

    Attributes:
        hits: best first; empty when nothing in the repository is about the query.
        total: candidates that were fused, before the limit.
        reason: why there are no hits, in one line; empty when there are some.
        withheld: files of the commit that look like secrets and so are in no view.
    """

    commit: str
    query: str
    hits: tuple[Hit, ...]
    total: int
    reason: str
    withheld: int


@dataclass(frozen=True, slots=True)
class CallersResult:
    """Who calls a symbol at ``commit``.

    Attributes:
        symbol: the definition asked about, aliases followed; None when there is none of that name.
        candidates: ids to choose from when the name asked for is ambiguous or unknown.
        callers: edges that resolve to it, in file order, each with how it was resolved.
        possible: unresolved calls of the same last name, which may or may not mean it.
    """

    commit: str
    symbol: Symbol | None
    candidates: tuple[str, ...]
    callers: tuple[Edge, ...]
    possible: tuple[Edge, ...]
