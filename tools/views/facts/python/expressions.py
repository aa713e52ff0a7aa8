"""Expressions: dotted chains, calls and their shapes, comprehensions, and what an annotation names."""

from __future__ import annotations

import re

from tree_sitter import Node

from repo_guardian.tools.views.facts.python.scopes import (
    CALLED,
    LITERAL,
    SUPER,
    UNKNOWN,
    Binding,
    Chain,
    Scope,
    TypeHint,
)
from repo_guardian.tools.views.facts.python.walk import IN_BASES, Handler, Walk
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_LITERALS = frozenset({
    "string", "concatenated_string", "integer", "float", "list", "dictionary", "set", "tuple", "true",
    "false", "none", "list_comprehension", "set_comprehension", "dictionary_comprehension",
    "generator_expression",
})  # fmt: skip
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_EMPTY = CallShape()


def chain_of(walk: Walk, node: Node, scope: Scope) -> tuple[Chain, Node | None]:
    """The dotted chain that ``node`` is, and the part of it that is no chain and is still to be walked."""
    names: list[str] = []
    while node.type == "attribute":
        attribute = node.child_by_field_name("attribute")
        target = node.child_by_field_name("object")
        if attribute is None or target is None:
            return Chain(UNKNOWN), None
        names.append(walk.name(attribute))
        node = target
    path = tuple(reversed(names))
    if node.type == "identifier":
        return Chain(walk.name(node), path), None
    if node.type in _LITERALS:
        return Chain(LITERAL, path), node
    if node.type == "call":
        return _chain_on_call(walk, node, path, scope), node
    return Chain(UNKNOWN, path), node


def _chain_on_call(walk: Walk, node: Node, path: tuple[str, ...], scope: Scope) -> Chain:
    """A chain that begins with a call: ``super()``, or a value of the called thing's type."""
    called = plain_chain(walk, node.child_by_field_name("function"))
    if called is None:
        return Chain(UNKNOWN, path)
    if called == Chain("super"):
        return Chain(SUPER, path)
    return Chain(CALLED, path, TypeHint("call", called, scope))


def plain_chain(walk: Walk, node: Node | None) -> Chain | None:
    """``node`` as names and dots only, else None."""
    if node is None or node.type not in ("identifier", "attribute"):
        return None
    names: list[str] = []
    while node.type == "attribute":
        attribute = node.child_by_field_name("attribute")
        target = node.child_by_field_name("object")
        if attribute is None or target is None:
            return None
        names.append(walk.name(attribute))
        node = target
    if node.type != "identifier":
        return None
    return Chain(walk.name(node), tuple(reversed(names)))


def value_hint(walk: Walk, node: Node | None, scope: Scope) -> TypeHint | None:
    """What the right-hand side of an assignment says about the value's type."""
    if node is None:
        return None
    if node.type == "call":
        called = plain_chain(walk, node.child_by_field_name("function"))
        return None if called is None or called.root == "super" else TypeHint("call", called, scope)
    chain = plain_chain(walk, node)
    return None if chain is None else TypeHint("value", chain, scope)


def annotation_hint(walk: Walk, node: Node | None, scope: Scope) -> TypeHint | None:
    """The class that an annotation names: ``C``, ``"C"``, ``Optional[C]``, ``C | None``; else None."""
    for _ in range(8):
        if node is None:
            return None
        chain = plain_chain(walk, node)
        if chain is not None:
            return TypeHint("annotation", chain, scope)
        if node.type == "string":
            text = walk.text(node).strip("'\"")
            root, *path = text.split(".")
            found = _DOTTED.match(text)
            return TypeHint("annotation", Chain(root, tuple(path)), scope) if found else None
        node = _inner_annotation(walk, node)
    return None


def _inner_annotation(walk: Walk, node: Node) -> Node | None:
    children = [child for child in node.named_children if child.type != "comment"]
    if node.type == "type" and len(children) == 1:
        return children[0]
    if node.type in ("generic_type", "subscript") and len(children) == 2:
        inner = children[1].named_children if children[1].type == "type_parameter" else [children[1]]
        optional = walk.text(children[0]).rpartition(".")[2] == "Optional"
        return inner[0] if optional and len(inner) == 1 else None
    if node.type in ("binary_operator", "union_type"):
        kept = [child for child in children if walk.text(child) != "None"]
        return kept[0] if len(kept) == 1 else None
    return None


def call_shape(walk: Walk, arguments: Node | None) -> CallShape:
    """How a call's argument list passes its arguments."""
    if arguments is None:
        return _EMPTY
    if arguments.type == "generator_expression":
        return CallShape(1)
    positional, keywords, star, double_star = 0, [], False, False
    for child in arguments.named_children:
        kind = child.type
        if kind == "keyword_argument":
            name = child.child_by_field_name("name")
            keywords.append(walk.name(name) if name is not None else "")
        elif kind == "list_splat":
            star = True
        elif kind == "dictionary_splat":
            double_star = True
        elif kind != "comment":
            positional += 1
    return CallShape(positional, tuple(keywords), star, double_star)


def on_call(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A call: one use with its shape, then its arguments."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    rest: Node | None = None
    if function is not None:
        chain, rest = chain_of(walk, function, scope)
        if chain.path or chain.root not in (UNKNOWN, LITERAL, CALLED, SUPER, "super"):
            walk.use("call", scope, chain, node, call_shape(walk, arguments))
    walk.push([rest, arguments], scope, flags & ~IN_BASES)


def on_name(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A name or a dotted chain that is read, or the base of a class."""
    chain, rest = chain_of(walk, node, scope)
    walk.use("inherit" if flags & IN_BASES else "reference", scope, chain, node)
    if rest is not None:
        walk.push([rest], scope, flags & ~IN_BASES)


def on_subscript(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``C[T]``: as a base, only ``C`` is inherited from."""
    walk.push(node.named_children[1:], scope, flags & ~IN_BASES)
    walk.push(node.named_children[:1], scope, flags)


def on_keyword_argument(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``name=value``: the name is no use of anything here."""
    walk.push([node.child_by_field_name("value")], scope, flags & ~IN_BASES)


def on_comprehension(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A comprehension has a scope of its own; its first iterable is evaluated outside (PEP 709 or not)."""
    block = Scope("block", scope, scope.owner)
    first = True
    for child in reversed(node.named_children):
        if child.type != "for_in_clause":
            walk.push([child], block, flags)
    for child in node.named_children:
        if child.type == "for_in_clause":
            bind_target(walk, child.child_by_field_name("left"), block)
            right = child.children_by_field_name("right")
            walk.push(right, scope if first else block, flags)
            first = False


def on_lambda(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A lambda: its defaults belong outside, its parameters to its own block."""
    block = Scope("lambda", scope, scope.owner)
    parameters = node.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters is not None else ():
        walk.push([parameter.child_by_field_name("value")], scope, flags)
        bind_target(walk, parameter.child_by_field_name("name") or parameter, block)
    walk.push([node.child_by_field_name("body")], block, flags)


def on_named_expression(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``name := value``."""
    value = node.child_by_field_name("value")
    home = scope.statement_scope()
    bind_target(walk, node.child_by_field_name("name"), home, value_hint(walk, value, scope))
    walk.push([value], scope, flags)


def on_yield(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A ``yield`` makes its function a generator."""
    scope.statement_scope().yields = True
    walk.push(node.named_children, scope, flags)


def bind_target(
    walk: Walk, node: Node | None, scope: Scope, hint: TypeHint | None = None, outer: Scope | None = None
) -> None:
    """Bind every name of an assignment target; what is no name (``a.b``, ``a[0]``) is walked as a use."""
    stack = [node]
    while stack:
        target = stack.pop()
        if target is None:
            continue
        if target.type == "identifier":
            name = walk.name(target)
            scope.bind(name, Binding("variable", -1, hint))
            if scope.home(name).kind == "module":
                walk.other_names.add(name)
        elif target.type in ("attribute", "subscript", "call"):
            walk.push([target], outer or scope, 0)
        else:
            hint = None
            stack.extend(reversed(target.named_children))


HANDLERS: dict[str, Handler] = {
    "call": on_call,
    "identifier": on_name,
    "attribute": on_name,
    "subscript": on_subscript,
    "generic_type": on_subscript,
    "keyword_argument": on_keyword_argument,
    "list_comprehension": on_comprehension,
    "set_comprehension": on_comprehension,
    "dictionary_comprehension": on_comprehension,
    "generator_expression": on_comprehension,
    "lambda": on_lambda,
    "named_expression": on_named_expression,
    "yield": on_yield,
}
