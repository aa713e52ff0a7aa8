"""Answers of retrieval and of the graph as wire models: paged, bounded, each naming its commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from repo_guardian.server.contract.graph import CallersAnswer, CallItem, SymbolAnswer, SymbolItem, UseItem
from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.retrieval import RouteRank, SearchAnswer, SearchHit
from repo_guardian.server.contract.wire import Location, Wire
from repo_guardian.server.session.files import Excerpts
from repo_guardian.tools.retrieval.callers import CALLS
from repo_guardian.tools.retrieval.interface import CallersResult, Hit, SearchResult
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import GUESSES, Edge, Symbol, SymbolKind

ANSWER_CHARS = 24_000
"""Most characters of the rows of one answer, so that it stays under 10,000 tokens."""
EXCERPT_LINES = 12
EXCERPT_CHARS = 600
CANDIDATES_LISTED = 50

Row = TypeVar("Row", bound=Wire)


@dataclass(frozen=True, slots=True)
class Page:
    """Which rows are wanted, and how many characters of them at most; None for any number."""

    offset: int = 0
    limit: int = 20
    chars: int | None = ANSWER_CHARS


def search_answer(as_of: AsOf, result: SearchResult, excerpts: Excerpts, page: Page) -> SearchAnswer:
    """One page of hits; ``result`` holds all up to its end."""
    wanted = result.hits[page.offset : page.offset + page.limit]
    hits = within(
        [_hit(hit, page.offset + number, excerpts) for number, hit in enumerate(wanted, 1)], page.chars
    )
    following = page.offset + len(hits)
    return SearchAnswer(
        as_of=as_of,
        query=result.query,
        total=result.total,
        hits=hits,
        reason=result.reason,
        withheld=result.withheld,
        next_offset=following if hits and following < result.total else None,
    )


def callers_answer(
    as_of: AsOf, name: str, result: CallersResult, page: Page, *, possible: bool
) -> CallersAnswer:
    """One page over the callers and, when asked for, the possible ones behind them."""
    certain = len(result.callers)
    rows = (*result.callers, *(result.possible if possible else ()))
    items = within([_use(edge) for edge in rows[page.offset : page.offset + page.limit]], page.chars)
    following = page.offset + len(items)
    border = max(certain - page.offset, 0)
    return CallersAnswer(
        as_of=as_of,
        name=name,
        symbol=None if result.symbol is None else symbol_item(result.symbol),
        candidates=result.candidates[:CANDIDATES_LISTED],
        candidates_total=len(result.candidates),
        callers_total=certain,
        callers=items[:border],
        possible_total=len(result.possible),
        possible=items[border:],
        next_offset=following if items and following < len(rows) else None,
    )


def symbol_answer(as_of: AsOf, name: str, graph: Graph, found: Sequence[Symbol], page: Page) -> SymbolAnswer:
    """A definition and what is around it; ``found`` are the definitions that the name may mean."""
    if len(found) != 1:
        candidates = tuple(symbol.id for symbol in found)
        return SymbolAnswer(
            as_of=as_of,
            name=name,
            symbol=None,
            candidates=candidates[:CANDIDATES_LISTED],
            candidates_total=len(candidates),
        )
    symbol = found[0]
    members = [member for member in graph.members(symbol.id) if member.kind is not SymbolKind.ALIAS]
    edges = (edge for edge in graph.edges_in(symbol.path) if edge.source == symbol.id)
    calls = {edge.target: edge for edge in reversed([e for e in edges if e.kind in CALLS])}
    chars = None if page.chars is None else page.chars // 2
    return SymbolAnswer(
        as_of=as_of,
        name=name,
        symbol=symbol_item(symbol),
        bases=symbol.bases,
        decorators=symbol.decorators,
        overloads=tuple(overload.render()[:EXCERPT_CHARS] for overload in symbol.overloads),
        value=symbol.value or "",
        members_total=len(members),
        members=within([symbol_item(member) for member in members[: page.limit]], chars),
        calls_total=len(calls),
        calls=within([_call(edge) for edge in [*calls.values()][::-1][: page.limit]], chars),
        used_by=graph.fan_in(symbol.id),
    )


def symbol_item(symbol: Symbol) -> SymbolItem:
    """A definition."""
    span = symbol.span
    return SymbolItem(
        id=symbol.id,
        kind=symbol.kind.value,
        location=Location(path=symbol.path, start_line=span.start_line, end_line=span.end_line),
        signature="" if symbol.signature is None else symbol.signature.render()[:EXCERPT_CHARS],
        public=symbol.public,
    )


def _use(edge: Edge) -> UseItem:
    return UseItem(
        symbol=edge.source,
        kind=edge.kind.value,
        location=Location(
            path=edge.path,
            start_line=edge.span.start_line,
            end_line=edge.span.end_line,
            text=edge.text,
        ),
        resolution=edge.resolution.value,
        guess=edge.resolution in GUESSES,
        via=edge.via,
    )


def _call(edge: Edge) -> CallItem:
    location = Location(
        path=edge.path, start_line=edge.span.start_line, end_line=edge.span.end_line, text=edge.text
    )
    return CallItem(
        target=edge.target,
        location=location,
        resolution=edge.resolution.value,
        guess=edge.resolution in GUESSES,
    )


def _hit(hit: Hit, rank: int, excerpts: Excerpts) -> SearchHit:
    span = hit.span
    region = (span.start_byte, span.end_byte)
    text, cut = excerpts.beginning(hit.path, region, EXCERPT_LINES, EXCERPT_CHARS)
    return SearchHit(
        rank=rank,
        location=Location(path=hit.path, start_line=span.start_line, end_line=span.end_line, text=text),
        text_cut=cut,
        symbol=hit.symbol,
        score=hit.score,
        routes=tuple(
            RouteRank(route=score.route.value, rank=score.rank, score=score.score) for score in hit.scores
        ),
    )


def within(rows: Sequence[Row], chars: int | None) -> tuple[Row, ...]:
    """As many rows as ``chars`` characters of JSON hold, at least one; all of them for None."""
    if chars is None:
        return tuple(rows)
    kept: list[Row] = []
    for row in rows:
        chars -= len(row.model_dump_json())
        if chars < 0 and kept:
            break
        kept.append(row)
    return tuple(kept)
