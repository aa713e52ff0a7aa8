"""Parameters and destructuring patterns: signatures, and the names that they bind."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.treesitter.scopes import Hint, Scope
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

_PATTERNS = ("object_pattern", "array_pattern")
_ONE = ParameterKind.POSITIONAL_OR_KEYWORD
_REST = ParameterKind.VAR_POSITIONAL


def bind_pattern(walk: Walk, node: Node | None, hint: Hint | None, scope: Scope | None = None) -> list[Node]:
    """Bind the names of a pattern and return them; ``hint`` is the value's when the pattern is one name."""
    stack, found = [node] if node is not None else [], list[Node]()
    while stack:
        part = stack.pop()
        if part.type in ("identifier", "shorthand_property_identifier_pattern"):
            walk.mark(part)
            walk.bind(walk.name(part), hint if part is node else None, scope)
            found.append(part)
        elif part.type in ("assignment_pattern", "object_assignment_pattern"):
            stack.extend(filter(None, [part.child_by_field_name("left")]))
        elif part.type == "pair_pattern":
            stack.extend(filter(None, [part.child_by_field_name("value")]))
        elif part.type in (*_PATTERNS, "rest_pattern"):
            stack.extend(part.named_children)
    return found


def signature_of(walk: Walk, node: Node, *, in_class: int = -1) -> Signature:
    """The signature of a function node; its parameters are bound in the scope at hand.

    ``in_class`` is the class whose constructor this is: ``private a: A`` makes an attribute of it.
    """
    single = node.child_by_field_name("parameter")
    if single is not None:
        bind_pattern(walk, single, None)
        return Signature((Parameter(walk.name(single), _ONE),), None, _is_async(node))
    listed = node.child_by_field_name("parameters")
    parameters: list[Parameter] = []
    for part in [] if listed is None else listed.named_children:
        parameter = _parameter(walk, part, len(parameters), in_class)
        if parameter is not None:
            parameters.append(parameter)
    returns = node.child_by_field_name("return_type")
    text = None if returns is None else walk.text(returns).lstrip(": ")
    is_generator = any(child.type == "*" for child in node.children[:4]) or "generator" in node.type
    return Signature(tuple(parameters), text, _is_async(node), is_generator)


def _is_async(node: Node) -> bool:
    return any(child.type == "async" for child in node.children[:5])


def _parameter(walk: Walk, part: Node, number: int, in_class: int) -> Parameter | None:
    pattern, annotation, default = part, None, part.child_by_field_name("right")
    if part.type == "assignment_pattern":
        pattern = part.child_by_field_name("left") or part
    elif part.type in ("required_parameter", "optional_parameter"):
        pattern = part.child_by_field_name("pattern") or part
        annotation = part.child_by_field_name("type")
        default = part.child_by_field_name("value")
    elif part.type not in ("identifier", "rest_pattern", *_PATTERNS):
        return None
    hint = walk.annotation(annotation)
    bind_pattern(walk, pattern, hint)
    kind = _REST if pattern.type == "rest_pattern" else _ONE
    name = _name(walk, pattern, number)
    if name == "this":
        return None
    if in_class >= 0 and any(c.type in ("accessibility_modifier", "readonly") for c in part.children):
        walk.attributes.append((in_class, name, hint))
    text = None if default is None else walk.text(default)
    if part.type == "optional_parameter" and text is None:
        text = "undefined"
    return Parameter(name, kind, text, None if annotation is None else walk.text(annotation).lstrip(": "))


def _name(walk: Walk, pattern: Node, number: int) -> str:
    """A parameter's name; a destructured one has none and is called by its place."""
    if pattern.type == "rest_pattern":
        pattern = first_child(pattern) or pattern
    return f"_{number}" if pattern.type in _PATTERNS else walk.name(pattern)
