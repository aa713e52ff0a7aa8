"""A file's links as a shard, and back: columns of numbers that are read in place, and what they number.

Edges are stored as one column per field, each in the narrowest of three integer types. The three that say
what an edge leads to are ``data`` and mapped, so that finding the edges of one target decompresses nothing.
The other columns (``places``, as differences where they grow), the strings that columns number (``names``),
the symbols and the source lines (``texts``) are parts, decompressed when they are needed. Rows are in
canonical order and strings are numbered as they are met, so equal links give equal bytes.

The tables lead from a name to the shards that have it. Keys that are 32 bits wide are CRC-32: a hit is
always compared with the name itself. ``mentions`` and ``reads`` hold the linker's hashes
(``corpus.key_hash``), reads cut to 32 bits: there, two keys with one hash only cause a file to be linked once
too often.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.packs.container import REBUILD
from repo_guardian.tools.views.packs.interface import Pack, PackLayout, Rows, ShardDraft
from repo_guardian.tools.views.symbol_graph.columns import Columns, columns_in, columns_out
from repo_guardian.tools.views.symbol_graph.corpus import LinkedFile
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Resolution, Symbol
from repo_guardian.tools.views.symbol_graph.records import EdgeColumns
from repo_guardian.tools.views.symbol_graph.rows import decode_ids, decode_symbol, encode_symbols
from repo_guardian.tools.views.symbol_graph.signature import CallShape

LAYOUT = PackLayout(
    {
        "symbols": (("key", "<u4"), ("row", "<u4")),
        "children": (("key", "<u4"), ("row", "<u4")),
        "targets": (("key", "<u4"), ("name", "<u4")),
        "unresolved": (("key", "<u4"), ("name", "<u4")),
        "mentions": (("key", "<u8"),),
    },
    {"reads": ("<u4", 0)},
    ("names", "places", "symbols", "texts"),
)
"""Tables: symbols by id; by the id of a parent that is in another file; names (as numbers of the shard) that
edges lead to or through; unresolved ones by their last part; keys mentioned. The block: keys read, sorted."""

FORMAT = "4"
"""Changes whenever the same links would give another shard."""

BY_NAME = (EdgeKind.CALL, EdgeKind.REFERENCE)
"""Edges that may mean any symbol of their last name while they are unresolved."""

_KINDS, _RESOLUTIONS = tuple(EdgeKind), tuple(Resolution)
_HOW = {(k, r): i * 16 + j for i, k in enumerate(_KINDS) for j, r in enumerate(_RESOLUTIONS)}
_KIND_OF = {number: kind for (kind, _), number in _HOW.items()}
_RESOLUTION_OF = {number: resolution for (_, resolution), number in _HOW.items()}
_BY_NAME_HOW = [_HOW[kind, Resolution.UNRESOLVED] for kind in BY_NAME]

_FOUND_BY = ("target", "how", "via")
_PLACES = ("source", "shape", "text", "line", "lines", "start", "length")
_HEADER = 5
"""Bytes of ``data`` before its columns: flags, and the number of edges in little endian."""
_PYTHON2 = 1

_Part = TypeVar("_Part")


class _Names(msgspec.Struct, array_like=True):
    """What the columns number. ``vias`` are tuples of numbers of strings; number 0 of both lists is none."""

    strings: list[str]
    vias: list[tuple[int, ...]]
    shapes: list[CallShape | None]


_ENCODER = msgspec.msgpack.Encoder()
_NAMES = msgspec.msgpack.Decoder(_Names)
_RAW_SYMBOLS = msgspec.msgpack.Decoder(list[msgspec.Raw])
_TEXTS = msgspec.msgpack.Decoder(list[str])


class _Numbers(dict[Any, int]):
    """Numbers values in the order in which they are first asked for."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number


def name_key(name: str) -> int:
    """The key of a name in the tables."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def encode_shard(linked: LinkedFile, *, python2: bool = False) -> ShardDraft:
    """The shard of a file's links; equal links, equal shards, whatever their order.

    Args:
        python2: whether the file is Python 2 source, for linking other files later.
    """
    symbols = sorted(linked.symbols, key=lambda s: s.id)
    edges = sorted(linked.edges, key=_place)
    names, texts = _Numbers(), _Numbers()
    vias, shapes = _Numbers({(): 0}), _Numbers({None: 0})
    columns = {
        "target": [names[e.target] for e in edges],
        "how": [_HOW[e.kind, e.resolution] for e in edges],
        "via": [vias[tuple([names[name] for name in e.via])] if e.via else 0 for e in edges],
        "source": [names[e.source] for e in edges],
        "shape": [shapes[e.shape] for e in edges],
        "text": [texts[e.text] for e in edges],
        "line": [e.span.start_line for e in edges],
        "lines": [e.span.end_line - e.span.start_line for e in edges],
        "start": [e.span.start_byte for e in edges],
        "length": [e.span.end_byte - e.span.start_byte for e in edges],
    }
    tables = _symbol_tables(symbols)
    tables["targets"], tables["unresolved"] = _name_tables(edges, names)
    reads = np.array(sorted({key & 0xFFFFFFFF for key in linked.reads}), np.uint32)
    tables["mentions"] = _keys(linked.mentions, "mentions")
    parts = {
        "names": _ENCODER.encode(_Names(list(names), list(vias), list(shapes))),
        "places": columns_out(columns, _PLACES),
        "symbols": encode_symbols(symbols),
        "texts": _ENCODER.encode(list(texts)),
    }
    header = bytes([_PYTHON2 if python2 else 0]) + len(edges).to_bytes(4, "little")
    return ShardDraft(header + columns_out(columns, _FOUND_BY), tables, {"reads": reads}, parts)


def is_python2(pack: Pack, shard: int) -> bool:
    """Whether the file of a shard is Python 2 source."""
    return bool(pack.data(shard)[0] & _PYTHON2)


class GraphShard:
    """A shard, decoded as far as it is asked.

    Raises:
        ViewDamagedError: (any member) the shard is something else.
    """

    def __init__(self, pack: Pack, shard: int) -> None:
        self._pack = pack
        self._shard = shard
        data = pack.data(shard)
        self._count = int.from_bytes(data[1:_HEADER], "little")
        self._found_by = columns_in(data[_HEADER:], _FOUND_BY, self._count)

    @property
    def edge_count(self) -> int:
        """How many edges it has."""
        return self._count

    def _part(self, name: str, decode: Callable[[bytes], _Part]) -> _Part:
        try:
            return decode(self._pack.part(name, self._shard))
        except msgspec.MsgspecError as error:
            raise ViewDamagedError("a shard holds no symbol graph", hint=REBUILD) from error

    @cached_property
    def _names(self) -> _Names:
        return self._part("names", _NAMES.decode)

    @cached_property
    def _texts(self) -> list[str]:
        return self._part("texts", _TEXTS.decode)

    @cached_property
    def _raw_symbols(self) -> list[msgspec.Raw]:
        return self._part("symbols", _RAW_SYMBOLS.decode)

    @cached_property
    def symbol_ids(self) -> list[str]:
        """The ids of its symbols, sorted; a row's number counts them."""
        return self._part("symbols", decode_ids)

    def symbol(self, row: int) -> Symbol:
        """One symbol."""
        return decode_symbol(self._raw_symbols[row])

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols, by id."""
        return tuple([decode_symbol(raw) for raw in self._raw_symbols])

    def name(self, number: int) -> str:
        """A string by its number."""
        return self._names.strings[number]

    def rows_to(self, number: int) -> NDArray[np.intp]:
        """The edges that lead to or through the string ``number``."""
        found: NDArray[np.bool_] = self._found_by["target"] == number
        for via in self._vias_of.get(number, ()):
            found |= self._found_by["via"] == via
        rows: NDArray[np.intp] = found.nonzero()[0]
        return rows

    def rows_unresolved(self, number: int) -> NDArray[np.intp]:
        """The unresolved calls and references of the string ``number``."""
        rows = np.flatnonzero(self._found_by["target"] == number)
        return rows[np.isin(self._found_by["how"][rows], _BY_NAME_HOW)]

    def sources(self, rows: NDArray[np.intp]) -> set[str]:
        """The ids of the symbols that these edges come from."""
        strings = self._names.strings
        return {strings[number] for number in set(self._places["source"][rows].tolist())}

    def edges(self, path: str, rows: NDArray[np.intp] | None = None) -> list[Edge]:
        """Edges as records, all of them or those of ``rows``; ``path`` is the file's."""
        found = EdgeColumns()
        self.collect(found, path, rows)
        return found.edges()

    def collect(self, found: EdgeColumns, path: str, rows: NDArray[np.intp] | None = None) -> None:
        """Add edges, all of them or those of ``rows``, to ``found``; ``path`` is the file's."""
        columns = (self._columns if rows is None else self._columns[:, rows]).tolist()
        target, how, via, source, shape, text, *span = columns
        string = self._names.strings.__getitem__
        found.source.extend(map(string, source))
        found.target.extend(map(string, target))
        found.kind.extend(map(_KIND_OF.__getitem__, how))
        found.path.extend([path] * len(how))
        found.resolution.extend(map(_RESOLUTION_OF.__getitem__, how))
        found.shape.extend(map(self._names.shapes.__getitem__, shape))
        found.text.extend(map(self._texts.__getitem__, text))
        found.via.extend(map(self._via_names.__getitem__, via))
        for own, values in zip(found.spans, span, strict=True):
            own.extend(values)

    @cached_property
    def _columns(self) -> NDArray[np.uint32]:
        """All columns as rows of one array, so that edges are picked from all at once; lengths are ends."""
        places = self._places
        found = np.empty((len(_FOUND_BY) + len(_PLACES), self._count), np.uint32)
        for row, column in zip(found, (*self._found_by.values(), *places.values()), strict=True):
            row[:] = column
        found[-3] += places["line"]
        found[-1] += places["start"]
        return found

    @cached_property
    def _places(self) -> Columns:
        return columns_in(self._pack.part("places", self._shard), _PLACES, self._count)

    @cached_property
    def _via_names(self) -> list[tuple[str, ...]]:
        strings = self._names.strings
        return [tuple([strings[number] for number in via]) for via in self._names.vias]

    @cached_property
    def _vias_of(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index, via in enumerate(self._names.vias):
            for number in via:
                found.setdefault(number, []).append(index)
        return found


@lru_cache(maxsize=1024)
def open_shard(pack: Pack, shard: int) -> GraphShard:
    """A shard whose decoded parts are kept for the next question (about 60 KB each on SQLAlchemy)."""
    return GraphShard(pack, shard)


def _place(edge: Edge) -> tuple[int, int, str, EdgeKind, Resolution, str]:
    return edge.span.start_byte, edge.span.end_byte, edge.target, edge.kind, edge.resolution, edge.source


def _symbol_tables(symbols: Sequence[Symbol]) -> dict[str, Rows]:
    """Symbols by id, and those whose parent is not in the file (at least the module) by their parent's id."""
    ids = {symbol.id for symbol in symbols}
    own, children = [], []
    for row, symbol in enumerate(symbols):
        own.append((name_key(symbol.id), row))
        parent = symbol.id.rpartition(".")[0]
        if parent not in ids:
            children.append((name_key(parent), row))
    return {"symbols": _rows(own, "symbols"), "children": _rows(children, "children")}


def _name_tables(edges: Iterable[Edge], names: _Numbers) -> tuple[Rows, Rows]:
    led_to: set[str] = set()
    unresolved: set[str] = set()
    for edge in edges:
        led_to.add(edge.target)
        led_to.update(edge.via)
        if edge.resolution is Resolution.UNRESOLVED and edge.kind in BY_NAME:
            unresolved.add(edge.target)
    targets = [(name_key(name), names[name]) for name in led_to]
    last = [(name_key(name.rpartition(".")[2]), names[name]) for name in unresolved]
    return _rows(targets, "targets"), _rows(last, "unresolved")


def _rows(rows: list[tuple[int, int]], table: str) -> Rows:
    return np.array(rows, np.dtype(list(LAYOUT.tables[table])))


def _keys(keys: Iterable[int], table: str) -> Rows:
    found = set(keys)
    kind = np.dtype(list(LAYOUT.tables[table]))
    return np.fromiter(found, kind["key"], len(found)).view(kind)
