"""Annotations in one spelling, so that modernized typing syntax is no change.

``t.Optional[t.List["C"]]`` and ``list[C] | None`` mean the same (PEP 585, PEP 604); a private name and the
public one that it stands for do not, as far as the text can tell.
"""

from __future__ import annotations

import ast

_BUILTIN = {
    "List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "FrozenSet": "frozenset", "Type": "type",
    "Text": "str", "AbstractContextManager": "ContextManager", "AbstractAsyncContextManager":
    "AsyncContextManager", "AbstractSet": "Set",
}  # fmt: skip
_ITERATING = frozenset(
    {"Iterator", "Iterable", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator"}
)


def normal_annotation(text: str) -> str:
    """``text`` in the one spelling; as it is where it cannot be parsed."""
    try:
        return _render(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return " ".join(text.split())


def _render(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as inner):
            return normal_annotation(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return _BUILTIN.get(name, name)
        case ast.BinOp(op=ast.BitOr()):
            return _union(_alternatives(node))
        case ast.Subscript():
            return _subscript(node)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return f"[{', '.join(_render(item) for item in items)}]"
        case _:
            return ast.unparse(node)


def _subscript(node: ast.Subscript) -> str:
    name = _render(node.value)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Optional":
        return _union([*_alternatives(items[0]), "None"])
    if name == "Union":
        return _union([part for item in items for part in _alternatives(item)])
    if name == "Literal":
        return f"Literal[{', '.join(sorted(ast.unparse(item) for item in items))}]"
    inside = [_render(item) for item in items]
    while name in _ITERATING and len(inside) > 1 and inside[-1] == "None":
        inside.pop()  # a generator's send and return types, where there are none
    return f"{name}[{', '.join(inside)}]"


def _alternatives(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    text = _render(node)
    return text.split(" | ") if text.count("[") == 0 else [text]


def _union(parts: list[str]) -> str:
    return " | ".join(sorted(dict.fromkeys(parts)))
