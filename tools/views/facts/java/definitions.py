"""Declarations of Java: packages, imports, classes and their members."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import DefinitionKind, Import, Role
from repo_guardian.tools.views.facts.treesitter.records import Draft
from repo_guardian.tools.views.facts.treesitter.scopes import Chain, Hint
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature

_INTERFACES = ("interface_declaration", "annotation_type_declaration")


_PARAMETERS = ("formal_parameter", "spread_parameter")


def on_package(walk: Walk, node: Node) -> None:
    """``package a.b;``."""
    walk.package = walk.text(node.named_children[-1]).replace(" ", "") if node.named_child_count else ""
    _mark_all(walk, node)


def on_import(walk: Walk, node: Node) -> None:
    """``import a.b.C;``, ``import static a.b.C.m;``, ``import a.b.*;``."""
    _mark_all(walk, node)
    named = next((c for c in node.named_children if c.type in ("identifier", "scoped_identifier")), None)
    if named is None:
        return
    module, name = walk.text(named).replace(" ", ""), "*"
    if all(child.type != "asterisk" for child in node.named_children):
        module, _, name = module.rpartition(".")
    record = Import(-1, module, 0, name, "", walk.region(node))
    walk.add_import(record, "" if name == "*" else name, walk.module)


def _mark_all(walk: Walk, node: Node) -> None:
    stack = [node]
    while stack:
        part = stack.pop()
        walk.mark(part)
        stack.extend(part.named_children)


def _modifiers(walk: Walk, node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Modifier words and annotations of a declaration."""
    listed = next((c for c in node.children if c.type == "modifiers"), None)
    parts = [] if listed is None else listed.children
    words = tuple(walk.text(c) for c in parts if "annotation" not in c.type and "comment" not in c.type)
    return words, tuple(walk.text(c)[1:] for c in parts if "annotation" in c.type)


def on_class(walk: Walk, node: Node) -> None:
    """A class, an interface, an enumeration, a record or an annotation type."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    walk.mark(name)
    kind: DefinitionKind = "interface" if node.type in _INTERFACES else "class"
    draft = Draft(kind, walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
    draft.modifiers, draft.decorators = _modifiers(walk, node)
    if kind == "class" and node.type != "class_declaration":
        draft.modifiers = (*draft.modifiers, node.type.partition("_")[0])
    index = walk.define(draft, walk.scope)
    walk.open("class", node, owner=index, this=index)
    type_parameters(walk, node)
    bases = _bases(node)
    draft.bases = tuple(walk.text(base) for base in bases)
    draft.base_chains = tuple(walk.chain(base) for base in bases)
    for base, chain in zip(bases, draft.base_chains, strict=True):
        walk.use("inherit", chain, base)
    if node.type == "record_declaration":
        _record(walk, node, index, draft)


def _bases(node: Node) -> list[Node]:
    """What follows ``extends`` and ``implements``."""
    found: list[Node] = []
    for part in node.named_children:
        if part.type == "superclass":
            found.extend(part.named_children)
        elif part.type in ("super_interfaces", "extends_interfaces"):
            for listed in part.named_children:
                found.extend(listed.named_children)
    return [part for part in found if "comment" not in part.type and "annotation" not in part.type]


def _record(walk: Walk, node: Node, index: int, draft: Draft) -> None:
    """A record's components are its fields and the parameters of its constructor."""
    draft.signature = signature_of(walk, node, bind=False)
    listed = node.child_by_field_name("parameters")
    for part in [] if listed is None else listed.named_children:
        name, declared = part.child_by_field_name("name"), part.child_by_field_name("type")
        if name is not None and declared is not None:
            member = Draft("variable", index, walk.name(name), part.start_byte, part.end_byte)
            member.annotation, member.hint = walk.text(declared), walk.annotation(declared)
            walk.define(member, walk.scope)


def type_parameters(walk: Walk, node: Node) -> None:
    """``<T extends A>``: ``T`` is no type of the package."""
    listed = next((c for c in node.named_children if c.type == "type_parameters"), None)
    for part in [] if listed is None else listed.named_children:
        name = next((c for c in part.named_children if c.type in ("type_identifier", "identifier")), None)
        bound = next((c for c in part.named_children if c.type == "type_bound"), None)
        if name is not None:
            walk.bind_type(name, None if bound is None else first_child(bound))


def signature_of(walk: Walk, node: Node, *, bind: bool = True) -> Signature:
    """The signature of a method; its parameters are bound in the scope at hand."""
    listed = node.child_by_field_name("parameters")
    parameters: list[Parameter] = []
    for part in [] if listed is None else listed.named_children:
        if part.type not in _PARAMETERS:
            continue
        rest = part.type == "spread_parameter"
        declared = part.child_by_field_name("type")
        name = part.child_by_field_name("name")
        if rest:
            kept = [c for c in part.named_children if c.type not in ("modifiers", "variable_declarator")]
            declared = kept[0] if kept else None
            inner = next((c for c in part.named_children if c.type == "variable_declarator"), None)
            name = None if inner is None else inner.child_by_field_name("name")
        if name is None:
            continue
        walk.mark(name)
        if bind:
            walk.bind(walk.name(name), None if rest else walk.annotation(declared))
        kind = ParameterKind.VAR_POSITIONAL if rest else ParameterKind.POSITIONAL_OR_KEYWORD
        text = None if declared is None else walk.text(declared)
        parameters.append(Parameter(walk.name(name), kind, None, text))
    return Signature(tuple(parameters), walk.field_text(node, "type"))


def on_method(walk: Walk, node: Node) -> None:
    """A method, a constructor, or an element of an annotation type."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    walk.mark(name)
    if walk.scope.kind != "class":
        _anonymous_method(walk, node)
        return
    constructor = node.type.endswith("constructor_declaration")
    text = "<init>" if constructor else walk.name(name)
    draft = Draft("function", walk.scope.owner, text, node.start_byte, node.end_byte)
    draft.modifiers, draft.decorators = _modifiers(walk, node)
    role: Role = "staticmethod" if "static" in draft.modifiers else ""
    draft.role = role
    compact = node.type == "compact_constructor_declaration"
    owner_signature = walk.drafts[walk.scope.owner].signature
    index = walk.define(draft, walk.scope)
    walk.open("function", node, owner=index)
    type_parameters(walk, node)
    draft.signature = owner_signature if compact else signature_of(walk, node)
    draft.returns = walk.annotation(node.child_by_field_name("type"))


def _anonymous_method(walk: Walk, node: Node) -> None:
    """A method of an anonymous class is part of the code around it."""
    walk.open("function", node, this=-1)
    type_parameters(walk, node)
    signature_of(walk, node)


def on_anonymous(walk: Walk, node: Node) -> None:
    """The body of a class; that of an anonymous one has members that hide the names around."""
    if walk.scope.kind == "class" and walk.scope.end == node.end_byte:
        return
    scope = walk.open("block", node, this=-1)
    for part in node.named_children:
        name = part.child_by_field_name("name")
        if part.type == "method_declaration" and name is not None:
            walk.bind(walk.name(name), scope=scope)


def on_field(walk: Walk, node: Node) -> None:
    """Fields of a class, constants of an interface."""
    declared = node.child_by_field_name("type")
    words, annotations = _modifiers(walk, node)
    for part in node.children_by_field_name("declarator"):
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if name is None:
            continue
        walk.mark(name)
        hint = walk.annotation(declared)
        if walk.scope.kind != "class":
            walk.bind(walk.name(name), hint)
            continue
        draft = Draft("variable", walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
        draft.annotation, draft.hint = None if declared is None else walk.text(declared), hint
        draft.value, draft.modifiers = None if value is None else walk.text(value), words
        draft.decorators = annotations
        walk.define(draft, walk.scope)


def on_constant(walk: Walk, node: Node) -> None:
    """A constant of an enumeration."""
    name = node.child_by_field_name("name")
    if name is None or walk.scope.kind != "class":
        return
    walk.mark(name)
    owner = walk.scope.owner
    draft = Draft("variable", owner, walk.name(name), node.start_byte, node.end_byte)
    own = Chain(walk.drafts[owner].name, (), walk.scope)
    draft.hint = Hint("annotation", own)
    walk.define(draft, walk.scope)
    walk.use("call", own, node, call_shape(node.child_by_field_name("arguments")))


def call_shape(node: Node | None) -> CallShape:
    """How many arguments an argument list passes."""
    parts = [] if node is None else [c for c in node.named_children if "comment" not in c.type]
    return CallShape(len(parts))
