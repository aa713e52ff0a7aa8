"""What the graph does not keep of a class: which properties take an assignment, which attributes are set.

Read from the text of a file when a detector asks, each file at most once. Without a reader nothing is known,
and nothing is concluded.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when there is none."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """What one file says: ``setters`` by qualified name of the property, and every attribute name that some
    statement stores (``x.name = …``), by a string literal ``setattr`` too.
    """

    setters: frozenset[str]
    stored: frozenset[str]


class Sources:
    """The files of one commit.

    Args:
        read: where their text comes from; None when it cannot be had.
    """

    def __init__(self, read: Read | None) -> None:
        self._read = read
        self._known: dict[str, Attributes | None] = {}

    def attributes(self, path: str) -> Attributes | None:
        """What the file says; None when it cannot be read or parsed."""
        if path not in self._known:
            data = self._read(path) if self._read is not None else None
            self._known[path] = _parse(data) if data is not None else None
        return self._known[path]


def _parse(data: bytes) -> Attributes | None:
    try:
        tree = ast.parse(data)
        return Attributes(frozenset(_setters(tree, "")), frozenset(_stored(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _setters(owner: ast.AST, prefix: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(owner):
        if isinstance(node, ast.ClassDef):
            yield from _setters(node, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list):
                yield f"{prefix}{node.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if isinstance(node.value.func, ast.Name) and node.value.func.id == "property":
                given = len(node.value.args) > 1 or any(k.arg == "fset" for k in node.value.keywords)
                yield from (f"{prefix}{t.id}" for t in node.targets if given and isinstance(t, ast.Name))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _setters(node, prefix)


def _stored(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in (
            "setattr",
            "__setattr__",
        ):
            yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))
