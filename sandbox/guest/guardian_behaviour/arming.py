"""Lets chosen functions tell that they are called, by one statement at the beginning of their bodies.

The statement is put in when the module's source is compiled, in memory; lines and positions stay as they
are. Nothing else of the suite pays for it, other than with a profiler, which slows every call.
"""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
from pathlib import Path
from types import CodeType
from typing import Any, Callable

_NAME = "__guardian_called__"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Arming:
    """Changes how source files are compiled from now on.

    Args:
        targets: ``(file, line of the first decorator)`` to key.
        called: gets a function's key, from within its frame.
    """

    def __init__(self, targets: dict[tuple[str, int], str], called: Callable[[str], None]) -> None:
        self._lines: dict[str, dict[int, str]] = {}
        for (file, line), key in targets.items():
            self._lines.setdefault(file, {})[line] = key
        self.armed: set[str] = set()
        setattr(builtins, _NAME, called)
        loader: Any = importlib.machinery.SourceFileLoader
        original = loader.source_to_code

        def source_to_code(itself: Any, data: Any, path: Any, **more: Any) -> CodeType:
            lines = self._lines.get(str(Path(path).absolute()))
            if lines and isinstance(data, bytes):
                self.armed.add(str(Path(path).absolute()))
                data = _armed(data, lines)
            code: CodeType = original(itself, data, path, **more)
            return code

        loader.source_to_code = source_to_code

    def unarmed(self, loaded: set[str]) -> set[str]:
        """Files with targets that were loaded some other way: before, or by a loader of their own."""
        return {file for file in self._lines if file in loaded and file not in self.armed}


def _armed(data: bytes, lines: dict[int, str]) -> Any:
    """The module as a tree with the statements in it; as it is where it cannot be parsed."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return data
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first in lines:
                _arm(node, lines[first])
    return tree


def _arm(node: Any, key: str) -> None:
    place = int(ast.get_docstring(node, clean=False) is not None)
    at = node.body[min(place, len(node.body) - 1)]
    call = ast.Call(ast.Name(_NAME, ast.Load()), [ast.Constant(key)], [])
    statement = ast.copy_location(ast.Expr(call), at)
    node.body.insert(place, ast.fix_missing_locations(statement))
