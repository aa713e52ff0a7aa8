"""Parameters of functions and lambdas: as written, bound in the body, with what is known of their values."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Role
from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.annotations import annotated
from repo_guardian.tools.views.facts.python.displays import container_of
from repo_guardian.tools.views.facts.python.scopes import BOUND, Binding, Chain, Scope, Value
from repo_guardian.tools.views.facts.python.targets import bind_target
from repo_guardian.tools.views.facts.python.walk import Arguments, Walk
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind

_POSITIONAL = (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)


class Place(NamedTuple):
    """Where parameters belong: ``body`` binds them, annotations and defaults are seen from ``header``."""

    function: int
    body: Scope
    header: Scope


def bind_self(body: Scope, parameters: tuple[Parameter, ...], role: Role, owner: int) -> None:
    """Make the first parameter the instance, or the class, of class ``owner``."""
    first = parameters[0] if parameters else None
    if first is not None and first.kind in _POSITIONAL:
        kind = Binding("cls" if role == "classmethod" else "self", owner)
        known = body.bindings.get(first.name, [])
        body.bindings[first.name] = [kind, *known[1:]]


def parameters_of(walk: Walk, node: Node | None, place: Place) -> tuple[tuple[Parameter, ...], Arguments]:
    """The parameters as written, and the values of their defaults as far as they are known."""
    found: list[Parameter] = []
    defaults: list[tuple[str, int]] = []
    kind = ParameterKind.POSITIONAL_OR_KEYWORD
    for child in node.named_children if node is not None else ():
        if child.type == "positional_separator":
            found = [Parameter(p.name, ParameterKind.POSITIONAL_ONLY, p.default, p.annotation) for p in found]
        elif child.type == "keyword_separator":
            kind = ParameterKind.KEYWORD_ONLY
        elif child.type != "comment":
            parameter = _parameter(walk, child, kind, place)
            if parameter is None:
                continue
            found.append(parameter)
            if parameter.kind is ParameterKind.VAR_POSITIONAL:
                kind = ParameterKind.KEYWORD_ONLY
            if parameter.default is not None:
                number = walk.value_of(child.child_by_field_id(fields.VALUE), place.header)
                if number >= 0 and not walk.is_literal(number):
                    defaults.append((parameter.name, number))
    return tuple(found), tuple(defaults)


def _parameter(walk: Walk, node: Node, kind: ParameterKind, place: Place) -> Parameter | None:
    if node.type == "identifier":
        text = walk.name(node)
        place.body.bind(text, Binding("variable", -1, _passed(walk, place.function, text)))
        return Parameter(text, kind)
    default = node.child_by_field_id(fields.VALUE)
    annotation = node.child_by_field_id(fields.TYPE)
    name = node.child_by_field_id(fields.NAME)
    if name is None and node.type == "typed_parameter" and node.named_children:
        name = node.named_children[0]
    name = name if name is not None else node
    known = annotated(walk, annotation, place.header)
    if name.type == "list_splat_pattern":
        kind = ParameterKind.VAR_POSITIONAL
    elif name.type == "dictionary_splat_pattern":
        kind = ParameterKind.VAR_KEYWORD
    elif name.type not in ("identifier", "tuple_pattern"):
        walk.push([node], place.header, 0)
        return None
    if name.type == "tuple_pattern":
        walk.python2(node)
    text = walk.text(name).lstrip("*").strip()
    if known < 0:
        known = _passed(walk, place.function, text)
    elif kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD):
        known = container_of(walk, known)
    bind_target(walk, name, place.body, known)
    walk.push([annotation, default], place.header, 0)
    return Parameter(
        text,
        kind,
        None if default is None else walk.text(default),
        None if annotation is None else walk.text(annotation),
    )


def _passed(walk: Walk, function: int, name: str) -> int:
    """What callers pass for a parameter."""
    return walk.value(Value("param", Chain(BOUND["definition"], (name,), function)))
