"""Fusing the routes' rankings into one.

Reciprocal-rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a place scores the weighted
sum of ``1 / (k + rank)`` over the routes that found it. It needs no scores, so a model whose cosines are all
alike does not upset it. Their ``k`` of 60 is for long rankings; here 10 was better on every repository
(docs/decisions/0013).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_guardian.tools.retrieval.interface import Route, RouteScore
from repo_guardian.tools.views.chunks.live import ChunkPlace

Ranking = Sequence[tuple[ChunkPlace, float]]
"""Places with a route's score, best first."""

_K = 10

_WEIGHTS = {Route.LEXICAL: 1.0, Route.VECTOR: 1.0, Route.GRAPH: 3.0}
"""Two routes guess, one knows: a definition that is asked for by its name comes before what is like it."""


def fuse(rankings: Mapping[Route, Ranking]) -> list[tuple[ChunkPlace, float, tuple[RouteScore, ...]]]:
    """All places of all routes, best first, with their fused score and what each route said of them."""
    opinions: dict[ChunkPlace, list[RouteScore]] = {}
    for route, ranking in rankings.items():
        for rank, (place, score) in enumerate(ranking, 1):
            opinions.setdefault(place, []).append(RouteScore(route, rank, score))
    fused = [
        (
            place,
            sum(_WEIGHTS[opinion.route] / (_K + opinion.rank) for opinion in said),
            tuple(sorted(said, key=_by_rank)),
        )
        for place, said in opinions.items()
    ]
    fused.sort(key=lambda entry: (-entry[1], entry[0]))
    return fused


def _by_rank(opinion: RouteScore) -> tuple[int, Route]:
    return opinion.rank, opinion.route
