"""Retrieval on the wire: what a query found, by which routes."""

from __future__ import annotations

from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.wire import Location, Wire


class RouteRank(Wire):
    """One route's opinion: its rank there, from 1, and its score in that route's own unit."""

    route: str
    rank: int
    score: float


class SearchHit(Wire):
    """One place that a search found.

    Attributes:
        rank: in the whole result, from 1.
        location: the place; its text is the beginning of it, with secrets overwritten by ``*``.
        text_cut: the place holds more than ``location.text``.
        symbol: id of the innermost definition that it belongs to; None outside of source code.
        score: fused; comparable within one answer only.
        routes: the routes that found it, best rank first.
    """

    rank: int
    location: Location
    text_cut: bool
    symbol: str | None
    score: float
    routes: tuple[RouteRank, ...]


class SearchAnswer(Wire):
    """A page of hits, best first.

    Attributes:
        total: candidates that were fused.
        reason: why there are no hits, in one line; empty when there are some.
        withheld: files that look like secrets, and so are not searched.
        next_offset: where the next page begins; None on the last one.
    """

    as_of: AsOf
    query: str
    total: int
    hits: tuple[SearchHit, ...]
    reason: str
    withheld: int
    next_offset: int | None = None
