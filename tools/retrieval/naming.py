"""Names: those that a query holds, and the symbol that a chunk belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_guardian.tools.retrieval.views import CommitViews
from repo_guardian.tools.views.chunks.live import ChunkPlace
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

_DOTTED = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)*")
_SEPARATOR = re.compile(r"\.|::|#|->")
_CASES = re.compile(r"[a-z0-9][A-Z]|_")
_MAX_NAMES = 16


def names_in(query: str) -> tuple[tuple[str, ...], ...]:
    """The names that a query holds, each as its parts: what is dotted, has an underscore, or mixes cases.

    A query of one word is a name, too; English words in a sentence are not.
    """
    found = _DOTTED.findall(query)
    alone = len(query.split()) == 1
    names = (tuple(_SEPARATOR.split(name)) for name in found if alone or _is_name(name))
    return tuple(dict.fromkeys(names))[:_MAX_NAMES]


def places_named(views: CommitViews, names: Sequence[tuple[str, ...]], count: int) -> list[ChunkPlace]:
    """The chunks in which definitions of these names begin, by path; of a dotted name the whole has to fit.

    Args:
        count: at most so many; a name that more chunks have says nothing and is passed over.
    """
    found: dict[ChunkPlace, None] = {}
    for parts in names:
        places = views.lexical.named(parts[-1])
        if len(places) > count:
            continue
        ending = ".".join(parts[-2:])
        for place in places:
            if len(parts) == 1 or _defines(views, place, ending):
                found[place] = None
    return list(found)[:count]


def symbol_of(views: CommitViews, place: ChunkPlace) -> str | None:
    """The id of the innermost definition that a chunk belongs to; None outside of source code."""
    symbols = views.graph.symbols_in(place.path)
    start, end = views.lexical.chunks.owner(place)
    around = [symbol for symbol in symbols if _encloses(symbol, start, end)]
    if not around:
        return None
    return min(around, key=lambda symbol: (symbol.span.end_byte - symbol.span.start_byte, symbol.id)).id


def _is_name(text: str) -> bool:
    return bool(_SEPARATOR.search(text) or _CASES.search(text))


def _defines(views: CommitViews, place: ChunkPlace, ending: str) -> bool:
    """Whether a symbol whose id ends so begins in a chunk."""
    span = views.lexical.chunks.span(place)
    return any(
        f".{symbol.id}".endswith(f".{ending}") and span.start_byte <= symbol.span.start_byte < span.end_byte
        for symbol in views.graph.symbols_in(place.path)
    )


def _encloses(symbol: Symbol, start: int, end: int) -> bool:
    """Whether a definition encloses these bytes, or is a module where there is no owner."""
    if symbol.kind in (SymbolKind.ALIAS, SymbolKind.CONSTANT):
        return False
    if start == end == 0:
        return symbol.kind is SymbolKind.MODULE
    return symbol.span.start_byte <= start and end <= symbol.span.end_byte
