"""Facts as MessagePack and back, made so that reading them is cheap: a view needs those of every file.

Uses, nine tenths of all facts, are stored by column, with the references and call shapes that repeat in
tables, and places as differences to the use before. Columns decode as plain lists of integers and become
tuples again in loops that run in C; equal references of a file become one object. Everything else is rows
that msgspec decodes into the named tuples themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, starmap
from operator import add, sub
from typing import Any, Final, get_args

import msgspec

from repo_guardian.tools.views.facts.interface import (
    Attribute,
    Definition,
    Exports,
    FileFacts,
    Import,
    Ref,
    Region,
    Store,
    TypeFact,
    Use,
    UseKind,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature

Row = list[Any]
Arguments = tuple[tuple[str, int], ...]

_USE_KINDS: Final[tuple[UseKind, ...]] = get_args(UseKind)
_USE_KIND_INDEX = {kind: index for index, kind in enumerate(_USE_KINDS)}
_KINDS = tuple(ParameterKind)
_KIND_INDEX = {kind: index for index, kind in enumerate(_KINDS)}


class _Uses(msgspec.Struct, array_like=True, frozen=True):
    """The uses of a file by column; ``shapes`` is one more than the index of the shape, 0 for none."""

    ref_table: tuple[Ref, ...]
    shape_table: tuple[tuple[int, tuple[str, ...], bool, bool], ...]
    kinds: bytes
    scopes: list[int]
    refs: list[int]
    shapes: list[int]
    first_lines: list[int]
    extra_lines: list[int]
    starts: list[int]
    sizes: list[int]
    arguments: dict[int, Arguments]


class _File(msgspec.Struct, array_like=True, frozen=True):
    """The facts of a file as they are written."""

    extractor: str
    region: Region
    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]
    exports: Exports | None
    uses: _Uses
    types: tuple[TypeFact, ...]
    attributes: tuple[Attribute, ...]
    other_names: tuple[str, ...]
    line_numbers: list[int]
    line_texts: str
    problem: str
    stores: tuple[Store, ...]
    package: str = ""


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_File)


def encode(facts: FileFacts) -> bytes:
    """``facts`` as MessagePack, the same bytes for equal facts. Whether they are transient is not kept."""
    numbers, texts = _lines_out(facts.lines)
    return _ENCODER.encode(
        _File(
            facts.extractor, facts.region, facts.definitions, facts.imports, facts.exports,
            _uses_out(facts.uses), facts.types, facts.attributes, facts.other_names, numbers, texts,
            facts.problem, facts.stores, facts.package,
        )
    )  # fmt: skip


def decode(data: bytes) -> FileFacts:
    """The facts that ``encode`` wrote.

    Raises:
        ValueError: ``data`` is something else.
    """
    try:
        return _file_in(_DECODER.decode(data))
    except (msgspec.MsgspecError, IndexError, TypeError, OverflowError) as error:
        raise ValueError(f"not the facts of a file: {error}") from error


def _file_in(row: _File) -> FileFacts:
    return FileFacts(
        row.extractor, row.region, row.definitions, row.imports, row.exports, _uses_in(row.uses), row.types,
        row.attributes, row.other_names, _Lines(row.line_numbers, row.line_texts), row.problem, False,
        row.stores, row.package,
    )  # fmt: skip


def _differences(values: Sequence[int]) -> list[int]:
    """The first value, then each one's distance to the one before."""
    return [*values[:1], *map(sub, values[1:], values)]


def _lines_out(lines: Mapping[int, str]) -> tuple[list[int], str]:
    r"""The numbers as differences, and the texts with ``\n``, which no line holds, after each."""
    return _differences(list(lines)), "".join([f"{text}\n" for text in lines.values()])


class _Lines(Mapping[int, str]):
    """Line texts that are taken apart when one is asked for: most files are read for their names alone."""

    __slots__ = ("_joined", "_numbers", "_texts")

    def __init__(self, numbers: list[int], joined: str) -> None:
        if joined.count("\n") != len(numbers):
            raise ValueError("line numbers and texts do not match")
        self._numbers = numbers
        self._joined = joined
        self._texts: dict[int, str] | None = None

    def _split(self) -> dict[int, str]:
        if self._texts is None:
            self._texts = dict(zip(accumulate(self._numbers), self._joined.split("\n"), strict=False))
        return self._texts

    def __getitem__(self, number: int) -> str:
        return self._split()[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._split())

    def __len__(self) -> int:
        return len(self._numbers)


def _uses_out(uses: Sequence[Use]) -> _Uses:
    refs: dict[Ref, int] = {}
    shapes: dict[CallShape, int] = {}
    regions = [use.region for use in uses]
    return _Uses(
        kinds=bytes([_USE_KIND_INDEX[use.kind] for use in uses]),
        scopes=_differences([use.scope for use in uses]),
        refs=[refs.setdefault(use.ref, len(refs)) for use in uses],
        shapes=[0 if u.shape is None else 1 + shapes.setdefault(u.shape, len(shapes)) for u in uses],
        first_lines=_differences([region[0] for region in regions]),
        extra_lines=[region[1] - region[0] for region in regions],
        starts=_differences([region[2] for region in regions]),
        sizes=[region[3] - region[2] for region in regions],
        arguments={index: use.arguments for index, use in enumerate(uses) if use.arguments},
        ref_table=tuple(refs),
        shape_table=tuple((s.positional, s.keywords, s.star, s.double_star) for s in shapes),
    )


def _uses_in(row: _Uses) -> tuple[Use, ...]:
    shapes = (None, *starmap(CallShape, row.shape_table))
    first = list(accumulate(row.first_lines))
    start = list(accumulate(row.starts))
    region = zip(
        first, map(add, first, row.extra_lines), start, map(add, start, row.sizes), strict=True
    )  # fmt: skip
    arguments: list[Arguments] = [()] * len(row.kinds)
    for index, found in row.arguments.items():
        arguments[index] = found
    columns: Iterable[tuple[Any, ...]] = zip(
        map(_USE_KINDS.__getitem__, row.kinds),
        accumulate(row.scopes),
        map(row.ref_table.__getitem__, row.refs),
        region,
        map(shapes.__getitem__, row.shapes),
        arguments,
        strict=True,
    )
    # A named tuple's own constructor is a Python function; this is the one that it calls.
    return tuple(map(partial(tuple.__new__, Use), columns))


def signature_row(signature: Signature | None) -> Row | None:
    """A signature as a JSON row."""
    if signature is None:
        return None
    parameters = [(p.name, _KIND_INDEX[p.kind], p.default, p.annotation) for p in signature.parameters]
    return [parameters, signature.returns, int(signature.is_async), int(signature.is_generator)]


def signature_of(row: Row | None) -> Signature | None:
    """The signature of a row that ``signature_row`` made."""
    if row is None:
        return None
    parameters = tuple(
        [Parameter(name, _KINDS[kind], default, annotation) for name, kind, default, annotation in row[0]]
    )
    return Signature(parameters, row[1], bool(row[2]), bool(row[3]))
