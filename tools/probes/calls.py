"""The calls on one line of a test, as shapes that a signature can be asked about without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from repo_guardian.tools.views.symbol_graph.signature import CallShape


def call_shapes(text: str, line: int, dotted: str, *, method: bool = False) -> tuple[CallShape, ...]:
    """The shapes of all calls of a name on a line, and of what ``inspect`` is asked to bind to it there.

    Args:
        text: a Python module; one that does not parse has no calls.
        line: 1-based, as a traceback gives it: the first or any other line of a call.
        dotted: what is called; its last part has to be written, whatever stands before it.
        method: an instance is passed first where it is called through its class, and is no argument then.
    """
    *_, owner, name = ("", *dotted.split("."))
    found = []
    for call in _calls(text):
        target = _bound(call) or call.func
        if _covers(call, line) and _last(target) == name:
            through_class = isinstance(target, ast.Attribute) and _last(target.value) == owner
            found.append(_shape(call, implicit=1 if method and through_class else 0))
    return tuple(found)


@lru_cache(maxsize=32)
def _calls(text: str) -> tuple[ast.Call, ...]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_all_calls(tree))


def _all_calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _covers(call: ast.Call, line: int) -> bool:
    return call.lineno <= line <= (call.end_lineno or call.lineno)


def _bound(call: ast.Call) -> ast.expr | None:
    """What ``signature(x).bind(…)`` binds to."""
    inner = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "bind" else None
    if isinstance(inner, ast.Call) and _last(inner.func) == "signature" and inner.args:
        return inner.args[0]
    return None


def _last(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _shape(call: ast.Call, implicit: int) -> CallShape:
    given = sum(not isinstance(argument, ast.Starred) for argument in call.args)
    return CallShape(
        positional=max(0, given - implicit),
        keywords=tuple(keyword.arg for keyword in call.keywords if keyword.arg is not None),
        star=any(isinstance(argument, ast.Starred) for argument in call.args),
        double_star=any(keyword.arg is None for keyword in call.keywords),
    )
