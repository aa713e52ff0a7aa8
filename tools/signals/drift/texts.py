"""Source text of expressions: in one layout, cut to a readable length, and the type that a value has."""

from __future__ import annotations

import ast

_TEXT_CHARS = 60
_CONSTRUCTORS = frozenset(
    {"bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "range",
     "set", "str", "tuple"}
)  # fmt: skip
_DISPLAYS: dict[type[ast.expr], str] = {
    ast.Dict: "dict", ast.DictComp: "dict", ast.List: "list", ast.ListComp: "list", ast.Set: "set",
    ast.SetComp: "set", ast.Tuple: "tuple", ast.GeneratorExp: "generator", ast.Lambda: "function",
    ast.JoinedStr: "str",
}  # fmt: skip


def normal(text: str) -> str:
    """Source text as the parser would print it, so that layout and quotes are no change."""
    found = expression(text)
    return ast.unparse(found) if found is not None else " ".join(text.split())


def same(old: str, new: str) -> bool:
    """Whether two expressions are one, layout apart."""
    return old == new or normal(old) == normal(new)


def cut(text: str) -> str:
    """On one line, and at most 60 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _TEXT_CHARS else flat[: _TEXT_CHARS - 1] + "…"


def expression(text: str) -> ast.expr | None:
    """The parsed expression; None when it is none (cut texts are not)."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_literal(text: str) -> bool:
    """Whether the text alone tells the value."""
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def value_type(text: str) -> str:
    """The builtin type of an expression's value where the text tells it, else empty."""
    if is_literal(text):
        return type(ast.literal_eval(text.strip())).__name__
    node = expression(text)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONSTRUCTORS:
        return node.func.id
    return _DISPLAYS.get(type(node), "") if node is not None else ""
