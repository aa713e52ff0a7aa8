"""A symbol graph as compact JSON and back: one table of strings, one of call shapes, and rows of numbers.

The bytes are canonical: equal graphs give equal bytes, so their hash is the view's digest. The commit is not
part of them, since two commits may have one graph.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from repo_guardian.tools.views.facts.codec import signature_of, signature_row
from repo_guardian.tools.views.symbol_graph.model import (
    Edge,
    EdgeKind,
    Resolution,
    SkippedFile,
    Span,
    Symbol,
    SymbolGraph,
    SymbolKind,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_SYMBOL_KINDS, _EDGE_KINDS, _RESOLUTIONS = tuple(SymbolKind), tuple(EdgeKind), tuple(Resolution)
_SYMBOL_INDEX = {kind: index for index, kind in enumerate(_SYMBOL_KINDS)}
_EDGE_INDEX = {kind: index for index, kind in enumerate(_EDGE_KINDS)}
_RESOLUTION_INDEX = {how: index for index, how in enumerate(_RESOLUTIONS)}


class _Table(dict[Any, int]):
    """Numbers values in the order in which they are first asked for."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number


def encode(graph: SymbolGraph) -> bytes:
    """The canonical bytes of a graph."""
    strings, shapes = _Table(), _Table()
    symbols = [_symbol_row(symbol, strings) for symbol in graph.symbols.values()]
    edges = [
        (
            strings[e.source], strings[e.target], _EDGE_INDEX[e.kind], strings[e.path],
            e.span.start_line, e.span.end_line, e.span.start_byte, e.span.end_byte,
            _RESOLUTION_INDEX[e.resolution], -1 if e.shape is None else shapes[e.shape],
            strings[e.text], *[strings[name] for name in e.via],
        )
        for e in graph.edges()
    ]  # fmt: skip
    row = {
        "import_roots": graph.import_roots,
        "skipped": [(s.path, s.reason) for s in graph.skipped],
        "symbols": symbols,
        "edges": edges,
        "shapes": [(s.positional, s.keywords, int(s.star), int(s.double_star)) for s in shapes],
        "strings": list(strings),
    }
    return json.dumps(row, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def decode(commit: str, data: bytes) -> SymbolGraph:
    """The graph that ``encode`` wrote.

    Raises:
        ValueError, KeyError, TypeError, IndexError: ``data`` is something else.
    """
    row = json.loads(data)
    strings: list[str] = row["strings"]
    shapes: list[CallShape | None] = [
        CallShape(count, tuple(keywords), bool(star), bool(double))
        for count, keywords, star, double in row["shapes"]
    ]
    shapes.append(None)
    edges = [
        Edge(
            strings[source], strings[target], _EDGE_KINDS[kind], strings[path], Span(first, last, start, end),
            _RESOLUTIONS[how], shapes[shape], strings[text], tuple([strings[name] for name in via]),
        )
        for source, target, kind, path, first, last, start, end, how, shape, text, *via in row["edges"]
    ]  # fmt: skip
    symbols = [_symbol(symbol, strings) for symbol in row["symbols"]]
    skipped = [SkippedFile(path, reason) for path, reason in row["skipped"]]
    return SymbolGraph(commit, symbols, edges, skipped, row["import_roots"])


def digest(canonical: bytes) -> str:
    """The view's digest: SHA-256 of ``encode``'s bytes, as hexadecimal text."""
    return hashlib.sha256(canonical).hexdigest()


def _symbol_row(s: Symbol, strings: _Table) -> list[Any]:
    return [
        s.id, _SYMBOL_INDEX[s.kind], strings[s.path],
        (s.span.start_line, s.span.end_line, s.span.start_byte, s.span.end_byte),
        int(s.public), signature_row(s.signature), s.bases, s.decorators, s.target, s.value,
        s.definitions, int(s.signature_certain),
    ]  # fmt: skip


def _symbol(row: list[Any], strings: list[str]) -> Symbol:
    identity, kind, path, span, public, signature, bases, decorators, target, value, count, certain = row
    return Symbol(
        identity,
        _SYMBOL_KINDS[kind],
        strings[path],
        Span(*span),
        bool(public),
        signature_of(signature),
        tuple(bases),
        tuple(decorators),
        target,
        value,
        count,
        bool(certain),
    )
