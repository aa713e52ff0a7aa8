"""Statements that bind names or steer the walk: loops, ``with``, ``match``, ``try``, ``if``, ``return``."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.python import exports, fields
from repo_guardian.tools.views.facts.python.displays import first_child, made
from repo_guardian.tools.views.facts.python.implicit import enter, iterate
from repo_guardian.tools.views.facts.python.narrowing import instances, narrowed, told_after
from repo_guardian.tools.views.facts.python.scopes import NOTHING_KNOWN, Chain, Scope
from repo_guardian.tools.views.facts.python.targets import bind_target
from repo_guardian.tools.views.facts.python.values import plain_chain
from repo_guardian.tools.views.facts.python.walk import (
    ASYNC,
    CONDITIONAL,
    IN_TRY,
    TYPE_CHECKING,
    Handler,
    Walk,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_QUOTES = b"'\""
_BACK_QUOTE = ord("`")
_PLAIN_PARTS = 2
"""A string without content has its two quotes."""


def on_expression_statement(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``__all__.extend(...)`` is an edit of the exports; everything else is just an expression."""
    if scope.kind == "module" and node.named_children and node.named_children[0].type == "call":
        exports.called(walk, node.named_children[0], scope)
    walk.push(node.named_children, scope, flags)


def on_for(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A loop binds its target to what iterating gives."""
    left = node.child_by_field_id(fields.LEFT)
    right = node.child_by_field_id(fields.RIGHT)
    iterated = walk.value_of(right, scope)
    is_async = bool(node.child_count) and node.children[0].type == "async"
    bind_target(walk, left, scope, made(walk, "iterate", iterated))
    iterate(walk, right, scope, iterated, is_async=is_async)
    others = [child for child in node.named_children if child not in (left, right)]
    walk.push(others, scope, flags | CONDITIONAL)
    walk.push([right], scope, flags)


def on_conditional(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``while`` and ``match``: what is in them may not run."""
    walk.push(node.named_children, scope, flags | CONDITIONAL)


def on_as_pattern(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``value as target`` in ``case``: an instance where the pattern is of one class."""
    pattern = first_child(node)
    while pattern is not None and pattern.type == "case_pattern":
        pattern = first_child(pattern)
    value = NOTHING_KNOWN
    if pattern is not None and pattern.type == "class_pattern" and pattern.named_children:
        root, *path = [walk.name(child) for child in pattern.named_children[0].named_children] or [""]
        value = walk.of("annotation", Chain(root, tuple(path)), scope)
    for target in node.named_children[1:]:
        bind_target(walk, target, scope, value)
    walk.push(node.named_children[:1], scope, flags)


def on_with(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``async with`` enters by other methods."""
    body = node.child_by_field_id(fields.BODY)
    clauses = [child for child in node.named_children if child != body]
    is_async = bool(node.child_count) and node.children[0].type == "async"
    walk.push([body], scope, flags)
    walk.push(clauses, scope, flags | ASYNC if is_async else flags)


def on_with_item(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``with value as target`` binds what entering gives."""
    _bind_alias(walk, node, scope, flags, entered=True)


def on_except(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``except E as e`` binds an instance of one of the named classes."""
    _bind_alias(walk, node, scope, flags, entered=False)


def _bind_alias(walk: Walk, node: Node, scope: Scope, flags: int, *, entered: bool) -> None:
    is_async = bool(flags & ASYNC)
    for child in reversed(node.named_children):
        if child.type != "as_pattern" or len(child.named_children) < 2:
            if entered:
                enter(walk, child, scope, is_async=is_async)
            walk.push([child], scope, flags)
            continue
        expression, *targets = child.named_children
        value = (
            enter(walk, expression, scope, is_async=is_async)
            if entered
            else instances(walk, expression, scope)
        )
        for target in targets:
            bind_target(walk, target, scope, value)
        walk.push([expression], scope, flags)


def on_if(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """Marks what stands under a condition; in the body more may be known of a variable."""
    condition = node.child_by_field_id(fields.CONDITION)
    body = node.child_by_field_id(fields.CONSEQUENCE)
    inside = flags | CONDITIONAL
    chain = plain_chain(walk, condition)
    known = inside
    if chain is not None and (chain.path or (chain.root,))[-1] == "TYPE_CHECKING":
        known |= TYPE_CHECKING
    others = [child for child in node.named_children if child not in (condition, body)]
    walk.push(others, scope, inside)
    walk.push([body], narrowed(walk, condition, scope), known)
    walk.push([condition], scope, flags)


def on_assert(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``assert isinstance(x, C)`` tells of ``x``."""
    told_after(walk, first_child(node), scope)
    walk.push(node.named_children, scope, flags)


def on_return(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A function returns one of the values of its ``return`` statements."""
    if node.named_children:
        scope.statement_scope().returns.append(walk.value_of(first_child(node), scope))
    walk.push(node.named_children, scope, flags)


def on_try(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """Marks what stands in ``try`` and its handlers."""
    walk.push(node.named_children, scope, flags | IN_TRY)


def on_dotted_name(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """In a ``case`` pattern: one name captures, a dotted one is read."""
    root, *path = [walk.name(child) for child in node.named_children] or [""]
    if path:
        walk.use("reference", scope, Chain(root, tuple(path)), node)
    elif root not in ("", "_"):
        bind_target(walk, node.named_children[0], scope)


def on_class_pattern(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``case C(...)`` reads ``C``."""
    for name in node.named_children[:1]:
        root, *path = [walk.name(child) for child in name.named_children] or [""]
        walk.use("reference", scope, Chain(root, tuple(path)), name)
    walk.push(node.named_children[1:], scope, flags)


def on_keyword_pattern(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``case C(name=pattern)``: the name is an attribute of the subject."""
    walk.push(node.named_children[1:], scope, flags)


def on_splat_pattern(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``case [*rest]`` binds ``rest``."""
    bind_target(walk, node, scope)


def on_global(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``global a, b``."""
    scope.statement_scope().globals.update(walk.name(child) for child in node.named_children)


def on_nonlocal(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``nonlocal a, b``."""
    scope.statement_scope().nonlocals.update(walk.name(child) for child in node.named_children)


def on_python2(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``print x`` and ``exec x``."""
    walk.python2(node)
    walk.push(node.named_children, scope, flags)


def on_raise(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """Raising a class makes an instance; ``raise E, value`` is Python 2."""
    if any(child.type == "expression_list" for child in node.named_children):
        walk.python2(node)
    chain = plain_chain(walk, first_child(node))
    if chain is not None:
        walk.use("implicit", scope, chain, node, (CallShape(), ()))
    walk.push(node.named_children, scope, flags)


def on_string(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """Only an f-string's replacement fields hold code; Python 2's back quotes parse as a string."""
    first = walk.source.data[node.start_byte]
    if first == _BACK_QUOTE:
        walk.python2(node)
    if first not in _QUOTES and node.named_child_count > _PLAIN_PARTS:
        walk.push([child for child in node.named_children if child.type == "interpolation"], scope, flags)


HANDLERS: dict[str, Handler] = {
    "expression_statement": on_expression_statement,
    "for_statement": on_for,
    "while_statement": on_conditional,
    "match_statement": on_conditional,
    "as_pattern": on_as_pattern,
    "with_statement": on_with,
    "with_item": on_with_item,
    "except_clause": on_except,
    "except_group_clause": on_except,
    "if_statement": on_if,
    "elif_clause": on_if,
    "assert_statement": on_assert,
    "return_statement": on_return,
    "try_statement": on_try,
    "dotted_name": on_dotted_name,
    "class_pattern": on_class_pattern,
    "keyword_pattern": on_keyword_pattern,
    "splat_pattern": on_splat_pattern,
    "global_statement": on_global,
    "nonlocal_statement": on_nonlocal,
    "print_statement": on_python2,
    "exec_statement": on_python2,
    "raise_statement": on_raise,
    "string": on_string,
}
