"""Expressions: names and dotted chains, calls with their shapes and arguments, comprehensions."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import UseKind
from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.displays import comprehension_scope, first_child, made
from repo_guardian.tools.views.facts.python.implicit import iterate
from repo_guardian.tools.views.facts.python.scopes import LITERAL, SUPER, UNKNOWN, Scope
from repo_guardian.tools.views.facts.python.targets import ADDING, add_arguments, bind_target
from repo_guardian.tools.views.facts.python.values import chain_and_base, chain_of, reading
from repo_guardian.tools.views.facts.python.walk import IN_BASES, Arguments, Handler, Walk
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_NO_USE = frozenset({UNKNOWN, LITERAL, SUPER, "super"})
_MAX_ARGUMENTS = 32
"""Arguments of one call whose values are kept."""


def on_call(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A call: one use with its shape and the values of its arguments, then what is in it."""
    function = node.child_by_field_id(fields.FUNCTION)
    arguments = node.child_by_field_id(fields.ARGUMENTS)
    base: Node | None = None
    if function is not None:
        chain, base = chain_and_base(walk, function, scope)
        if chain.path or chain.root not in _NO_USE:
            walk.use("call", scope, chain, node, passed(walk, arguments, scope))
            if arguments is not None and chain.path and chain.path[-1] in ADDING:
                add_arguments(walk, chain, arguments, scope)
        if function.type == "call":
            walk.called.add(function.id)
        if chain.root == "getattr" and node.id not in walk.called and reading(walk, node, scope) is not None:
            walk.use("reference", scope, chain_of(walk, node, scope), node)
    walk.push([base, arguments], scope, flags & ~IN_BASES)


def passed(walk: Walk, arguments: Node | None, scope: Scope) -> tuple[CallShape, Arguments]:
    """How a call passes its arguments, and what is known of their values."""
    if arguments is None:
        return CallShape(), ()
    children = arguments.named_children if arguments.type == "argument_list" else [arguments]
    positional, keywords, star, double_star = 0, [], False, False
    values: list[tuple[str, int]] = []
    for child in children:
        kind = child.type
        if kind == "comment":
            continue
        key, value = "", child
        if kind == "keyword_argument":
            name, inner = child.child_by_field_id(fields.NAME), child.child_by_field_id(fields.VALUE)
            key = walk.name(name) if name is not None else ""
            keywords.append(key)
            value = inner if inner is not None else child
        elif kind == "list_splat":
            star, key, value = True, "*", first_child(child) or child
        elif kind == "dictionary_splat":
            double_star, key, value = True, "**", first_child(child) or child
        else:
            key = "" if star else str(positional)
            positional += 1
        if key and value.type not in _PLAIN and len(values) < _MAX_ARGUMENTS:
            number = walk.value_of(value, scope)
            if number >= 0 and not walk.is_literal(number):
                values.append((key, number))
    return CallShape(positional, tuple(keywords), star, double_star), tuple(values)


_PLAIN = frozenset({"string", "integer", "float", "true", "false", "none", "concatenated_string"})


def on_name(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A dotted chain that is read, or the base of a class."""
    chain, base = chain_and_base(walk, node, scope)
    walk.use("inherit" if flags & IN_BASES else "reference", scope, chain, node)
    if base is not None:
        walk.push([base], scope, flags & ~IN_BASES)


def on_identifier(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A name that is read, or the base of a class: by far the most frequent node."""
    kind: UseKind = "inherit" if flags & IN_BASES else "reference"
    walk.uses.append((kind, scope, walk.chain(node), node.start_byte, node.end_byte, None, ()))


def on_subscript(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``C[T]``: as a base, only ``C`` is inherited from."""
    walk.push(node.named_children[1:], scope, flags & ~IN_BASES)
    walk.push(node.named_children[:1], scope, flags)


def on_keyword_argument(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``name=value``: the name is no use of anything here."""
    walk.push([node.child_by_field_id(fields.VALUE)], scope, flags & ~IN_BASES)


def on_comprehension(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A comprehension has a scope of its own; its first iterable is evaluated outside (PEP 709 or not)."""
    block = comprehension_scope(walk, node, scope)
    outside = scope
    parts: list[tuple[Node | None, Scope]] = []
    for child in node.named_children:
        if child.type != "for_in_clause":
            parts.append((child, block))
            continue
        right = child.child_by_field_id(fields.RIGHT)
        iterated = walk.value_of(right, outside)
        bind_target(walk, child.child_by_field_id(fields.LEFT), block, made(walk, "iterate", iterated))
        is_async = bool(child.child_count) and child.children[0].type == "async"
        iterate(walk, right, outside, iterated, is_async=is_async)
        parts.append((right, outside))
        outside = block
    for part, where in reversed(parts):
        walk.push([part], where, flags)


def on_named_expression(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``name := value``."""
    value = node.child_by_field_id(fields.VALUE)
    home = scope.statement_scope()
    bind_target(walk, node.child_by_field_id(fields.NAME), home, walk.value_of(value, scope))
    walk.push([value], scope, flags)


def on_yield(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A ``yield`` makes its function a generator."""
    home = scope.statement_scope()
    home.is_generator = True
    value = walk.value_of(first_child(node), scope)
    if node.child_count > 1 and node.children[1].type == "from":
        value = made(walk, "iterate", value)
    home.yields.append(value)
    walk.push(node.named_children, scope, flags)


HANDLERS: dict[str, Handler] = {
    "call": on_call,
    "identifier": on_identifier,
    "attribute": on_name,
    "subscript": on_subscript,
    "generic_type": on_subscript,
    "keyword_argument": on_keyword_argument,
    "list_comprehension": on_comprehension,
    "set_comprehension": on_comprehension,
    "dictionary_comprehension": on_comprehension,
    "generator_expression": on_comprehension,
    "named_expression": on_named_expression,
    "yield": on_yield,
}
