"""Which statements of a test its failing one needs: a backward slice over names, kept on the careful side."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeGuard

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PURE = frozenset({
    *("len", "str", "repr", "list", "tuple", "set", "dict", "sorted", "isinstance", "issubclass", "type"),
    *("int", "float", "bool", "bytes", "frozenset", "sum", "min", "max", "all", "any", "abs", "hasattr"),
    *("getattr", "callable", "id", "hash", "range", "enumerate", "zip", "round"),
})  # fmt: skip
_EXPECT = frozenset(
    {"raises", "warns", "deprecated_call", "assertRaises", "assertRaisesRegex", "assertWarns"}
)


@dataclass(frozen=True, slots=True)
class Replaced:
    """Lines ``first`` to ``last`` (1-based, inclusive) and the lines that take their place."""

    first: int
    last: int
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """What is taken out of a function, and the names that the rest of it mentions."""

    replaced: tuple[Replaced, ...]
    names: set[str] = field(default_factory=set)

    def at(self, line: int) -> Replaced | None:
        """What is replaced from that line on."""
        return next((cut for cut in self.replaced if cut.first <= line <= cut.last), None)


def cuts(function: _Function, line: int) -> Cut:
    """What can go from a test whose failing statement covers ``line``."""
    local = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)} | {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    replaced = tuple(_in_block(function.body, line, local - {"self"}))
    gone = {number for cut in replaced for number in range(cut.first, cut.last + 1)}
    kept = [node for node in ast.walk(function) if getattr(node, "lineno", 0) not in gone]
    calls = [ast.parse(text.strip()) for cut in replaced for text in cut.instead if text.strip() != "pass"]
    return Cut(replaced, {name for node in kept for name in _own_names(node)} | names_of(calls))


def names_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name, argument and attribute that is mentioned; strings too, since marks name fixtures so."""
    return {name for root in nodes for node in ast.walk(root) for name in _own_names(node)}


def _own_names(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
            return (name,)
        case ast.Constant(value=str() as name):
            return (name,)
    return ()


def _in_block(block: Sequence[ast.stmt], line: int, local: set[str]) -> Iterator[Replaced]:
    """The cuts in one block of statements and in the blocks around the failing one."""
    index = next((i for i, s in enumerate(block) if _first(s) <= line <= _last(s)), None)
    if index is None or _share_lines(block):
        return
    failing = block[index]
    for later in block[index + 1 :]:
        yield Replaced(_first(later), _last(later))
    inner = next((b for b in _blocks(failing) if b and _first(b[0]) <= line <= _last(b[-1])), None)
    if inner is not None:
        yield from _in_block(inner, line, local)
    needed = _loaded(failing)
    for earlier in reversed(block[:index]):
        cut = _cut(earlier, needed, local)
        if cut is None:
            needed |= _loaded(earlier)
        else:
            yield cut
            needed |= names_of(ast.parse(text.strip()) for text in cut.instead)


def _cut(statement: ast.stmt, needed: set[str], local: set[str]) -> Replaced | None:
    """How a statement before the failing one is left out; None when it has to stay."""
    first, last = _first(statement), _last(statement)

    def may_matter(node: ast.AST) -> bool:
        return bool(_loaded(node) & needed & local)

    checked = _checked(statement)
    if checked is not None:
        indent = " " * statement.col_offset
        calls = [call for part in checked for call in _effects(part) if may_matter(call)]
        return Replaced(first, last, tuple(f"{indent}{ast.unparse(call)}" for call in calls))
    if _expects_an_error(statement):
        told = names_of(item.optional_vars for item in statement.items if item.optional_vars is not None)
        return None if told & needed or may_matter(statement) else Replaced(first, last)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and not _targets(statement) & needed:
        value = statement.value
        acts = value is not None and any(may_matter(call) for call in _effects(value))
        return None if acts else Replaced(first, last)
    return None


def _checked(statement: ast.stmt) -> list[ast.expr] | None:
    """What ``assert …`` or ``self.assert…(…)`` looks at; None for any other statement."""
    if isinstance(statement, ast.Assert):
        return [statement.test]
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Call) and _called(value).startswith("assert"):
        return [*value.args, *(keyword.value for keyword in value.keywords)]
    return None


def _expects_an_error(statement: ast.stmt) -> TypeGuard[ast.With]:
    """``with pytest.raises(…):`` and the like."""
    calls = [item.context_expr for item in statement.items] if isinstance(statement, ast.With) else []
    return bool(calls) and all(isinstance(c, ast.Call) and _called(c) in _EXPECT for c in calls)


def _effects(node: ast.expr) -> Iterator[ast.Call]:
    """The outermost calls that may do more than compute; a lambda makes none."""
    if isinstance(node, ast.Call) and _called(node) not in _PURE:
        yield node
        return
    yield from _effects_in(node)


def _effects_in(node: ast.AST) -> Iterator[ast.Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and not isinstance(child, ast.Lambda):
            yield from _effects(child)
        elif isinstance(child, ast.keyword):
            yield from _effects(child.value)


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    handlers = [handler.body for handler in getattr(statement, "handlers", ())]
    return [*(getattr(statement, part, []) for part in ("body", "orelse", "finalbody")), *handlers]


def _share_lines(block: Sequence[ast.stmt]) -> bool:
    """Whether two statements stand on one line, so that lines cannot be cut apart."""
    return any(_last(a) >= _first(b) for a, b in pairwise(block))


def _loaded(statement: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _targets(statement: ast.Assign | ast.AnnAssign) -> set[str]:
    """The names that are bound, or whose attributes and items are."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
