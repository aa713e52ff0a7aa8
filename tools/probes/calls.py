"""The calls on one line of a test, as shapes that a signature can be asked about without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from repo_guardian.tools.views.symbol_graph.signature import CallShape


def call_shapes(text: str, line: int, name: str) -> tuple[CallShape, ...]:
    """The shapes of all calls of ``name`` or ``….name`` in the statement that covers a line.

    Args:
        text: a Python module; one that does not parse has no calls.
        line: 1-based, as a traceback gives it: the first or any other line of a call.
        name: the last part of what is called.
    """
    return tuple(_shape(call) for call in _calls(text) if _covers(call, line) and _called(call) == name)


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


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _shape(call: ast.Call) -> CallShape:
    return CallShape(
        positional=sum(not isinstance(argument, ast.Starred) for argument in call.args),
        keywords=tuple(keyword.arg for keyword in call.keywords if keyword.arg is not None),
        star=any(isinstance(argument, ast.Starred) for argument in call.args),
        double_star=any(keyword.arg is None for keyword in call.keywords),
    )
