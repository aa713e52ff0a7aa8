"""A call's source as the sandbox wrote it, checked: only then does it become a part of a test.

What is let through are expressions of literals, names that checked imports bring, attributes of them that are
not special, and calls. Names come from the package under test or from a few modules of the standard library:
a test is also exported, and run by people.
"""

from __future__ import annotations

import ast
import re

from repo_guardian.errors import TemplateError
from repo_guardian.tools.behaviour.interface import CallSource
from repo_guardian.tools.probes.templates.source import dotted

_IMPORT = re.compile(r"(?:from (?P<source>[\w.]+) import (?P<name>\w+)|import (?P<whole>[\w.]+))", re.ASCII)
_STANDARD = frozenset(
    [
        *("collections", "datetime", "decimal", "enum", "fractions", "functools", "io", "itertools", "json"),
        *("math", "numbers", "operator", "pathlib", "re", "string", "types", "typing", "uuid", "abc"),
    ]
)
_BUILTINS = frozenset(
    [
        *("bool", "int", "float", "complex", "str", "bytes", "bytearray", "list", "tuple", "dict", "set"),
        *(
            "frozenset",
            "object",
            "type",
            "range",
            "slice",
            "len",
            "repr",
            "sorted",
            "sum",
            "min",
            "max",
            "abs",
        ),
    ]
)
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Attribute, ast.Call, ast.keyword, ast.Subscript),
    *(ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.BinOp, ast.Add, ast.Sub),
)


def imports_of(source: CallSource, package: str) -> tuple[str, ...]:
    """The import statements, each one checked.

    Args:
        package: the top-level name of what is under test.

    Raises:
        TemplateError: one is something else, or brings a name from elsewhere.
    """
    for statement in source.imports:
        match = _IMPORT.fullmatch(statement)
        module = dotted((match["source"] or match["whole"]) if match else "")
        if module.partition(".")[0] not in (*_STANDARD, package):
            raise TemplateError(f"{module} is from elsewhere")
    return source.imports


def expression(text: str, names: frozenset[str]) -> str:
    """``text`` as one expression of allowed parts.

    Args:
        names: what the imports bring, and the variables of the test.

    Raises:
        TemplateError: it is none, or uses another name.
    """
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise TemplateError("no expression") from error
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise TemplateError(f"{type(node).__name__} in an expression")
        if isinstance(node, ast.Name) and node.id not in names and not _is_builtin(node.id):
            raise TemplateError(f"{node.id} comes from nowhere")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr != "__name__":
            raise TemplateError("a special attribute")
    return ast.unparse(tree)


def brought(statements: tuple[str, ...]) -> frozenset[str]:
    """The names that import statements bring."""
    return frozenset(statement.split()[-1].partition(".")[0] for statement in statements)


def _is_builtin(name: str) -> bool:
    return name in _BUILTINS or name.endswith(("Error", "Exception", "Warning", "StopIteration"))
