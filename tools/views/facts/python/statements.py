"""Statements that bind names or steer the walk: assignments, loops, ``with``, ``match``, ``try``, ``if``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.python import exports, fields
from repo_guardian.tools.views.facts.python.annotations import annotated
from repo_guardian.tools.views.facts.python.displays import SLICE, element, first_child, made, spread
from repo_guardian.tools.views.facts.python.implicit import enter, iterate
from repo_guardian.tools.views.facts.python.narrowing import instances, narrowed, told_after
from repo_guardian.tools.views.facts.python.scopes import ABSENT, NOTHING_KNOWN, Chain, Scope
from repo_guardian.tools.views.facts.python.source import TEXT_CHARS
from repo_guardian.tools.views.facts.python.targets import add, bind_name, bind_target, store_attribute
from repo_guardian.tools.views.facts.python.values import plain_chain
from repo_guardian.tools.views.facts.python.walk import (
    ASYNC,
    CONDITIONAL,
    IN_TRY,
    TYPE_CHECKING,
    Draft,
    Handler,
    Walk,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_QUOTES = b"'\""
_BACK_QUOTE = ord("`")
_PLAIN_PARTS = 2
"""A string without content has its two quotes."""
_SEQUENCES = ("expression_list", "tuple", "pattern_list", "tuple_pattern", "list", "list_pattern")


class _Assignment(NamedTuple):
    """One target of an assignment ``statement``: what it gets, as an expression and as a value."""

    statement: Node
    target: Node
    annotation: Node | None
    expression: Node | None
    value: int
    scope: Scope
    flags: int = 0


def on_assignment(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``a = b = value``, with or without an annotation."""
    targets: list[tuple[Node, Node | None]] = []
    value: Node | None = node
    while value is not None and value.type == "assignment":
        left = value.child_by_field_id(fields.LEFT)
        if left is not None:
            targets.append((left, value.child_by_field_id(fields.TYPE)))
        value = value.child_by_field_id(fields.RIGHT)
    for left, annotation in targets:
        for target, part, number in _pairs(walk, left, value, scope):
            _assign(walk, _Assignment(node, target, annotation, part, number, scope, flags))
        walk.push([annotation], scope, flags)
        if scope.kind == "module":
            exports.assigned(walk, left, value, scope)
    walk.push([value], scope, flags)


def _pairs(
    walk: Walk, left: Node, value: Node | None, scope: Scope
) -> Iterator[tuple[Node, Node | None, int]]:
    """Targets with what they get; ``a, b = x, y`` is two pairs, of ``a, b = f()`` only values are known."""
    number = walk.value_of(value, scope)
    if left.type not in _SEQUENCES:
        yield left, value, number
        return
    targets = left.named_children
    values: list[Node] = []
    if value is not None and value.type in _SEQUENCES:
        values = [child for child in value.named_children if child.type != "comment"]
    if len(values) == len(targets) and not any("splat" in child.type for child in (*targets, *values)):
        for target, part in zip(targets, values, strict=True):
            yield target, part, walk.value_of(part, scope)
        return
    certain = True
    for position, target in enumerate(targets):
        if "splat" in target.type:
            certain = False
            yield target, None, number
        else:
            yield target, None, element(walk, number, str(position) if certain else "")


def _assign(walk: Walk, part: _Assignment) -> None:
    target, scope = part.target, part.scope
    known = annotated(walk, part.annotation, scope)
    if known < 0:
        known = part.value if part.expression is not None or part.annotation is None else NOTHING_KNOWN
    kind = target.type
    if kind == "identifier":
        name = walk.name(target)
        if scope.kind in ("module", "class") and scope.home(name) is scope:
            _define_variable(walk, part, name, known)
        else:
            bind_name(walk, name, scope, known)
    elif kind == "attribute":
        store_attribute(walk, target, scope, known)
    elif "splat" in kind:
        bind_target(walk, target, scope, element(walk, known, SLICE))
    else:
        bind_target(walk, target, scope, known)


def _define_variable(walk: Walk, part: _Assignment, name: str, known: int) -> None:
    annotation, value = part.annotation, part.expression
    draft = Draft(
        "variable",
        part.scope.owner,
        name,
        walk.region(part.statement),
        value=None if value is None else walk.text(value)[:TEXT_CHARS],
        held=known,
        annotation=None if annotation is None else walk.text(annotation),
        conditional=bool(part.flags & (IN_TRY | CONDITIONAL)),
    )
    walk.define(draft, part.scope)


def on_augmented(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``a += value`` makes ``a`` a name of its scope, defines nothing new, and may fill a list."""
    left = node.child_by_field_id(fields.LEFT)
    right = node.child_by_field_id(fields.RIGHT)
    if left is not None and left.type == "identifier":
        if scope.kind == "module":
            exports.augmented(walk, left, right, scope)
        elif scope.kind != "class":
            bind_name(walk, walk.name(left), scope, ABSENT)
    chain = plain_chain(walk, left)
    if chain is not None and right is not None:
        add(walk, chain, scope, spread(walk, [right], scope, 0, keyed=False))
    walk.push([left, right], scope, flags)


def on_expression_statement(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``__all__.extend(...)`` is an edit of the exports; everything else is just an expression."""
    if scope.kind == "module" and node.named_children and node.named_children[0].type == "call":
        exports.called(walk, node.named_children[0], scope)
    walk.push(node.named_children, scope, flags)


def on_type_alias(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``type X[T] = value`` (PEP 695)."""
    left, right = node.child_by_field_id(fields.LEFT), node.child_by_field_id(fields.RIGHT)
    name, block = left, Scope("block", scope, scope.owner)
    while name is not None and name.type != "identifier":
        for parameter in name.named_children[1:]:
            bind_target(walk, parameter, block)
        name = name.named_children[0] if name.named_children else None
    if name is not None and scope.kind in ("module", "class"):
        part = _Assignment(node, name, None, right, NOTHING_KNOWN, scope, flags)
        _define_variable(walk, part, walk.name(name), NOTHING_KNOWN)
    else:
        bind_target(walk, name, scope)
    walk.push([right], block, flags)


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
    "assignment": on_assignment,
    "augmented_assignment": on_augmented,
    "expression_statement": on_expression_statement,
    "type_alias_statement": on_type_alias,
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
