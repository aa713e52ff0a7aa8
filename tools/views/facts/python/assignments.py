"""Assignments: plain, annotated, augmented and unpacked ones, and ``type`` statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import DefinitionKind
from repo_guardian.tools.views.facts.python import exports, fields
from repo_guardian.tools.views.facts.python.annotations import annotated
from repo_guardian.tools.views.facts.python.displays import SLICE, element, spread
from repo_guardian.tools.views.facts.python.scopes import ABSENT, NOTHING_KNOWN, Scope
from repo_guardian.tools.views.facts.python.source import TEXT_CHARS
from repo_guardian.tools.views.facts.python.targets import add, bind_name, bind_target, store_attribute
from repo_guardian.tools.views.facts.python.values import plain_chain
from repo_guardian.tools.views.facts.python.walk import CONDITIONAL, IN_TRY, Draft, Handler, Walk

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


def _define_variable(
    walk: Walk, part: _Assignment, name: str, known: int, kind: DefinitionKind = "variable"
) -> None:
    annotation, value = part.annotation, part.expression
    draft = Draft(
        kind,
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


def on_type_alias(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``type X[T] = value`` (PEP 695); the grammar takes ``type(x).name = value`` for one, too."""
    left, right = node.child_by_field_id(fields.LEFT), node.child_by_field_id(fields.RIGHT)
    if not _names_type(left):
        walk.push([left, right], scope, flags)
        return
    name, block = left, Scope("block", scope, scope.owner)
    while name is not None and name.type != "identifier":
        for parameter in name.named_children[1:]:
            bind_target(walk, parameter, block)
        name = name.named_children[0] if name.named_children else None
    if name is not None and scope.kind in ("module", "class"):
        part = _Assignment(node, name, None, right, NOTHING_KNOWN, scope, flags)
        _define_variable(walk, part, walk.name(name), NOTHING_KNOWN, kind="type")
    else:
        bind_target(walk, name, scope)
    walk.push([right], block, flags)


def _names_type(left: Node | None) -> bool:
    """Whether the left side is a name, with or without parameters: nothing else may stand there."""
    inner = left.named_children[:1] if left is not None else []
    if inner and inner[0].type == "generic_type":
        inner = inner[0].named_children[:1]
    return bool(inner) and inner[0].type == "identifier"


HANDLERS: dict[str, Handler] = {
    "assignment": on_assignment,
    "augmented_assignment": on_augmented,
    "type_alias_statement": on_type_alias,
}
