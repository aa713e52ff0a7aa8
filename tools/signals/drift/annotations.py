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


def still_returns(old: str, new: str) -> bool:
    """Whether whatever ``new`` says is returned fits what ``old`` promised, as far as the text tells.

    Promises of nothing (``None``), of anything (``Any``, ``object``) and of less (``X`` of ``X | None``) do.
    """
    try:
        before, after = (ast.parse(text.strip(), mode="eval").body for text in (old, new))
        return _render(before) == "None" or _within(after, before)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return " ".join(old.split()) == " ".join(new.split())


def _within(new: ast.expr, old: ast.expr) -> bool:
    return all(any(_one_within(n, o) for o in _members(old)) for n in _members(new))


def _one_within(new: ast.expr, old: ast.expr) -> bool:
    text = _render(old)
    if text in ("Any", "object") or _render(new) == text:
        return True
    if isinstance(new, ast.List) and isinstance(old, ast.List):
        return len(new.elts) == len(old.elts) and all(map(_within, new.elts, old.elts))
    if not isinstance(new, ast.Subscript):
        return False
    if not isinstance(old, ast.Subscript):
        return _render(new.value) == text
    inner = [n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice] for n in (new, old)]
    same_head = _render(new.value) == _render(old.value) and len(inner[0]) == len(inner[1])
    return same_head and all(_within(n, o) for n, o in zip(*inner, strict=True))


def _members(node: ast.expr) -> list[ast.expr]:
    """The alternatives of a union; the node itself when it is none."""
    match node:
        case ast.Constant(value=str() as inner):
            return _members(ast.parse(inner.strip(), mode="eval").body)
        case ast.BinOp(op=ast.BitOr()):
            return [*_members(node.left), *_members(node.right)]
        case ast.Subscript() if _render(node.value) in ("Optional", "Union"):
            items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            none = [ast.Constant(None)] if _render(node.value) == "Optional" else []
            return [*(part for item in items for part in _members(item)), *none]
    return [node]
