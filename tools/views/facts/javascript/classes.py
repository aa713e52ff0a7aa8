"""Classes, interfaces, enumerations and namespaces of JavaScript and TypeScript."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Role
from repo_guardian.tools.views.facts.javascript.definitions import (
    FUNCTIONS,
    container_of,
    enter_function,
    named_draft,
    plan,
)
from repo_guardian.tools.views.facts.javascript.parameters import signature_of
from repo_guardian.tools.views.facts.treesitter.records import Draft, Handler
from repo_guardian.tools.views.facts.treesitter.walk import Walk

_MEMBER_WORDS = frozenset({"static", "readonly", "async", "get", "set", "abstract", "declare", "override"})


def on_method(walk: Walk, node: Node) -> None:
    """A method of a class, of an interface or of an object literal."""
    name = node.child_by_field_name("name")
    if name is None or name.type == "computed_property_name":
        walk.open("function", node)
        signature_of(walk, node)
        return
    planned = walk.plans.pop(node.id, None)
    if planned is None and walk.scope.kind != "class":
        walk.open("function", node, this=-1)
        signature_of(walk, node)
        return
    draft = Draft("function", walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
    if planned is not None:
        draft = planned[0]
    words = tuple(dict.fromkeys(walk.text(c) for c in node.children if _is_modifier(c)))
    draft.modifiers += words
    draft.role = _role(node, words)
    index = walk.define(draft, walk.scope if planned is None or planned[1] else None)
    enter_function(walk, node, draft, index, this=container_of(walk, draft.parent))


def _is_modifier(node: Node) -> bool:
    return node.type in _MEMBER_WORDS or node.type in ("accessibility_modifier", "override_modifier")


def _role(node: Node, words: tuple[str, ...]) -> Role:
    if "get" in words:
        return "property"
    if "set" in words:
        return "setter"
    return "staticmethod" if "static" in words else ""


def on_field(walk: Walk, node: Node) -> None:
    """A field of a class, a property of an interface."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    if name is None or walk.scope.kind != "class" or "computed" in name.type:
        return
    value, annotation = node.child_by_field_name("value"), node.child_by_field_name("type")
    words = tuple(dict.fromkeys(walk.text(c) for c in node.children if _is_modifier(c)))
    owner = walk.scope.owner
    if value is not None and value.type in FUNCTIONS:
        plan(walk, value, walk.name(name), node, parent=owner, modifiers=words)
        return
    walk.define(
        Draft(
            "variable",
            owner,
            walk.name(name),
            node.start_byte,
            node.end_byte,
            value=None if value is None else walk.text(value),
            annotation=None if annotation is None else walk.text(annotation).lstrip(": "),
            hint=walk.annotation(annotation) or walk.value(value),
            modifiers=words,
        ),
        walk.scope,
    )


def on_class(walk: Walk, node: Node) -> None:
    """A class declaration, a class expression, or an interface."""
    planned = walk.plans.pop(node.id, None)
    walk.mark(node.child_by_field_name("name"))
    if planned is not None:
        draft: Draft | None = planned[0]
    else:
        draft = named_draft(walk, node, "interface" if node.type == "interface_declaration" else "class")
    if draft is None:
        walk.open("function", node, this=-1)
        return
    draft.decorators = tuple(walk.text(c)[1:] for c in node.children if c.type == "decorator")
    index = walk.define(draft, walk.scope if planned is None or planned[1] else None)
    walk.open("class", node, owner=index, this=index)
    bases = _bases(node)
    draft.bases = tuple(walk.text(base) for base in bases)
    draft.base_chains = tuple(walk.chain(base) for base in bases)
    for base, chain in zip(bases, draft.base_chains, strict=True):
        walk.use("inherit", chain, base)


def _bases(node: Node) -> list[Node]:
    """The expressions and types after ``extends`` and ``implements``."""
    found: list[Node] = []
    clauses = [c for c in node.named_children if c.type in ("class_heritage", "extends_type_clause")]
    for clause in clauses:
        if clause.type == "extends_type_clause":
            found.extend(clause.named_children)
            continue
        for part in clause.named_children:
            if part.type == "extends_clause":
                found.extend(c for c in part.named_children if c.type != "type_arguments")
            elif part.type == "implements_clause":
                found.extend(part.named_children)
            else:
                found.append(part)
    return found


def on_type(walk: Walk, node: Node) -> None:
    """A type alias."""
    draft = named_draft(walk, node, "type")
    if draft is not None:
        value = node.child_by_field_name("value")
        draft.value = None if value is None else walk.text(value)
        draft.hint = walk.annotation(value)
        index = walk.define(draft, walk.scope)
        walk.open("block", node, owner=index)


def on_enum(walk: Walk, node: Node) -> None:
    """An enumeration and its members."""
    draft = named_draft(walk, node, "class")
    body = node.child_by_field_name("body")
    if draft is None:
        return
    index = walk.define(draft, walk.scope)
    walk.open("class", node, owner=index, this=index)
    for part in [] if body is None else body.named_children:
        name = part.child_by_field_name("name") if part.type == "enum_assignment" else part
        if name is not None and name.type == "property_identifier":
            member = Draft("variable", index, walk.name(name), part.start_byte, part.end_byte)
            member.value = walk.field_text(part, "value")
            walk.define(member, walk.scope)


def on_namespace(walk: Walk, node: Node) -> None:
    """``namespace N { }`` and ``declare module "m" { }``."""
    name = node.child_by_field_name("name")
    if name is None or name.type == "string":
        walk.open("block", node)
        return
    draft = named_draft(walk, node, "module")
    if draft is not None:
        draft.name = draft.name.replace(" ", "")
        walk.mark(*[c for c in name.named_children])
        index = walk.define(draft, walk.scope)
        walk.open("block", node, owner=index)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(["method_definition", "method_signature", "abstract_method_signature"], on_method),
    **dict.fromkeys(["field_definition", "public_field_definition", "property_signature"], on_field),
    **dict.fromkeys(
        ["class_declaration", "abstract_class_declaration", "class", "interface_declaration"], on_class
    ),
    "type_alias_declaration": on_type,
    "enum_declaration": on_enum,
    "internal_module": on_namespace,
    "module": on_namespace,
}
