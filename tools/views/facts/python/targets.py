"""What an assignment binds: names, unpacked elements, attributes, and what is put into a container."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.displays import (
    SLICE,
    container_of,
    element,
    first_child,
    literal_key,
    spread,
    subscript_key,
)
from repo_guardian.tools.views.facts.python.scopes import (
    ABSENT,
    NOTHING_KNOWN,
    UNKNOWN,
    VALUE,
    Binding,
    Chain,
    Scope,
)
from repo_guardian.tools.views.facts.python.values import chain_and_base
from repo_guardian.tools.views.facts.python.walk import PendingAddition, PendingStore, Walk

_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"})
_MAX_SUBSCRIPTS = 8
ADDING = frozenset({"append", "appendleft", "add", "insert", "extend", "extendleft", "update", "setdefault"})
"""Methods that put their arguments into a list, set, deque or dictionary."""


def bind_target(walk: Walk, node: Node | None, scope: Scope, value: int = NOTHING_KNOWN) -> None:
    """Bind every name of an assignment target to its part of ``value``."""
    stack: list[tuple[Node | None, int]] = [(node, value)]
    while stack:
        target, number = stack.pop()
        if target is None:
            continue
        kind = target.type
        if kind == "identifier":
            bind_name(walk, walk.name(target), scope, number)
        elif kind == "attribute":
            store_attribute(walk, target, scope, number)
        elif kind == "subscript":
            store_element(walk, target, scope, number)
        elif kind == "call":
            walk.push([target], scope, 0)
        elif kind in _PATTERNS:
            stack.extend(reversed(_unpacked(walk, target, number)))
        else:
            children = target.named_children
            inner = number if len(children) == 1 else NOTHING_KNOWN
            stack.extend([(child, inner) for child in reversed(children)])


def _unpacked(walk: Walk, node: Node, number: int) -> list[tuple[Node | None, int]]:
    """The targets of a pattern with the element that each gets; positions end at a star."""
    found: list[tuple[Node | None, int]] = []
    certain = True
    for position, child in enumerate(child for child in node.named_children if child.type != "comment"):
        if "splat" in child.type:
            certain = False
            found.append((first_child(child), element(walk, number, SLICE)))
        else:
            found.append((child, element(walk, number, str(position) if certain else "")))
    return found


def bind_name(walk: Walk, name: str, scope: Scope, value: int) -> None:
    """Bind a name that is no definition."""
    scope.bind(name, Binding("none" if value == ABSENT else "variable", -1, value))
    if scope.home(name).kind == "module":
        walk.other_names.add(name)


def store_attribute(walk: Walk, target: Node, scope: Scope, value: int) -> None:
    """``holder.name = value``."""
    holder, name = target.child_by_field_id(fields.OBJECT), target.child_by_field_id(fields.ATTRIBUTE)
    if holder is None or name is None:
        return
    chain, _ = chain_and_base(walk, holder, scope)
    walk.stores.append(PendingStore(scope, chain, walk.name(name), value, False))
    walk.push([holder], scope, 0)


def store_element(walk: Walk, target: Node, scope: Scope, value: int) -> None:
    """``container[key] = value``; what stands in the target is walked as a use."""
    walk.push([target], scope, 0)
    node: Node | None = target
    for _ in range(_MAX_SUBSCRIPTS):
        if node is None or node.type != "subscript" or value < 0:
            break
        key = subscript_key(walk, node)
        value = NOTHING_KNOWN if key == SLICE else container_of(walk, value, key)
        node = node.child_by_field_id(fields.VALUE)
    if node is not None and value >= 0:
        add(walk, chain_and_base(walk, node, scope)[0], scope, value)


def add_arguments(walk: Walk, chain: Chain, arguments: Node, scope: Scope) -> None:
    """``container.append(value)`` and its like; ``chain`` ends with the method."""
    given = [child for child in arguments.named_children if child.type != "comment"]
    method, key = chain.path[-1], ""
    if method in ("extend", "extendleft", "update"):
        value = spread(walk, given, scope, 0, keyed=method == "update")
    else:
        index = 1 if method in ("insert", "setdefault") else 0
        value = walk.value_of(given[index], scope) if len(given) == index + 1 else NOTHING_KNOWN
        key = literal_key(walk, given[0]) if method == "setdefault" and given else ""
        value = container_of(walk, value, key)
    add(walk, chain._replace(path=chain.path[:-1]), scope, value)


def add(walk: Walk, chain: Chain, scope: Scope, value: int) -> None:
    """Note that what the display ``value`` holds is put into the container ``chain``."""
    if chain.root == UNKNOWN or value < 0 or not walk.values[value].items:
        return
    if chain.path:
        holder = chain._replace(path=chain.path[:-1])
        walk.stores.append(PendingStore(scope, holder, chain.path[-1], value, True))
    elif chain.root != VALUE:
        walk.additions.append(PendingAddition(scope, chain.root, value))
