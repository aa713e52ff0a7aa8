"""Cyclomatic complexity of Python functions, and how much a change adds to it.

McCabe, "A Complexity Measure" (IEEE TSE 2(4), 1976): one more than the number of decisions, each condition of
a compound predicate counted. Decisions are ``if``, ``elif``, the conditional expression, loops with their
``else``, ``except``, the conditions of comprehensions and their loops, ``case`` other than a bare ``_``, and
each further operand of ``and`` and ``or``; an inner function counts for the one that holds it, as radon does
for closures. His limit of 10 for one function is what a rise is set against.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping

from repo_guardian.tools.signals.places import is_python

LIMIT = 10
"""McCabe's own upper bound for one module, 1976, section VII."""
Read = Callable[[str], bytes | None]
Key = tuple[str, str]
"""A path and a dotted name within that file; the empty name stands for the file as a whole."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCHES = (ast.If, ast.IfExp, ast.ExceptHandler)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def complexities(source: bytes) -> Mapping[str, int]:
    """Complexity by dotted name of function; of a name defined twice the larger; {} for what is no Python."""
    try:
        found: dict[str, int] = {}
        for name, node in _functions(ast.parse(source), ""):
            found[name] = max(found.get(name, 0), 1 + sum(map(_decisions, ast.walk(node))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return found


def rises(changed: Collection[str], read_base: Read, read_current: Read) -> dict[Key, float]:
    """How much more complex functions and files have become, each in 0..1: ``rise / (rise + LIMIT)``.

    A new function rises from nothing. A file's rise is that of the sum over its functions. What became
    simpler, or stayed, is left out.

    Args:
        changed: paths that differ; those that are no Python are left out.
        read_base, read_current: contents at each commit.
    """
    found: dict[Key, float] = {}
    for path in sorted(filter(is_python, changed)):
        before, after = (complexities(read(path) or b"") for read in (read_base, read_current))
        rise = {name: count - before.get(name, 0) for name, count in after.items()}
        rise[""] = sum(after.values()) - sum(before.values())
        found |= {(path, name): more / (more + LIMIT) for name, more in rise.items() if more > 0}
    return found


def _functions(owner: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    pending = list(ast.iter_child_nodes(owner))[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, _FUNCTIONS):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        elif not isinstance(node, ast.expr):
            pending.extend(list(ast.iter_child_nodes(node))[::-1])


def _decisions(node: ast.AST) -> int:
    if isinstance(node, _BRANCHES):
        return 1
    if isinstance(node, _LOOPS):
        return 1 + bool(node.orelse)
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    if isinstance(node, ast.match_case):
        bare = isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None and node.guard is None
        return 0 if bare else 1
    return 0
