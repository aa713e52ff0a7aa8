"""Where a change starts in the graph: the definitions of a Python file whose own code differs.

A statement at the top of a module that binds names and does nothing else (a constant, an import) is a change
of these names; any other, such as a call that registers something, is a change of the module itself, which
reaches whatever imports it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from repo_guardian.tools.deltas.unseen import Read
from repo_guardian.tools.views.bodies import MODULE, changed_bodies
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import SymbolKind

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PLAIN_CALLS = frozenset(
    {"TypeVar", "ParamSpec", "NewType", "TypeVarTuple", "frozenset", "set", "dict", "list", "tuple", "object",
     "compile", "namedtuple", "int", "str", "float", "bool", "getLogger", "cast", "partial"}
)  # fmt: skip
"""Calls that leave no trace but their value."""


def changed_definitions(
    base: Graph, current: Graph, path: str, read_base: Read, read_current: Read
) -> set[str]:
    """Ids, in either graph, of what differs in a file; a module's id stands for code that may do anything.

    All definitions of the file where what differs cannot be told.
    """
    graphs = (base, current)
    old, new = read_base(path), read_current(path)
    names = changed_bodies(old or b"", new or b"")
    if names is None:
        return {symbol.id for graph in graphs for symbol in graph.symbols_in(path)}
    if MODULE in names:
        names = (names - {MODULE}) | changed_names(old or b"", new or b"")
    found: set[str] = set()
    for graph in graphs:
        module = next((s.id for s in graph.symbols_in(path) if s.kind is SymbolKind.MODULE), None)
        if module is not None:
            found |= {f"{module}.{name}" if name else module for name in names}
    return found


def changed_names(old: bytes, new: bytes) -> frozenset[str]:
    """The names that differing statements at the top of a module bind; ``MODULE`` among them for others."""
    try:
        before, after = ({_text(node): node for node in _statements(source)} for source in (old, new))
        counts = [Counter(map(_text, _statements(source))) for source in (old, new)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset({MODULE})
    differing = (counts[0] - counts[1]) + (counts[1] - counts[0])
    return frozenset(name for text in differing for name in _bound(before.get(text) or after[text]))


def _statements(source: bytes) -> Iterator[ast.stmt]:
    for statement in ast.parse(source).body:
        if isinstance(statement, _DEFINITIONS):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.If) and ast.unparse(statement.test).endswith("TYPE_CHECKING"):
            yield from statement.orelse
            continue
        yield statement


def _text(node: ast.stmt) -> str:
    return ast.dump(node)


def _bound(node: ast.stmt) -> tuple[str, ...]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = tuple(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        opaque = "*" in names or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
        return (MODULE,) if opaque else names
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_plain(node.value):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if all(isinstance(target, ast.Name) for target in targets):
            return tuple(target.id for target in targets if isinstance(target, ast.Name))
    return (MODULE,)


def _is_plain(value: ast.expr | None) -> bool:
    calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)] if value is not None else []
    return all(ast.unparse(call.func).rpartition(".")[2] in _PLAIN_CALLS for call in calls)
