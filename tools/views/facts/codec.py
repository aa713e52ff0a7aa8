"""Facts as compact JSON and back: positional rows, with the repeated call shapes in a table."""

from __future__ import annotations

import json
from typing import Any

from repo_guardian.tools.views.facts.interface import (
    Attribute,
    Definition,
    Exports,
    FileFacts,
    Import,
    Ref,
    TypeFact,
    Use,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature

Row = list[Any]
_KINDS = tuple(ParameterKind)
_KIND_INDEX = {kind: index for index, kind in enumerate(_KINDS)}


def encode(facts: FileFacts) -> bytes:
    """``facts`` as UTF-8 JSON, the same bytes for equal facts."""
    shapes: dict[CallShape, int] = {}
    uses = [
        (
            u.kind,
            u.scope,
            *u.ref,
            *u.region,
            -1 if u.shape is None else shapes.setdefault(u.shape, len(shapes)),
        )
        for u in facts.uses
    ]
    row = {
        "extractor": facts.extractor,
        "region": facts.region,
        "definitions": [_definition_row(d) for d in facts.definitions],
        "imports": facts.imports,
        "exports": facts.exports,
        "uses": uses,
        "shapes": [(s.positional, s.keywords, int(s.star), int(s.double_star)) for s in shapes],
        "types": facts.types,
        "attributes": facts.attributes,
        "other_names": facts.other_names,
        "lines": list(facts.lines.items()),
        "problem": facts.problem,
    }
    return json.dumps(row, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def decode(data: bytes) -> FileFacts:
    """The facts that ``encode`` wrote.

    Raises:
        ValueError, KeyError, TypeError, IndexError: ``data`` is something else.
    """
    row = json.loads(data)
    shapes: list[CallShape | None] = [
        CallShape(count, tuple(keywords), bool(star), bool(double))
        for count, keywords, star, double in row["shapes"]
    ]
    shapes.append(None)
    uses = tuple(
        Use(kind, scope, Ref(root, index, path), (first, last, start, end), shapes[shape])
        for kind, scope, root, index, path, first, last, start, end, shape in row["uses"]
    )
    exports = row["exports"]
    return FileFacts(
        row["extractor"],
        _region(row["region"]),
        tuple([_definition(d) for d in row["definitions"]]),
        tuple([_import(i) for i in row["imports"]]),
        None if exports is None else Exports(tuple(exports[0]), _refs(exports[1]), exports[2]),
        uses,
        tuple([TypeFact(source, Ref(*ref)) for source, ref in row["types"]]),
        tuple([Attribute(*a) for a in row["attributes"]]),
        tuple(row["other_names"]),
        dict(row["lines"]),
        row["problem"],
    )


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


def _definition_row(d: Definition) -> Row:
    return [
        d.kind, d.parent, d.name, d.region, d.role, d.decorators, d.decorator_refs,
        signature_row(d.signature), d.bases, d.base_refs, d.keywords, d.value, d.type, d.annotation,
    ]  # fmt: skip


def _definition(row: Row) -> Definition:
    kind, parent, name, region, role, decorators, decorator_refs, signature, *rest = row
    bases, base_refs, keywords, value, type_index, annotation = rest
    return Definition(
        kind,
        parent,
        name,
        _region(region),
        role,
        tuple(decorators),
        _refs(decorator_refs),
        signature_of(signature),
        tuple(bases),
        _refs(base_refs),
        tuple((key, text) for key, text in keywords),
        value,
        type_index,
        annotation,
    )


def _import(row: Row) -> Import:
    scope, module, level, name, alias, region, *marks = row
    return Import(scope, module, level, name, alias, _region(region), *marks)


def _region(row: Row) -> tuple[int, int, int, int]:
    first, last, start, end = row
    return first, last, start, end


def _refs(rows: list[Row]) -> tuple[Ref, ...]:
    return tuple([Ref(*row) for row in rows])
