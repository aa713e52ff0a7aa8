"""Displays and alternatives: what lists, dictionaries, comprehensions and conditionals are made of.

Literals and unknown values are left out of a display; what is kept says by its key where it stands.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import TypeSource
from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.scopes import ABSENT, LAMBDA, NOTHING_KNOWN, Chain, Scope, Value
from repo_guardian.tools.views.facts.python.walk import Walk

MAX_ITEMS = 64
"""Items of one display that are kept."""
MAX_KEY_CHARS = 100
SLICE = "[:]"
_SEQUENCES = frozenset({"list", "tuple", "expression_list"})
_COMPREHENSIONS = frozenset({
    "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
})  # fmt: skip
DISPLAYS = _SEQUENCES | _COMPREHENSIONS | {"set", "dictionary"}


def first_child(node: Node) -> Node | None:
    """The first part of a node that is no comment."""
    return next((child for child in node.named_children if child.type != "comment"), None)


def made(walk: Walk, source: TypeSource, number: int) -> int:
    """What ``iterate``, ``await`` or ``enter`` makes of a value."""
    return walk.value(Value(source, items=(number,))) if number >= 0 else NOTHING_KNOWN


def element(walk: Walk, number: int, key: str) -> int:
    """The element of a container under a literal key; a slice is a container of its elements."""
    if number < 0:
        return NOTHING_KNOWN
    if key == SLICE:
        return walk.value(Value("display", items=(number,), keys=("**",)))
    return walk.value(Value("element", items=(number,), keys=(key,)))


def subscript_key(walk: Walk, node: Node) -> str:
    """The literal key of a subscript, "" for another one, ``SLICE`` for a slice."""
    keys = node.children_by_field_id(fields.SUBSCRIPT)
    if len(keys) != 1:
        return ""
    return SLICE if keys[0].type == "slice" else literal_key(walk, keys[0])


def literal_key(walk: Walk, node: Node) -> str:
    """A literal string or integer as text, "" for anything else; ``"a"`` and ``'a'`` are one key."""
    if node.type == "integer":
        return walk.name(node)
    if node.type == "unary_operator":
        text = walk.name(node).replace(" ", "")
        return text if text[:1] == "-" and text[1:].isdecimal() else ""
    text = literal_text(walk, node) or "" if node.type == "string" else ""
    return f"'{text}'" if text.lstrip("-").isdecimal() else text


def literal_text(walk: Walk, node: Node) -> str | None:
    """The text of a plain string literal without escapes; None for anything else."""
    parts = node.named_children
    if node.type != "string" or len(parts) != 3 or parts[1].type != "string_content" or parts[1].child_count:
        return None
    if walk.name(parts[0])[:1] not in "\"'":
        return None
    return walk.name(parts[1])[:MAX_KEY_CHARS]


def _lambda(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    return walk.value(Value("value", Chain(LAMBDA, (), node.start_byte)))


def _conditional(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    """``a if condition else b``."""
    parts = [child for child in node.named_children if child.type != "comment"]
    return walk.any_of([walk.value_of(part, scope, depth) for part in (parts[0], parts[-1])])


def _boolean(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    """``a or b`` is one of both; ``a and b`` is ``b``, since what is false is seldom used."""
    parts: list[Node | None] = []
    left: Node | None = node
    while left is not None and left.type == "boolean_operator":
        parts.append(left.child_by_field_id(fields.RIGHT))
        operator = left.child_by_field_id(fields.OPERATOR)
        left = (
            None if operator is not None and operator.type == "and" else left.child_by_field_id(fields.LEFT)
        )
    parts = [*([left] if left is not None else []), *reversed(parts)]
    return walk.any_of([walk.value_of(part, scope, depth) for part in parts[:MAX_ITEMS]])


def _named(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    return walk.value_of(node.child_by_field_id(fields.VALUE), scope, depth)


def _sequence(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    """A list, tuple or set display. Literals and unknown values only take up their position."""
    items: list[int] = []
    keys: list[str] = []
    certain = node.type != "set"
    for position, child in enumerate(c for c in node.named_children if c.type != "comment"):
        spread = child.type == "list_splat"
        number = walk.value_of(first_child(child) if spread else child, scope, depth)
        if number >= 0 and not walk.is_literal(number):
            items.append(number)
            keys.append("**" if spread else str(position) if certain else "")
        certain = certain and not spread
        if len(items) == MAX_ITEMS:
            break
    return walk.value(Value("display", items=tuple(items), keys=tuple(keys)))


def _dictionary(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    items: list[int] = []
    keys: list[str] = []
    for child in node.named_children:
        key = child.child_by_field_id(fields.KEY) if child.type == "pair" else None
        part = child.child_by_field_id(fields.VALUE) if key is not None else first_child(child)
        number = walk.value_of(part, scope, depth) if child.type in ("pair", "dictionary_splat") else ABSENT
        if number >= 0 and not walk.is_literal(number):
            items.append(number)
            keys.append("**" if key is None else literal_key(walk, key))
            if len(items) == MAX_ITEMS:
                break
    return walk.value(Value("display", items=tuple(items), keys=tuple(keys)))


def comprehension_scope(walk: Walk, node: Node, scope: Scope) -> Scope:
    """The scope of a comprehension's own names, one for each."""
    block = walk.blocks.get(node.id)
    if block is None:
        block = walk.blocks[node.id] = Scope("block", scope, scope.owner)
    return block


def _comprehension(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    body = node.child_by_field_id(fields.BODY)
    if body is not None and body.type == "pair":
        body = body.child_by_field_id(fields.VALUE)
    number = walk.value_of(body, comprehension_scope(walk, node, scope), depth)
    return container_of(walk, number)


def container_of(walk: Walk, number: int, key: str = "") -> int:
    """A display of one value, or of nothing that is known."""
    if number < 0 or walk.is_literal(number):
        return walk.value(Value("display"))
    return walk.value(Value("display", items=(number,), keys=(key,)))


def spread(walk: Walk, given: list[Node], scope: Scope, depth: int, *, keyed: bool = True) -> int:
    """``list(x)``, ``dict(x, a=b)``: a display of what is in ``x``, and of the keywords.

    What another display holds is taken over, under its keys if these still say where it stands.
    """
    items: list[int] = []
    keys: list[str] = []
    for child in given[:MAX_ITEMS]:
        name = child.child_by_field_id(fields.NAME) if child.type == "keyword_argument" else None
        part = child.child_by_field_id(fields.VALUE) if name is not None else child
        number = walk.value_of(part, scope, depth) if "splat" not in child.type else NOTHING_KNOWN
        if number < 0 or walk.is_literal(number):
            continue
        inner = walk.values[number]
        if name is None and inner.source == "display":
            items += inner.items
            keys += inner.keys if keyed else [key if key == "**" else "" for key in inner.keys]
        else:
            items.append(number)
            keys.append("**" if name is None else walk.name(name))
    return walk.value(Value("display", items=tuple(items[:MAX_ITEMS]), keys=tuple(keys[:MAX_ITEMS])))


MAKERS: dict[str, Callable[[Walk, Node, Scope, int], int]] = {
    "lambda": _lambda,
    "conditional_expression": _conditional,
    "boolean_operator": _boolean,
    "named_expression": _named,
    "dictionary": _dictionary,
    "set": _sequence,
    **dict.fromkeys(_SEQUENCES, _sequence),
    **dict.fromkeys(_COMPREHENSIONS, _comprehension),
}
