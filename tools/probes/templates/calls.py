"""Calls that are made in earnest, with arguments that annotations and defaults tell of.

Only of functions that reading shows to do nothing but compute from their arguments: what such a call does at
the base, it does every time. Everything else is asked for its signature instead (``binding``).
"""

from __future__ import annotations

import ast

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.samples import sample_call
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    expression,
    import_statement,
    relied_on_by,
    shape_words,
)
from repo_guardian.tools.signals.drift.protocol import decorator_name
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PURE_CALLS = frozenset({
    *("abs", "all", "any", "bool", "bytes", "dict", "divmod", "enumerate", "float", "frozenset", "int"),
    *("isinstance", "len", "list", "max", "min", "pow", "range", "repr", "reversed", "round", "set"),
    *("sorted", "str", "sum", "tuple", "zip"),
})  # fmt: skip
_PURE_METHODS = frozenset({
    *("encode", "decode", "endswith", "format", "get", "items", "join", "keys", "lower", "lstrip"),
    *("partition", "replace", "rpartition", "rsplit", "rstrip", "split", "startswith", "strip", "title"),
    *("upper", "values"),
})  # fmt: skip
_ACTS = (
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Await,
    ast.Delete, ast.While, ast.Yield, ast.YieldFrom, ast.Raise, ast.ClassDef,
)  # fmt: skip


def still_takes_call(case: Case) -> Draft:
    """The call that bound at the base is made; it raises the TypeError that callers see."""
    shape = case.detail.witness
    if shape is None or case.before is None or not callable_alone(case.old):
        raise TemplateError("no function that can be called alone")
    call = f"{expression(case.detail)}({sample_call(case.before, shape)})"
    if not _only_computes(function_of(case)):
        raise TemplateError("it does more than compute")
    return Draft(
        name=f"{expression(case.detail)}_can_still_be_called_with_{shape_words(shape)}",
        docstring=relied_on_by(case.signal),
        statements=(import_statement(case.detail), call),
    )


def callable_alone(symbol: Symbol) -> bool:
    """Whether it is a function, or a static or class method, without any other decorator."""
    names = {decorator_name(text) for text in symbol.decorators}
    if symbol.kind is SymbolKind.FUNCTION:
        return not names
    return symbol.kind is SymbolKind.METHOD and names in ({"staticmethod"}, {"classmethod"})


def function_of(case: Case) -> _Function:
    """The definition at the base, parsed.

    Raises:
        TemplateError: the file does not hold it where the graph says.
    """
    source, span = case.material.read_base(case.old.path) or b"", case.old.span
    indent = source[source.rfind(b"\n", 0, span.start_byte) + 1 : span.start_byte]
    head = b"if True:\n" if indent else b""
    try:
        tree = ast.parse(head + indent + source[span.start_byte : span.end_byte])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TemplateError("the definition cannot be parsed") from error
    body = tree.body[0].body if indent and isinstance(tree.body[0], ast.If) else tree.body
    found = body[0] if body else None
    if not isinstance(found, _Function) or found.name != case.old.name:
        raise TemplateError("the definition is not where it was")
    return found


def _only_computes(function: _Function) -> bool:
    local = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return isinstance(function, ast.FunctionDef) and all(
        _is_harmless(node, local) for statement in function.body for node in ast.walk(statement)
    )


def _is_harmless(node: ast.AST, local: set[str]) -> bool:
    if isinstance(node, _ACTS):
        return False
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return True
    match node.func:
        case ast.Name(id=name):
            return name in _PURE_CALLS and name not in local
        case ast.Attribute(attr=name):
            return name in _PURE_METHODS
    return False
