"""Search: the lexical, the vector and the graph route, fused, or nothing when nothing is about the query."""

from __future__ import annotations

from collections.abc import Collection

from repo_guardian.tools.retrieval.fusion import Ranking, fuse
from repo_guardian.tools.retrieval.interface import Hit, Route, SearchLimits, SearchResult
from repo_guardian.tools.retrieval.naming import names_in, places_named, symbol_of
from repo_guardian.tools.retrieval.relevance import Evidence, why_off_topic
from repo_guardian.tools.retrieval.views import CommitViews

_NAMED_SCORE = 1.0


def search(
    views: CommitViews,
    query: str,
    limits: SearchLimits | None = None,
    routes: Collection[Route] = tuple(Route),
) -> SearchResult:
    """The places of a commit that are about ``query``: words, a sentence, or a name.

    Args:
        views: of the commit.
        routes: the ones to use; all by default.

    Raises:
        EmbeddingError: the embedding model cannot be had.
        ViewDamagedError: a view is not what was written.
    """
    limits = limits or SearchLimits()
    rankings, evidence = gather(views, query, limits, routes or tuple(Route))
    reason = why_off_topic(evidence)
    fused = [] if reason else fuse(rankings)
    hits = tuple(
        Hit(place.path, views.lexical.chunks.span(place), symbol_of(views, place), score, scores)
        for place, score, scores in fused[: limits.hits]
    )
    return SearchResult(views.commit, query, hits, len(fused), reason, views.withheld)


def gather(
    views: CommitViews, query: str, limits: SearchLimits, routes: Collection[Route]
) -> tuple[dict[Route, Ranking], Evidence]:
    """What each route found, and what speaks for and against the query. Raises as ``search`` does."""
    lexical = views.lexical.search(query, limits.candidates)
    vector = views.vector.search(query, limits.candidates)
    ranks = {place: rank for rank, (place, _) in enumerate(lexical.places)}
    named = places_named(views, names_in(query), limits.candidates)
    named.sort(key=lambda place: (ranks.get(place, len(ranks)), place))
    found: dict[Route, Ranking] = {
        Route.LEXICAL: lexical.places,
        Route.VECTOR: vector.places,
        Route.GRAPH: [(place, _NAMED_SCORE) for place in named],
    }
    return {route: ranking for route, ranking in found.items() if route in routes}, Evidence(
        lexical, vector, len(named)
    )
