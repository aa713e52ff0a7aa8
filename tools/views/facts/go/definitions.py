"""Declarations of Go: packages, imports, functions, types, constants and variables."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.go.paths import bound_name
from repo_guardian.tools.views.facts.interface import DefinitionKind, Import
from repo_guardian.tools.views.facts.treesitter.records import Draft
from repo_guardian.tools.views.facts.treesitter.scopes import Hint
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

_KINDS: dict[str, DefinitionKind] = {"struct_type": "class", "interface_type": "interface"}


def on_package(walk: Walk, node: Node) -> None:
    """``package name``."""
    name = first_child(node)
    walk.package = "" if name is None else walk.name(name)


def on_import(walk: Walk, node: Node) -> None:
    """One import path."""
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    walk.mark(name)
    module = walk.source.name(path.start_byte + 1, path.end_byte - 1)
    alias = "" if name is None else walk.name(name)
    record = Import(
        -1, module, 0, "*" if alias == "." else "", "" if alias == "." else alias, walk.region(node)
    )
    walk.add_import(record, bound_name(record), walk.module)


def signature_of(walk: Walk, node: Node) -> Signature:
    """The signature of a function; its parameters and named results are bound in the scope at hand."""
    parameters: list[Parameter] = []
    listed = node.child_by_field_name("parameters")
    for part in [] if listed is None else listed.named_children:
        kind = ParameterKind.POSITIONAL_ONLY
        if part.type == "variadic_parameter_declaration":
            kind = ParameterKind.VAR_POSITIONAL
        elif part.type != "parameter_declaration":
            continue
        declared = part.child_by_field_name("type")
        text = None if declared is None else walk.text(declared)
        hint = walk.annotation(declared) if kind is not ParameterKind.VAR_POSITIONAL else None
        names = part.children_by_field_name("name")
        for name in names:
            walk.mark(name)
            walk.bind(walk.name(name), hint)
            parameters.append(
                Parameter(
                    walk.name(name),
                    ParameterKind.POSITIONAL_OR_KEYWORD if kind is not ParameterKind.VAR_POSITIONAL else kind,
                    None,
                    text,
                )
            )
        if not names:
            unnamed = (
                ParameterKind.POSITIONAL_OR_KEYWORD if kind is not ParameterKind.VAR_POSITIONAL else kind
            )
            parameters.append(Parameter(f"_{len(parameters)}", unnamed, None, text))
    result = node.child_by_field_name("result")
    if result is not None and result.type == "parameter_list":
        for part in result.named_children:
            for name in part.children_by_field_name("name"):
                walk.mark(name)
                walk.bind(walk.name(name), walk.annotation(part.child_by_field_name("type")))
    return Signature(tuple(parameters), None if result is None else walk.text(result))


def _returns(walk: Walk, node: Node) -> Hint | None:
    """The (first) result."""
    result = node.child_by_field_name("result")
    if result is not None and result.type == "parameter_list":
        part = first_child(result)
        result = None if part is None else part.child_by_field_name("type")
    return walk.annotation(result)


def on_function(walk: Walk, node: Node) -> None:
    """A function, a method, or a method of an interface."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    walk.mark(name)
    draft = Draft("function", walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
    receiver = node.child_by_field_name("receiver")
    part = None if receiver is None else first_child(receiver)
    declared = None if part is None else part.child_by_field_name("type")
    hint = walk.annotation(declared)
    if hint is not None:
        draft.owner = hint.chain.root
    index = walk.define(draft, walk.scope if receiver is None else None)
    walk.open("function", node, owner=index)
    if part is not None:
        _receiver(walk, part, declared, hint)
    type_parameters(walk, node)
    draft.signature = signature_of(walk, node)
    draft.returns = _returns(walk, node)


def _receiver(walk: Walk, part: Node, declared: Node | None, hint: Hint | None) -> None:
    for name in part.children_by_field_name("name"):
        walk.mark(name)
        walk.bind(walk.name(name), hint)
    stack = [declared] if declared is not None else []
    while stack:
        node = stack.pop()
        if node.type == "type_identifier":
            walk.mark(node)
            if hint is not None and walk.name(node) != hint.chain.root:
                walk.bind(walk.name(node))
        stack.extend(node.named_children)


def type_parameters(walk: Walk, node: Node) -> None:
    """``[T any]``: ``T`` is no type of the package."""
    listed = node.child_by_field_name("type_parameters")
    for part in [] if listed is None else listed.named_children:
        constraint = part.child_by_field_name("type")
        for name in part.children_by_field_name("name"):
            walk.bind_type(name, None if constraint is None else first_child(constraint))


def on_literal(walk: Walk, node: Node) -> None:
    """A function literal, or a type that is written like a function."""
    walk.open("function", node)
    signature_of(walk, node)


def on_type(walk: Walk, node: Node) -> None:
    """``type A struct { }``, ``type A = B``."""
    name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None or declared is None:
        return
    walk.mark(name)
    local = walk.scope.owner >= 0 and walk.drafts[walk.scope.owner].kind == "function"
    kind = _KINDS.get(declared.type, "type")
    draft = Draft(kind, walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
    if kind == "type":
        draft.value = walk.text(declared)
        draft.hint = walk.annotation(declared)
    index = walk.define(draft, walk.scope)
    walk.open("class" if kind != "type" else "block", node, owner=index, this=-1)
    type_parameters(walk, node)
    if kind != "type" and not local:
        _embedded(walk, draft, declared)


def _embedded(walk: Walk, draft: Draft, declared: Node) -> None:
    """Embedded types are bases: their methods are promoted."""
    bases: list[Node] = []
    body = first_child(declared) if declared.type == "struct_type" else declared
    for part in [] if body is None else body.named_children:
        if part.type == "field_declaration" and not part.children_by_field_name("name"):
            base = part.child_by_field_name("type")
            bases.extend([] if base is None else [base])
        elif part.type == "type_elem" and part.named_child_count == 1:
            bases.append(part.named_children[0])
    bases = [base for base in bases if walk.annotation(base) is not None]
    draft.bases = tuple(walk.text(base) for base in bases)
    draft.base_chains = tuple(walk.chain(base) for base in bases)
    for base, chain in zip(bases, draft.base_chains, strict=True):
        walk.use("inherit", chain, base)


def on_field(walk: Walk, node: Node) -> None:
    """Fields of a struct."""
    declared = node.child_by_field_name("type")
    if walk.scope.kind != "class":
        return
    for name in node.children_by_field_name("name"):
        draft = Draft("variable", walk.scope.owner, walk.name(name), node.start_byte, node.end_byte)
        draft.annotation = None if declared is None else walk.text(declared)
        draft.hint = walk.annotation(declared)
        walk.define(draft, walk.scope)
    if not node.children_by_field_name("name") and declared is not None:
        hint = walk.annotation(declared)
        if hint is not None:
            name_text = hint.chain.path[-1] if hint.chain.path else hint.chain.root
            draft = Draft("variable", walk.scope.owner, name_text, node.start_byte, node.end_byte)
            draft.annotation, draft.hint = walk.text(declared), hint
            walk.define(draft, walk.scope)


def on_values(walk: Walk, node: Node) -> None:
    """``var`` and ``const``: definitions of the package, variables of a function."""
    names, declared = node.children_by_field_name("name"), node.child_by_field_name("type")
    listed = node.child_by_field_name("value")
    values = [] if listed is None else listed.named_children
    for number, name in enumerate(names):
        if name.type != "identifier":
            continue
        walk.mark(name)
        value = values[number] if number < len(values) else None
        hint = walk.annotation(declared) or value_of(walk, value, number, len(names), len(values))
        if walk.scope.owner >= 0:
            walk.delay(node)
            walk.bind(walk.name(name), hint)
            walk.delay(None)
            continue
        draft = Draft("variable", -1, walk.name(name), node.start_byte, node.end_byte)
        draft.annotation = None if declared is None else walk.text(declared)
        draft.value, draft.hint = None if value is None else walk.text(value), hint
        walk.define(draft, walk.scope)


def value_of(walk: Walk, value: Node | None, number: int, names: int, values: int) -> Hint | None:
    """What a variable holds; of a call with several results the first is known."""
    if value is None or (names != values and number > 0):
        return None
    return walk.value(value)
