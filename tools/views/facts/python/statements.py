"""Statements that bind names or steer the walk: assignments, imports, loops, ``with``, ``match``, ``try``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import
from repo_guardian.tools.views.facts.python import exports
from repo_guardian.tools.views.facts.python.expressions import (
    annotation_hint,
    bind_target,
    chain_of,
    plain_chain,
    value_hint,
)
from repo_guardian.tools.views.facts.python.scopes import Binding, Chain, Scope, TypeHint
from repo_guardian.tools.views.facts.python.source import TEXT_CHARS
from repo_guardian.tools.views.facts.python.walk import (
    IN_TRY,
    TYPE_CHECKING,
    Draft,
    Handler,
    PendingAttribute,
    Walk,
)

_SEQUENCES = ("expression_list", "tuple", "pattern_list", "tuple_pattern", "list", "list_pattern")


class _Assignment(NamedTuple):
    """One target of an assignment ``statement``, with the value that it gets when that is known."""

    statement: Node
    target: Node
    annotation: Node | None
    value: Node | None
    scope: Scope


def on_assignment(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``a = b = value``, with or without an annotation."""
    targets: list[tuple[Node, Node | None]] = []
    value: Node | None = node
    while value is not None and value.type == "assignment":
        left = value.child_by_field_name("left")
        if left is not None:
            targets.append((left, value.child_by_field_name("type")))
        value = value.child_by_field_name("right")
    for left, annotation in targets:
        for target, part in _pairs(left, value):
            _assign(walk, _Assignment(node, target, annotation, part, scope))
        walk.push([annotation], scope, flags)
        if scope.kind == "module":
            exports.assigned(walk, left, value, scope)
    walk.push([value], scope, flags)


def _pairs(left: Node, value: Node | None) -> Iterator[tuple[Node, Node | None]]:
    """Targets with their values; ``a, b = x, y`` is two pairs."""
    if left.type not in _SEQUENCES:
        yield left, value
        return
    targets = left.named_children
    values: list[Node] = []
    if value is not None and value.type in _SEQUENCES:
        values = [child for child in value.named_children if child.type != "comment"]
    paired = len(values) == len(targets) and not any("splat" in c.type for c in (*targets, *values))
    for index, target in enumerate(targets):
        yield target, values[index] if paired else None


def _assign(walk: Walk, part: _Assignment) -> None:
    target, value, scope = part.target, part.value, part.scope
    hint = annotation_hint(walk, part.annotation, scope) or value_hint(walk, value, scope)
    if target.type == "identifier":
        name = walk.name(target)
        if scope.kind in ("module", "class") and scope.home(name) is scope:
            _define_variable(walk, part, name, hint)
        elif value is not None and value.type == "none":
            scope.bind(name, Binding("none"))
        else:
            bind_target(walk, target, scope, hint)
    elif target.type == "attribute":
        _assign_attribute(walk, part, hint)
    else:
        bind_target(walk, target, scope)


def _define_variable(walk: Walk, part: _Assignment, name: str, hint: TypeHint | None) -> None:
    annotation, value = part.annotation, part.value
    draft = Draft(
        "variable",
        part.scope.owner,
        name,
        walk.region(part.statement),
        value=None if value is None else walk.text(value)[:TEXT_CHARS],
        hint=hint,
        annotation=None if annotation is None else walk.text(annotation),
    )
    walk.define(draft, part.scope)


def _assign_attribute(walk: Walk, part: _Assignment, hint: TypeHint | None) -> None:
    holder = part.target.child_by_field_name("object")
    name = part.target.child_by_field_name("attribute")
    if holder is None or name is None:
        return
    chain, rest = chain_of(walk, holder, part.scope)
    if rest is None and not chain.path:
        counts = part.value is None or part.value.type != "none"
        walk.attributes.append(PendingAttribute(part.scope, chain, walk.name(name), hint, counts))
    walk.push([holder], part.scope, 0)


def on_augmented(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``a += value`` binds ``a``, and defines nothing new."""
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    if left is not None and left.type == "identifier":
        if scope.kind == "module":
            exports.augmented(walk, left, right, scope)
        elif scope.kind != "class":
            bind_target(walk, left, scope)
    walk.push([left, right], scope, flags)


def on_expression_statement(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``__all__.extend(...)`` is an edit of the exports; everything else is just an expression."""
    if scope.kind == "module" and node.named_children and node.named_children[0].type == "call":
        exports.called(walk, node.named_children[0], scope)
    walk.push(node.named_children, scope, flags)


def on_type_alias(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``type X[T] = value`` (PEP 695)."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    name, block = left, Scope("block", scope, scope.owner)
    while name is not None and name.type != "identifier":
        for parameter in name.named_children[1:]:
            bind_target(walk, parameter, block)
        name = name.named_children[0] if name.named_children else None
    if name is not None and scope.kind in ("module", "class"):
        _define_variable(walk, _Assignment(node, name, None, right, scope), walk.name(name), None)
    else:
        bind_target(walk, name, scope)
    walk.push([right], block, flags)


def on_for(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A loop binds its target."""
    left = node.child_by_field_name("left")
    bind_target(walk, left, scope)
    walk.push([child for child in node.named_children if child != left], scope, flags)


def on_as_pattern(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``value as target`` in ``with``, ``except`` and ``case``."""
    for target in node.named_children[1:]:
        bind_target(walk, target, scope)
    walk.push(node.named_children[:1], scope, flags)


def on_if(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """Marks what stands under ``if TYPE_CHECKING``."""
    condition = node.child_by_field_name("condition")
    chain = plain_chain(walk, condition)
    body_flags = flags
    if chain is not None and (chain.path or (chain.root,))[-1] == "TYPE_CHECKING":
        body_flags |= TYPE_CHECKING
    body = node.child_by_field_name("consequence")
    others = [child for child in node.named_children if child not in (condition, body)]
    walk.push(others, scope, flags)
    walk.push([body], scope, body_flags)
    walk.push([condition], scope, flags)


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
    scope.globals.update(walk.name(child) for child in node.named_children)


def on_nonlocal(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``nonlocal a, b``."""
    scope.nonlocals.update(walk.name(child) for child in node.named_children)


def on_import(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``import a.b, c as d``."""
    for child in node.children_by_field_name("name"):
        module, alias = _imported(walk, child)
        _add_import(walk, _import(walk, node, flags)._replace(module=module, alias=alias), scope)


def on_import_from(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``from ..a import b as c``, ``from a import *``, ``from __future__ import d``."""
    source = node.child_by_field_name("module_name")
    text = "__future__" if source is None else "".join(walk.name(source).split())
    module = text.lstrip(".")
    record = _import(walk, node, flags)._replace(module=module, level=len(text) - len(module))
    for child in node.children_by_field_name("name"):
        name, alias = _imported(walk, child)
        _add_import(walk, record._replace(name=name, alias=alias), scope)
    if any(child.type == "wildcard_import" for child in node.named_children):
        _add_import(walk, record._replace(name="*"), scope)


def _imported(walk: Walk, node: Node) -> tuple[str, str]:
    name, alias = node, ""
    if node.type == "aliased_import":
        name = node.child_by_field_name("name") or node
        alias_node = node.child_by_field_name("alias")
        alias = walk.name(alias_node) if alias_node is not None else ""
    return "".join(walk.name(name).split()), alias


def _import(walk: Walk, node: Node, flags: int) -> Import:
    """The record of an import statement, its names still empty."""
    marks = bool(flags & TYPE_CHECKING), bool(flags & IN_TRY)
    return Import(MODULE_SCOPE, "", 0, "", "", walk.region(node), *marks)


def _add_import(walk: Walk, record: Import, scope: Scope) -> None:
    if scope.home(record.bound).kind != "module":
        record = record._replace(scope=scope.owner)
    if record.bound:
        scope.bind(record.bound, Binding("import", len(walk.imports)))
    walk.imports.append(record)


def on_python2(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``print x`` and ``exec x``."""
    walk.python2(node)
    walk.push(node.named_children, scope, flags)


def on_raise(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``raise E, value`` is Python 2."""
    if any(child.type == "expression_list" for child in node.named_children):
        walk.python2(node)
    walk.push(node.named_children, scope, flags)


def on_string(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """Only an f-string's replacement fields hold code; Python 2's back quotes parse as a string."""
    children = node.named_children
    if children and walk.source.data[children[0].start_byte : children[0].end_byte] == b"`":
        walk.python2(node)
    walk.push([child for child in children if child.type == "interpolation"], scope, flags)


HANDLERS: dict[str, Handler] = {
    "assignment": on_assignment,
    "augmented_assignment": on_augmented,
    "expression_statement": on_expression_statement,
    "type_alias_statement": on_type_alias,
    "for_statement": on_for,
    "as_pattern": on_as_pattern,
    "if_statement": on_if,
    "try_statement": on_try,
    "dotted_name": on_dotted_name,
    "class_pattern": on_class_pattern,
    "keyword_pattern": on_keyword_pattern,
    "splat_pattern": on_splat_pattern,
    "global_statement": on_global,
    "nonlocal_statement": on_nonlocal,
    "import_statement": on_import,
    "import_from_statement": on_import_from,
    "future_import_statement": on_import_from,
    "print_statement": on_python2,
    "exec_statement": on_python2,
    "raise_statement": on_raise,
    "string": on_string,
}
