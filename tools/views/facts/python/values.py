"""What an expression's value is: the ``Value`` behind it, found without a recursion that input could exhaust.

The spine of an expression (``a().b[0].c()``) is followed in a loop however long it is, and remembered by
node. What branches off it (displays, alternatives) nests only ``_MAX_NESTING`` deep. Lookups are left to
the end of the walk; a builtin counts as one unless its name has been bound by then.
"""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import TypeSource
from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.displays import (
    DISPLAYS,
    MAKERS,
    element,
    first_child,
    literal_text,
    made,
    subscript_key,
)
from repo_guardian.tools.views.facts.python.known_calls import KNOWN_CALLS
from repo_guardian.tools.views.facts.python.scopes import (
    ABSENT,
    LITERAL,
    NOTHING_KNOWN,
    SUPER,
    UNKNOWN,
    VALUE,
    Chain,
    Scope,
)
from repo_guardian.tools.views.facts.python.walk import Walk

_MAX_NESTING = 6
_LITERALS = frozenset({
    "string", "concatenated_string", "integer", "float", "true", "false", "comparison_operator",
    "not_operator",
})  # fmt: skip


class _Step(NamedTuple):
    """One link of a spine: ``node`` does ``source`` to what is before it, then ``path`` is read from it."""

    node: Node
    source: TypeSource
    path: tuple[str, ...]


def value_of(walk: Walk, node: Node | None, scope: Scope, depth: int = 0) -> int:
    """The number of an expression's value, ``NOTHING_KNOWN``, or ``ABSENT`` for ``None``."""
    if node is None:
        return ABSENT
    kind = node.type
    if kind == "identifier":
        return walk.of("value", walk.chain(node), scope)
    if kind == "attribute" and (chain := walk.dotted(node)) is not None:
        return walk.of("value", chain, scope)
    if kind == "none":
        return ABSENT
    return walk.named(chain_of(walk, node, scope, (), depth), scope)


def chain_and_base(walk: Walk, node: Node, scope: Scope) -> tuple[Chain, Node | None]:
    """A dotted expression as a chain, and what stands before its dots when that is no name."""
    kind = node.type
    if kind == "identifier":
        return walk.chain(node), None
    if kind == "attribute" and (chain := walk.dotted(node)) is not None:
        return chain, None
    base, path = dotted(walk, node)
    if base.type == "identifier":
        return Chain(walk.name(base), path), None
    return chain_of(walk, base, scope, path), base


def plain_chain(walk: Walk, node: Node | None) -> Chain | None:
    """``node`` as names and dots only, else None."""
    if node is None or node.type not in ("identifier", "attribute"):
        return None
    if node.type == "identifier":
        return walk.chain(node)
    if (chain := walk.dotted(node)) is not None:
        return chain
    base, path = dotted(walk, node)
    return Chain(walk.name(base), path) if base.type == "identifier" else None


def chain_of(walk: Walk, node: Node, scope: Scope, path: tuple[str, ...] = (), depth: int = 0) -> Chain:
    """An expression and the attributes ``path`` read from it: names and dots on a name, or on a value."""
    steps: list[_Step] = []
    chain: Chain | None = None
    while chain is None:
        kind = node.type
        if kind == "attribute":
            if (known := walk.dotted(node)) is not None:
                chain = known._replace(path=known.path + path) if path else known
                break
            node, names = dotted(walk, node)
            path, kind = names + path, node.type
        if kind == "identifier":
            chain = Chain(walk.name(node), path) if path else walk.chain(node)
        elif node.id in walk.known:
            chain = _on(walk.known[node.id], path)
        elif kind == "call" and (read := reading(walk, node, scope)) is not None:
            name, node = read
            path = (name, *path)
        elif kind in _STEPS and (inner := _inside(node)) is not None:
            steps.append(_Step(node, _STEPS[kind][0], path))
            node, path = inner, ()
        else:
            chain = _base(walk, node, scope, path, depth)
    for step in reversed(steps):
        chain = _apply(walk, step, chain, scope, depth)
    return chain


_STEPS: dict[str, tuple[TypeSource, int]] = {
    "call": ("call", fields.FUNCTION),
    "subscript": ("element", fields.VALUE),
    "await": ("await", 0),
    "parenthesized_expression": ("value", 0),
}
"""Expressions that make something of the one inside: what, and the number of the field that holds it."""


def dotted(walk: Walk, node: Node) -> tuple[Node, tuple[str, ...]]:
    """What stands before the dots, and the names after them."""
    if node.type != "attribute":
        return node, ()
    names: list[str] = []
    while node.type == "attribute":
        attribute, target = node.child_by_field_id(fields.ATTRIBUTE), node.child_by_field_id(fields.OBJECT)
        if attribute is None or target is None:
            break
        names.append(walk.name(attribute))
        node = target
    return node, tuple(reversed(names))


def _inside(node: Node) -> Node | None:
    """What a link of a spine works on."""
    field = _STEPS[node.type][1]
    return node.child_by_field_id(field) if field else first_child(node)


def _on(number: int, path: tuple[str, ...]) -> Chain:
    """``path`` read from a value."""
    return Chain(VALUE, path, number) if number >= 0 else Chain(UNKNOWN, path)


def _apply(walk: Walk, step: _Step, chain: Chain, scope: Scope, depth: int) -> Chain:
    node, source, path = step
    if source == "value":
        return chain._replace(path=chain.path + path)
    if source == "call" and chain == Chain("super"):
        return Chain(SUPER, path)
    if source == "call":
        number = _called(walk, node, chain, scope, depth)
    elif source == "element":
        number = element(walk, walk.named(chain, scope), subscript_key(walk, node))
    else:
        number = made(walk, source, walk.named(chain, scope))
    walk.known[node.id] = number
    return _on(number, path)


def reading(walk: Walk, node: Node, scope: Scope) -> tuple[str, Node] | None:
    """``getattr(x, "name")`` and ``type(x)`` as the attribute that they read: its name, and ``x``."""
    function, arguments = node.child_by_field_id(fields.FUNCTION), node.child_by_field_id(fields.ARGUMENTS)
    if function is None or function.type != "identifier" or arguments is None:
        return None
    name = walk.name(function)
    if name not in ("getattr", "type") or scope.origin(name) != "builtin":
        return None
    given = [child for child in arguments.named_children if child.type != "comment"]
    if name == "type":
        return ("__class__", given[0]) if len(given) == 1 and given[0].type == "identifier" else None
    text = literal_text(walk, given[1]) if len(given) in (2, 3) else None
    return (text, given[0]) if text is not None and text.isidentifier() else None


def _called(walk: Walk, node: Node, chain: Chain, scope: Scope, depth: int) -> int:
    """What a call gives."""
    if chain.root == UNKNOWN:
        return NOTHING_KNOWN
    if chain.root == LITERAL:
        return walk.of("value", Chain(LITERAL), None)
    known = None if chain.root == VALUE else KNOWN_CALLS.get((chain.path or (chain.root,))[-1])
    if known is not None and depth + 1 < _MAX_NESTING:
        wanted = "import" if chain.path or known.imported else "builtin"
        arguments = node.child_by_field_id(fields.ARGUMENTS)
        if scope.origin(chain.root) == wanted and arguments is not None:
            given = [child for child in arguments.named_children if child.type != "comment"]
            return known.result(walk, given, scope, depth + 1)
    return walk.of("call", chain, scope)


def _base(walk: Walk, node: Node, scope: Scope, path: tuple[str, ...], depth: int) -> Chain:
    """The chain of what is no link of a spine."""
    kind = node.type
    if kind in _LITERALS or (path and kind in DISPLAYS):
        return Chain(LITERAL, path)
    make = MAKERS.get(kind)
    if make is None or depth >= _MAX_NESTING:
        return Chain(UNKNOWN, path)
    return _on(make(walk, node, scope, depth + 1), path)
