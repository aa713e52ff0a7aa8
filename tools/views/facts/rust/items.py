"""Items of Rust: functions, types, traits, implementations, modules, constants, macros."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import DefinitionKind, Import
from repo_guardian.tools.views.facts.rust.imports import path_text
from repo_guardian.tools.views.facts.treesitter.records import Draft, Handler
from repo_guardian.tools.views.facts.treesitter.scopes import Binding, Chain, Hint
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

_KINDS: dict[str, DefinitionKind] = {
    "struct_item": "class",
    "enum_item": "class",
    "union_item": "class",
    "trait_item": "interface",
    "type_item": "type",
    "associated_type": "type",
    "const_item": "variable",
    "static_item": "variable",
}
_NAMES = ("identifier", "shorthand_field_identifier")


def bind_pattern(walk: Walk, node: Node | None, hint: Hint | None) -> None:
    """Bind the names of a pattern; a name with a capital letter is a constant or a variant, and is used."""
    stack = [] if node is None else [node]
    while stack:
        part = stack.pop()
        if part.type in _NAMES:
            name = walk.name(part)
            if not name[:1].isupper():
                walk.mark(part)
                walk.bind(name, hint if part is node else None)
        elif part.type in ("tuple_struct_pattern", "struct_pattern"):
            kind = part.child_by_field_name("type")
            stack.extend(child for child in part.named_children if kind is None or child.id != kind.id)
        elif part.type == "field_pattern":
            inner = part.child_by_field_name("pattern") or part.child_by_field_name("name")
            stack.extend([] if inner is None else [inner])
        elif part.type.endswith("_pattern") and "range" not in part.type:
            stack.extend(part.named_children)


def signature_of(walk: Walk, node: Node) -> tuple[Signature, bool]:
    """The signature of a function without ``self``, and whether it has one."""
    parameters: list[Parameter] = []
    listed, with_self = node.child_by_field_name("parameters"), False
    for part in [] if listed is None else listed.named_children:
        if part.type == "self_parameter":
            with_self = True
        if part.type != "parameter":
            continue
        pattern, declared = part.child_by_field_name("pattern"), part.child_by_field_name("type")
        bind_pattern(walk, pattern, walk.annotation(declared))
        plain = pattern is not None and pattern.type == "identifier"
        name = walk.name(pattern) if plain and pattern is not None else f"_{len(parameters)}"
        text = None if declared is None else walk.text(declared)
        parameters.append(Parameter(name, ParameterKind.POSITIONAL_OR_KEYWORD, None, text))
    words = walk.field_text(node, "function_modifiers") or " ".join(_words(walk, node))
    returns = walk.field_text(node, "return_type")
    return Signature(tuple(parameters), returns, "async" in words.split()), with_self


def _words(walk: Walk, node: Node) -> tuple[str, ...]:
    """Modifiers: ``pub``, ``pub(crate)``, ``async``, ``unsafe``, …"""
    found: list[str] = []
    for child in node.children:
        if child.type == "visibility_modifier":
            found.append("".join(walk.text(child).split()))
        elif child.type == "function_modifiers":
            found.extend(walk.text(child).split())
    return tuple(found)


def _draft(walk: Walk, node: Node, kind: DefinitionKind) -> Draft | None:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    walk.mark(name)
    scope = walk.scope
    owner = scope.this_name if scope.kind == "class" else ""
    draft = Draft(kind, -1 if owner else scope.owner, walk.name(name), node.start_byte, node.end_byte, owner)
    draft.modifiers = _words(walk, node)
    return draft


def on_function(walk: Walk, node: Node) -> None:
    """A function, a method, or a trait's method without a body."""
    draft = _draft(walk, node, "function")
    if draft is None:
        return
    outer = walk.scope
    in_class = outer.kind == "class"
    index = walk.define(draft, None if draft.owner else outer)
    walk.open("function", node, owner=index)
    type_parameters(walk, node)
    draft.signature, with_self = signature_of(walk, node)
    draft.returns = walk.annotation(node.child_by_field_name("return_type"))
    draft.role = "staticmethod" if in_class and not with_self else ""


def on_type(walk: Walk, node: Node) -> None:
    """A struct, an enumeration, a union, a trait, a type alias."""
    draft = _draft(walk, node, _KINDS[node.type])
    if draft is None:
        return
    index = walk.define(draft, walk.scope if not draft.owner else None)
    if draft.kind == "type":
        value = node.child_by_field_name("type")
        draft.value, draft.hint = walk.field_text(node, "type"), walk.annotation(value)
        walk.open("block", node, owner=index)
        type_parameters(walk, node)
        return
    scope = walk.open("class", node, owner=index, this=index)
    own = Chain(draft.name, (), walk.scope.parent or walk.scope)
    scope.bind("Self", Binding("variable", -1, Hint("value", own)))
    type_parameters(walk, node)
    bounds = next((c for c in node.named_children if c.type == "trait_bounds"), None)
    bases = [] if bounds is None else [c for c in bounds.named_children if "type" in c.type]
    draft.bases = tuple(walk.text(base) for base in bases)
    draft.base_chains = tuple(walk.chain(base) for base in bases)
    for base, chain in zip(bases, draft.base_chains, strict=True):
        walk.use("inherit", chain, base)


def on_member(walk: Walk, node: Node) -> None:
    """A field of a struct, a variant of an enumeration."""
    name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None or walk.scope.kind != "class":
        return
    walk.mark(name)
    draft = Draft("variable", walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
    draft.modifiers = _words(walk, node)
    if node.type == "enum_variant":
        draft.hint = Hint("annotation", walk.rooted("Self", ()))
        walk.define(draft)
        walk.open("block", node)
        return
    draft.annotation = None if declared is None else walk.text(declared)
    draft.hint = walk.annotation(declared)
    walk.define(draft)


def on_constant(walk: Walk, node: Node) -> None:
    """A constant or a static."""
    draft = _draft(walk, node, "variable")
    if draft is None:
        return
    declared = node.child_by_field_name("type")
    if walk.scope.kind == "function" or (walk.scope.kind == "block" and not _at_items(walk)):
        walk.bind(draft.name, walk.annotation(declared))
        return
    draft.annotation, draft.value = walk.field_text(node, "type"), walk.field_text(node, "value")
    draft.hint = walk.annotation(declared)
    walk.define(draft, walk.scope if not draft.owner else None)


def _at_items(walk: Walk) -> bool:
    owner = walk.scope.owner
    return owner < 0 or walk.drafts[owner].kind == "module"


def on_impl(walk: Walk, node: Node) -> None:
    """``impl T``, ``impl Trait for T``: members of ``T``, wherever that is defined."""
    declared, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    hint = walk.annotation(declared)
    scope = walk.open("class", node, owner=walk.scope.owner, this=-1)
    type_parameters(walk, node)
    if hint is None:
        return
    scope.this_name = hint.chain.path[-1] if hint.chain.path else hint.chain.root
    scope.bind("Self", Binding("variable", -1, Hint("value", hint.chain)))
    if trait is not None:
        chain = walk.chain(trait)
        walk.implements.append((scope.this_name, walk.text(trait), chain))
        walk.use("inherit", chain, trait)


def on_module(walk: Walk, node: Node) -> None:
    """``mod m { }`` is a module of its own, ``mod m;`` one in another file."""
    body = node.child_by_field_name("body")
    draft = _draft(walk, node, "module")
    if draft is None:
        return
    if body is None:
        record = Import(walk.scope.owner, "self", 0, draft.name, "", walk.region(node))
        walk.add_import(record, draft.name)
        walk.exports.extend([draft.name] if draft.modifiers else [])
        return
    index = walk.define(draft, walk.scope)
    walk.open("block", node, owner=index)


def on_macro(walk: Walk, node: Node) -> None:
    """``macro_rules! m``: a function named ``m!``; its body is a pattern, not code."""
    name = node.child_by_field_name("name")
    if name is not None:
        walk.mark(name)
        draft = Draft("function", walk.scope.owner, f"{walk.name(name)}!", node.start_byte, node.end_byte)
        walk.define(draft, walk.scope)


def type_parameters(walk: Walk, node: Node) -> None:
    """``<T: A>``: ``T`` is no type of the module."""
    listed = node.child_by_field_name("type_parameters")
    for part in [] if listed is None else listed.named_children:
        name = part.child_by_field_name("name")
        if name is not None and name.type in ("type_identifier", "identifier"):
            bounds = part.child_by_field_name("bounds")
            walk.bind_type(name, None if bounds is None else first_child(bounds))


def macro_name(walk: Walk, node: Node) -> str:
    """The name of the macro that is invoked, ``!`` included."""
    return path_text(walk, node.child_by_field_name("macro")).replace("::", ".") + "!"


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(["function_item", "function_signature_item"], on_function),
    **dict.fromkeys(
        ["struct_item", "enum_item", "union_item", "trait_item", "type_item", "associated_type"], on_type
    ),
    **dict.fromkeys(["field_declaration", "enum_variant"], on_member),
    **dict.fromkeys(["const_item", "static_item"], on_constant),
    "impl_item": on_impl,
    "mod_item": on_module,
    "macro_definition": on_macro,
}
