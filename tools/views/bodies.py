"""The code of each definition of a Python file without its layout: tells a changed body from a moved one.

Comments, blank lines, line numbers and docstrings do not count. A definition's code is its own: that of a
class leaves its methods out, that of a module everything it defines; functions hold their inner functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

MODULE = ""
"""The key of a file's own code."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def bodies(source: bytes) -> Mapping[str, str] | None:
    """Code as text by dotted name within the file; None where this Python cannot parse it.

    A name that is defined several times has the code of all of them.
    """
    try:
        tree = ast.parse(source)
        found: dict[str, list[str]] = {}
        for name, code in _walk(tree, MODULE):
            found.setdefault(name, []).append(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {name: "\n".join(parts) for name, parts in found.items()}


def changed_bodies(old: bytes, new: bytes) -> frozenset[str] | None:
    """The dotted names whose code differs, is new or is gone; None when that cannot be told."""
    before, after = bodies(old), bodies(new)
    if before is None or after is None:
        return None
    return frozenset(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _walk(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, str]]:
    own: list[ast.AST] = [] if isinstance(node, ast.Module) else _head(node)
    for statement in _without_docstring(node.body):
        for inner in list(_definitions(statement)):
            name = f"{prefix}.{inner.name}" if prefix else inner.name
            if isinstance(inner, ast.ClassDef):
                yield from _walk(inner, name)
            else:
                yield name, _text(inner)
        own.append(_Cut().visit(statement))  # in place: nobody needs the definitions any more
    yield prefix, "\n".join([ast.dump(part) for part in own])


def _head(node: ast.ClassDef) -> list[ast.AST]:
    return [*node.bases, *node.keywords, *node.decorator_list]


def _definitions(statement: ast.stmt) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The outermost definitions in a statement: itself, or those below ``if``, ``try``, ``with``, …"""
    if isinstance(statement, _DEFINITIONS):
        yield statement
        return
    pending: list[ast.AST] = [statement]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if isinstance(child, _DEFINITIONS):
                yield child
            elif not isinstance(child, ast.expr):
                pending.append(child)


class _Cut(ast.NodeTransformer):
    """Puts a name in place of each definition."""

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _DEFINITIONS):
            return ast.Expr(ast.Constant(f"def {node.name}"))
        return node if isinstance(node, ast.expr) else self.generic_visit(node)


def _text(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    for inner in ast.walk(node):
        if isinstance(inner, _DEFINITIONS):
            inner.body = _without_docstring(inner.body) or [ast.Pass()]
    return ast.dump(node)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if is_text else body
