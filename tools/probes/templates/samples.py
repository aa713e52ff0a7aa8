"""Arguments for calls that a template makes: literals that a parameter's annotation or default asks for.

Nothing is imported or run to find them; a parameter that nothing is known about has none.
"""

from __future__ import annotations

import ast

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import dotted, literal
from repo_guardian.tools.signals.drift.annotations import normal_annotation
from repo_guardian.tools.views.symbol_graph.signature import POSITIONAL, CallShape, Parameter, Signature

_OF_TYPE = {
    "bool": "True",
    "bytes": "b'a'",
    "complex": "1j",
    "dict": "{}",
    "float": "1.5",
    "frozenset": "frozenset()",
    "int": "2",
    "list": "[]",
    "object": "None",
    "set": "set()",
    "str": "'a'",
    "tuple": "()",
    "None": "None",
    "Any": "None",
    "Iterable": "[]",
    "Sequence": "[]",
    "Collection": "[]",
    "Mapping": "{}",
}
EDGES = ("None", "-1", "0", "1", "''", "'a'", "b''", "[]", "{}", "()", "1.5", "True")
"""Values that checks of arguments most often turn away."""


def sample(parameter: Parameter) -> str:
    """A literal, or an empty container, for the parameter.

    Raises:
        TemplateError: neither its annotation nor its default tells one.
    """
    if parameter.annotation is not None:
        for part in _alternatives(parameter.annotation):
            if part in _OF_TYPE:
                return _OF_TYPE[part]
    if parameter.default is not None:
        return literal(parameter.default)
    raise TemplateError(f"nothing tells a value for {parameter.name}")


def sample_call(signature: Signature, shape: CallShape) -> str:
    """The arguments of a call of that shape, as source.

    Raises:
        TemplateError: a value cannot be told, or the shape unpacks something.
    """
    if shape.star or shape.double_star:
        raise TemplateError("unpacking")
    positional = [p for p in signature.parameters if p.kind in POSITIONAL][: shape.positional]
    by_name = {p.name: p for p in signature.parameters}
    if len(positional) < shape.positional or not set(shape.keywords) <= by_name.keys():
        raise TemplateError("arguments that no parameter tells of")
    given = [sample(p) for p in positional]
    given += [f"{dotted(name)}={sample(by_name[name])}" for name in shape.keywords]
    return ", ".join(given)


def _alternatives(annotation: str) -> list[str]:
    """The names of the types that an annotation allows, without what parametrizes them, ``None`` last."""
    try:
        node = ast.parse(normal_annotation(annotation), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp):
        parts.append(node.right)
        node = node.left
    found = [part.value if isinstance(part, ast.Subscript) else part for part in (node, *reversed(parts))]
    return sorted((ast.unparse(part) for part in found), key=lambda name: name == "None")
