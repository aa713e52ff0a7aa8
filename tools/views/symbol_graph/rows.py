"""Symbols as MessagePack and back: rows without field names, which would be half of the bytes."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from repo_guardian.tools.views.symbol_graph.model import Span, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

_Parameter = tuple[str, ParameterKind, str | None, str | None]
_Signature = tuple[tuple[_Parameter, ...], str | None, bool, bool]


class _Row(msgspec.Struct, array_like=True, frozen=True):
    """A symbol as it is written: the fields of ``Symbol``, those that are seldom set at the end."""

    id: str
    kind: SymbolKind
    path: str
    span: tuple[int, int, int, int]
    public: bool
    signature: _Signature | None = None
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    target: str | None = None
    value: str | None = None
    definitions: int = 1
    signature_certain: bool = True
    overloads: tuple[_Signature, ...] = ()


class _Id(msgspec.Struct, array_like=True):
    """A row of which only the id is decoded."""

    id: str


_ENCODER = msgspec.msgpack.Encoder()
_ROW = msgspec.msgpack.Decoder(_Row)
_IDS = msgspec.msgpack.Decoder(list[_Id])


def encode_symbols(symbols: Iterable[Symbol]) -> bytes:
    """Rows of symbols, in their order."""
    return _ENCODER.encode([_row(symbol) for symbol in symbols])


def decode_symbol(data: bytes | msgspec.Raw) -> Symbol:
    """The symbol of one row.

    Raises:
        msgspec.MsgspecError: ``data`` is something else.
    """
    row = _ROW.decode(data)
    signature = None if row.signature is None else _signature_of(row.signature)
    return Symbol(
        row.id, row.kind, row.path, Span(*row.span), row.public, signature, row.bases, row.decorators,
        row.target, row.value, row.definitions, row.signature_certain,
        tuple([_signature_of(overload) for overload in row.overloads]) if row.overloads else (),
    )  # fmt: skip


def decode_ids(data: bytes) -> list[str]:
    """The ids of rows that ``encode_symbols`` wrote, which cost a fifth of the symbols. Raises as above."""
    return [row.id for row in _IDS.decode(data)]


def _row(symbol: Symbol) -> _Row:
    span = symbol.span
    return _Row(
        symbol.id, symbol.kind, symbol.path,
        (span.start_line, span.end_line, span.start_byte, span.end_byte), symbol.public,
        None if symbol.signature is None else _signature_row(symbol.signature),
        symbol.bases, symbol.decorators, symbol.target, symbol.value, symbol.definitions,
        symbol.signature_certain, tuple([_signature_row(overload) for overload in symbol.overloads]),
    )  # fmt: skip


def _signature_row(signature: Signature) -> _Signature:
    parameters = tuple([(p.name, p.kind, p.default, p.annotation) for p in signature.parameters])
    return parameters, signature.returns, signature.is_async, signature.is_generator


def _signature_of(row: _Signature) -> Signature:
    return Signature(tuple([Parameter(*parameter) for parameter in row[0]]), *row[1:])
