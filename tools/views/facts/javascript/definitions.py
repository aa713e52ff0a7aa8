"""Definitions of JavaScript and TypeScript: functions, classes and their members, variables, types."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import DefinitionKind, Role
from repo_guardian.tools.views.facts.javascript import modules
from repo_guardian.tools.views.facts.javascript.parameters import bind_pattern, signature_of
from repo_guardian.tools.views.facts.treesitter.walk import Draft, Handler, Walk, first_child

FUNCTIONS = ("function_expression", "generator_function", "arrow_function")
_CLASSES = ("class",)
_MEMBER_WORDS = frozenset({"static", "readonly", "async", "get", "set", "abstract", "declare", "override"})


def plan(
    walk: Walk,
    node: Node,
    name: str,
    region: Node,
    *,
    owner: str = "",
    parent: int | None = None,
    modifiers: tuple[str, ...] = (),
) -> None:
    """When ``node`` (a function or class expression) is reached, it is the definition ``name``."""
    draft = Draft(
        "class" if node.type in _CLASSES else "function",
        (walk.scope.owner if parent is None else parent) if not owner else -1,
        name,
        region.start_byte,
        region.end_byte,
        owner,
        modifiers=modifiers,
    )
    walk.plans[node.id] = draft, parent is None and not owner


def exported(walk: Walk, node: Node) -> tuple[str, ...]:
    """The modifiers that an ``export`` around a declaration gives it."""
    return walk.outer.pop(node.id, ())


def _draft(walk: Walk, node: Node, kind: DefinitionKind) -> Draft | None:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    walk.mark(name)
    return Draft(
        kind,
        walk.scope.owner,
        walk.name(name),
        node.start_byte,
        node.end_byte,
        modifiers=exported(walk, node),
    )


def on_function(walk: Walk, node: Node) -> None:
    """A function declaration, or a signature without a body."""
    draft = _draft(walk, node, "function")
    if draft is None:
        return
    if node.type == "function_signature":
        draft.role = "overload"
    _function(walk, node, draft, walk.define(draft, walk.scope), this=-1)


def on_function_expression(walk: Walk, node: Node) -> None:
    """A function as a value: a definition when it is planned, else part of the code around it."""
    planned = walk.plans.pop(node.id, None)
    arrow = node.type == "arrow_function"
    name = node.child_by_field_name("name")
    walk.mark(name)
    if planned is None:
        walk.open("function", node, this=None if arrow else -1)
        if name is not None:
            walk.bind(walk.name(name))
        signature_of(walk, node)
        return
    draft, bound = planned
    index = walk.define(draft, walk.scope if bound else None)
    _function(walk, node, draft, index, this=None if arrow else _container(walk, draft.parent))


def _container(walk: Walk, parent: int) -> int:
    """The class or object that a function below ``parent`` is a member of, -1 for none."""
    return parent if parent >= 0 and walk.drafts[parent].kind in ("class", "variable") else -1


def _function(walk: Walk, node: Node, draft: Draft, index: int, *, this: int | None) -> None:
    """Enter a function. One with a capital letter makes instances of itself (before classes, or Flow)."""
    if this == -1 and not draft.owner and draft.name[:1].isupper():
        this = index
    scope = walk.open("function", node, owner=index, this=this)
    scope.this_name = draft.owner or scope.this_name
    constructor = draft.name == "constructor" and this is not None and this >= 0
    draft.signature = signature_of(walk, node, in_class=draft.parent if constructor else -1)
    draft.returns = walk.annotation(node.child_by_field_name("return_type"))


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
    _function(walk, node, draft, index, this=_container(walk, draft.parent))


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
        draft = _draft(walk, node, "interface" if node.type == "interface_declaration" else "class")
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
    draft = _draft(walk, node, "type")
    if draft is not None:
        value = node.child_by_field_name("value")
        draft.value = None if value is None else walk.text(value)
        draft.hint = walk.annotation(value)
        index = walk.define(draft, walk.scope)
        walk.open("block", node, owner=index)


def on_enum(walk: Walk, node: Node) -> None:
    """An enumeration and its members."""
    draft = _draft(walk, node, "class")
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
    draft = _draft(walk, node, "module")
    if draft is not None:
        draft.name = draft.name.replace(" ", "")
        walk.mark(*[c for c in name.named_children])
        index = walk.define(draft, walk.scope)
        walk.open("block", node, owner=index)


def on_declaration(walk: Walk, node: Node) -> None:
    """``const``, ``let`` and ``var``."""
    words = exported(walk, node)
    keyword = walk.text(node.children[0]) if node.child_count else ""
    for part in node.named_children:
        if part.type == "variable_declarator":
            _declarator(walk, part, keyword, words)


def _declarator(walk: Walk, node: Node, keyword: str, words: tuple[str, ...]) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    scope = walk.scope if keyword != "var" else walk.scope.enclosing("function", "module")
    if name is None or _require(walk, name, value):
        return
    hint = walk.annotation(node.child_by_field_name("type")) or walk.value(value)
    if name.type != "identifier":
        for bound in bind_pattern(walk, name, None, scope):
            if walk.scope.owner < 0 and walk.scope.kind == "module":
                _variable(walk, bound, walk.name(bound), words)
        return
    walk.mark(name)
    text = walk.name(name)
    value = _unassigned(walk, value, text)
    if value is not None and value.type in (*FUNCTIONS, *_CLASSES):
        plan(walk, value, text, node, modifiers=words)
    elif walk.scope.owner < 0 or _is_namespace(walk):
        _variable(walk, node, text, words, value)
    else:
        walk.bind(text, hint, scope)


def _is_namespace(walk: Walk) -> bool:
    return walk.drafts[walk.scope.owner].kind == "module"


def _variable(walk: Walk, node: Node, name: str, words: tuple[str, ...], value: Node | None = None) -> None:
    """A variable of a module: a definition; what an object literal holds is defined below it."""
    draft = Draft("variable", walk.scope.owner, name, node.start_byte, node.end_byte, modifiers=words)
    if node.type == "variable_declarator":
        annotation = node.child_by_field_name("type")
        draft.value = None if value is None else walk.text(value)
        draft.annotation = None if annotation is None else walk.text(annotation).lstrip(": ")
        draft.hint = walk.annotation(annotation) or walk.value(value)
    index = walk.define(draft, walk.scope)
    if value is not None and value.type == "object":
        plan_object(walk, value, parent=index)


def plan_object(walk: Walk, node: Node, *, parent: int) -> None:
    """The functions of an object literal are members of the definition ``parent``."""
    for part in node.named_children:
        if part.type == "method_definition":
            name = part.child_by_field_name("name")
            if name is not None:
                text = walk.name(name)
                draft = Draft("function", parent, text, part.start_byte, part.end_byte)
                walk.plans[part.id] = draft, False
        elif part.type == "pair":
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and value is not None and value.type in (*FUNCTIONS, *_CLASSES):
                plan(walk, value, walk.name(key).strip("'\""), part, parent=parent)


def _require(walk: Walk, name: Node, value: Node | None) -> bool:
    """``const a = require("m")``, ``const { a, b: c } = require("m")``; False for anything else."""
    found = modules.required(walk, value)
    if found is None or value is None:
        return False
    module, attribute = found
    if name.type == "identifier":
        walk.mark(name)
        modules.add(walk, name, module, attribute, walk.name(name))
    elif name.type == "object_pattern" and not attribute:
        for part in name.named_children:
            key = part if part.type.startswith("shorthand") else part.child_by_field_name("key")
            bound = part.child_by_field_name("value") or part.child_by_field_name("left") or key
            if key is not None and bound is not None:
                walk.mark(part, key, bound)
                modules.add(walk, part, module, walk.name(key), walk.name(bound))
    else:
        return False
    function = first_child(value) if value.type == "await_expression" else value
    while function is not None and function.type in ("member_expression", "call_expression"):
        walk.mark(function)
        function = first_child(function)
    walk.mark(function)
    return True


def _unassigned(walk: Walk, value: Node | None, name: str) -> Node | None:
    """The value at the end of ``a = exports = module.exports = value``; exports on the way are noted."""
    while value is not None and value.type == "assignment_expression":
        left = value.child_by_field_name("left")
        member = modules.exported_member(walk, left)
        if member is not None and left is not None:
            modules.export(walk, left, "", name, member)
        if member is not None or (left is not None and walk.text(left) == "exports"):
            walk.mark(value, left, *(() if left is None else left.named_children))
        value = value.child_by_field_name("right")
    return value


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(
        ["function_declaration", "generator_function_declaration", "function_signature"], on_function
    ),
    **dict.fromkeys(FUNCTIONS, on_function_expression),
    **dict.fromkeys(["method_definition", "method_signature", "abstract_method_signature"], on_method),
    **dict.fromkeys(["field_definition", "public_field_definition", "property_signature"], on_field),
    **dict.fromkeys(
        ["class_declaration", "abstract_class_declaration", "class", "interface_declaration"], on_class
    ),
    "type_alias_declaration": on_type,
    "enum_declaration": on_enum,
    "internal_module": on_namespace,
    "module": on_namespace,
    "lexical_declaration": on_declaration,
    "variable_declaration": on_declaration,
}
