"""Definitions of JavaScript and TypeScript: functions, classes and their members, variables, types."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import DefinitionKind
from repo_guardian.tools.views.facts.javascript import modules
from repo_guardian.tools.views.facts.javascript.parameters import bind_pattern, signature_of
from repo_guardian.tools.views.facts.treesitter.records import Draft, Handler
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child

FUNCTIONS = ("function_expression", "generator_function", "arrow_function")
_CLASSES = ("class",)


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


def named_draft(walk: Walk, node: Node, kind: DefinitionKind) -> Draft | None:
    """The definition that a declaration makes, None for one without a name."""
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
    draft = named_draft(walk, node, "function")
    if draft is None:
        return
    if node.type == "function_signature":
        draft.role = "overload"
    enter_function(walk, node, draft, walk.define(draft, walk.scope), this=-1)


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
    enter_function(walk, node, draft, index, this=None if arrow else container_of(walk, draft.parent))


def container_of(walk: Walk, parent: int) -> int:
    """The class or object that a function below ``parent`` is a member of, -1 for none."""
    return parent if parent >= 0 and walk.drafts[parent].kind in ("class", "variable") else -1


def enter_function(walk: Walk, node: Node, draft: Draft, index: int, *, this: int | None) -> None:
    """Enter a function. One with a capital letter makes instances of itself (before classes, or Flow)."""
    if this == -1 and not draft.owner and draft.name[:1].isupper():
        this = index
    scope = walk.open("function", node, owner=index, this=this)
    scope.this_name = draft.owner or scope.this_name
    constructor = draft.name == "constructor" and this is not None and this >= 0
    draft.signature = signature_of(walk, node, in_class=draft.parent if constructor else -1)
    draft.returns = walk.annotation(node.child_by_field_name("return_type"))


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
    "lexical_declaration": on_declaration,
    "variable_declaration": on_declaration,
}
