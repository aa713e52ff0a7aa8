"""What the source itself says: a docstring that changed, a deprecation at the base."""

from __future__ import annotations

import ast
import re

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NOTE = re.compile(r"(?i)\bdeprecat(ed|ion|ing)|will be removed|\.\. deprecated::")
_WARNINGS = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def docstring_changed(old: bytes, new: bytes, qualname: str) -> bool:
    """Whether the docstring of ``qualname`` is another one now; False where that cannot be told."""
    before, after = definition(old, qualname), definition(new, qualname)
    if before is None or after is None:
        return False
    return ast.get_docstring(before) != ast.get_docstring(after)


def deprecation(source: bytes, qualname: str) -> str:
    """How a definition announces that it will change or go; empty when it does not, one line otherwise."""
    found = definition(source, qualname)
    if found is None:
        return ""
    for decorator in found.decorator_list:
        text = ast.unparse(decorator)
        if _NOTE.search(text):
            return f"decorated with {text[:120]}"
    for node in ast.walk(found):
        if isinstance(node, ast.Call) and _warns(node):
            return f"warns: {ast.unparse(node)[:160]}"
    note = next((line for line in (ast.get_docstring(found) or "").split("\n") if _NOTE.search(line)), "")
    return f"its docstring says: {note.strip()[:160]}" if note else ""


def definition(source: bytes, qualname: str) -> Definition | None:
    """The last definition of ``qualname`` in a file, at the top, in classes, or under conditions."""
    try:
        owner: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for name in qualname.split("."):
        matching = [node for node in _inside(owner) if node.name == name]
        if not matching:
            return None
        owner = matching[-1]
    return owner if isinstance(owner, (*_FUNCTIONS, ast.ClassDef)) else None


def _inside(owner: ast.AST) -> list[Definition]:
    """The definitions of a scope, in source order; those of inner scopes left out."""
    found: list[Definition] = []
    pending = list(ast.iter_child_nodes(owner))[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found.append(node)
        elif not isinstance(node, ast.expr):
            pending.extend(list(ast.iter_child_nodes(node))[::-1])
    return found


def _warns(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rpartition(".")[2]
    if "deprecat" in name.lower():
        return True
    if name not in ("warn", "warn_explicit"):
        return False
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(ast.unparse(value).rpartition(".")[2].partition("(")[0] in _WARNINGS for value in values)
