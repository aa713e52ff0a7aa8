"""Statements and expressions of JavaScript and TypeScript: exports, assignments, calls, references."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.facts.javascript import modules
from repo_guardian.tools.views.facts.javascript.definitions import FUNCTIONS, plan, plan_object
from repo_guardian.tools.views.facts.javascript.parameters import bind_pattern, signature_of
from repo_guardian.tools.views.facts.treesitter.records import Draft, Handler
from repo_guardian.tools.views.facts.treesitter.scopes import THIS, UNKNOWN
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_VALUES = (*FUNCTIONS, "class")


def call_shape(node: Node | None) -> CallShape:
    """How many arguments an argument list passes; a spread one says nothing of their number."""
    parts = [] if node is None else [c for c in node.named_children if c.type != "comment"]
    spread = sum(part.type in ("spread_element", "variadic_argument") for part in parts)
    return CallShape(len(parts) - spread, star=spread > 0)


def on_call(walk: Walk, node: Node) -> None:
    """A call or a construction."""
    required = modules.required(walk, node)
    if required is not None:
        walk.imports.append(Import(walk.scope.owner, required[0], 0, "", "", walk.region(node)))
    chain = walk.callee(node)
    if chain.root == UNKNOWN and not chain.path:
        return
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and arguments.type == "template_string":
        arguments = None
    walk.use("call", chain, node, call_shape(arguments))


def on_name(walk: Walk, node: Node) -> None:
    """A name or a dotted chain that is read."""
    walk.use("reference", walk.chain(node), node)


def on_decorator(walk: Walk, node: Node) -> None:
    """``@a.b`` and ``@a.b()``."""
    inner = first_child(node)
    if inner is not None and inner.type != "call_expression":
        walk.use("decorate", walk.chain(inner), inner)


def on_assignment(walk: Walk, node: Node) -> None:
    """Exports of CommonJS, members given to prototypes and objects, attributes of ``this``."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return
    exported = modules.exported_member(walk, left)
    if exported is not None:
        walk.mark(left, first_child(left), *(c for c in left.named_children[:1] for c in c.named_children))
        _export(walk, node, exported, right)
        return
    chain = walk.chain(left)
    if chain.root == THIS and len(chain.path) == 1 and walk.scope.this >= 0:
        walk.attributes.append((walk.scope.this, chain.path[0], walk.value(right)))
    if right.type in _VALUES and chain.path:
        _member(walk, node, chain.root, chain.path, right)
    elif chain.path[:-1] and walk.scope.owner < 0:
        walk.use("reference", chain._replace(path=chain.path[:-1]), left)


def _member(walk: Walk, node: Node, root: str, path: tuple[str, ...], right: Node) -> None:
    """``A.prototype.f = function``, ``a.f = function``, ``this.f = function``."""
    if root == THIS and len(path) == 1 and walk.scope.this >= 0:
        plan(walk, right, path[0], node, parent=walk.scope.this)
    elif root.startswith("<") or walk.scope.owner >= 0:
        return
    elif len(path) == 1 or (len(path) == 2 and path[0] == "prototype"):
        plan(walk, right, path[-1], node, owner=root, modifiers=("member",))


def _export(walk: Walk, node: Node, name: str, value: Node) -> None:
    """``exports.name = value``, ``module.exports = value`` (then ``name`` is ``default``)."""
    required = modules.required(walk, value)
    words = ("export",)
    if required is not None:
        modules.export(walk, node, required[0], required[1], name)
        if name == modules.DEFAULT and not required[1]:
            walk.imports.append(Import(-1, required[0], 0, "*", "", walk.region(node)))
    elif value.type in _VALUES:
        inner = value.child_by_field_name("name")
        own = walk.name(inner) if name == modules.DEFAULT and inner is not None else name
        plan(walk, value, own, node, modifiers=words)
        if own != name:
            modules.export(walk, node, "", own, name)
        walk.exports.append(name)
    elif value.type == "identifier":
        _export_name(walk, node, name, value)
    elif value.type == "object" and name == modules.DEFAULT:
        _export_object(walk, value)
    elif value.type != "assignment_expression" and name != modules.DEFAULT:
        draft = Draft("variable", -1, name, node.start_byte, node.end_byte, value=walk.text(value))
        draft.hint, draft.modifiers = walk.value(value), words
        index = walk.define(draft)
        walk.exports.append(name)
        if value.type == "object":
            plan_object(walk, value, parent=index)
    elif value.type != "assignment_expression" and value.type == "new_expression":
        draft = Draft("variable", -1, name, node.start_byte, node.end_byte, value=walk.text(value))
        draft.hint, draft.modifiers = walk.value(value), words
        walk.define(draft)
        walk.exports.append(name)


def _export_name(walk: Walk, node: Node, name: str, value: Node) -> None:
    if walk.name(value) == name:
        walk.exports.append(name)
    else:
        modules.export(walk, node, "", walk.name(value), name)


def _export_object(walk: Walk, node: Node) -> None:
    """``module.exports = { a, b: c, d() { } }``."""
    for part in node.named_children:
        key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
        if part.type == "shorthand_property_identifier":
            walk.exports.append(walk.name(part))
        elif part.type == "method_definition":
            name = part.child_by_field_name("name")
            if name is not None:
                draft = Draft("function", -1, walk.name(name), part.start_byte, part.end_byte)
                draft.modifiers = ("export",)
                walk.plans[part.id] = draft, False
                walk.exports.append(draft.name)
        elif key is not None and value is not None:
            _export(walk, part, walk.name(key).strip("'\""), value)


def on_export(walk: Walk, node: Node) -> None:
    """``export`` in all its forms."""
    module = modules.string_value(walk, node.child_by_field_name("source")) or ""
    words = tuple(c.type for c in node.children if c.type in ("export", "default"))
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    clause = next((c for c in node.named_children if c.type == "export_clause"), None)
    if clause is not None:
        modules.on_export_clause(walk, node, clause, module)
    elif module:
        modules.on_export_from(walk, node, module)
    elif declaration is not None:
        _export_declaration(walk, node, declaration, words)
    elif value is not None:
        _export_value(walk, node, value, words)
    elif any(child.type == "=" for child in node.children):
        value = next((c for c in node.named_children if c.type == "identifier"), None)
        if value is not None:
            modules.export(walk, node, "", walk.name(value), modules.DEFAULT)


def _export_declaration(walk: Walk, node: Node, declaration: Node, words: tuple[str, ...]) -> None:
    if declaration.type == "ambient_declaration":
        declaration = next((c for c in declaration.named_children), declaration)
    walk.outer[declaration.id] = words
    name = walk.field_text(declaration, "name")
    if walk.scope.kind != "module":
        return
    if "default" in words and name:
        modules.export(walk, node, "", name, modules.DEFAULT)
    elif name:
        walk.exports.append(name)
    else:
        for part in declaration.named_children:
            pattern = part.child_by_field_name("name") if part.type == "variable_declarator" else None
            walk.exports.extend(walk.name(n) for n in pattern_names(pattern))


def _export_value(walk: Walk, node: Node, value: Node, words: tuple[str, ...]) -> None:
    """``export default value``."""
    if value.type in _VALUES:
        name = walk.field_text(value, "name") or modules.DEFAULT
        plan(walk, value, name, node, modifiers=words)
        if name != modules.DEFAULT:
            modules.export(walk, node, "", name, modules.DEFAULT)
        else:
            walk.exports.append(name)
    elif value.type == "identifier":
        modules.export(walk, node, "", walk.name(value), modules.DEFAULT)
    else:
        draft = Draft("variable", -1, modules.DEFAULT, node.start_byte, node.end_byte)
        draft.value, draft.hint, draft.modifiers = walk.text(value), walk.value(value), words
        index = walk.define(draft)
        walk.exports.append(modules.DEFAULT)
        if value.type == "object":
            plan_object(walk, value, parent=index)


def pattern_names(node: Node | None) -> list[Node]:
    """The names in a pattern, in no particular order."""
    found, stack = list[Node](), [node] if node is not None else []
    while stack:
        part = stack.pop()
        if part.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(part)
        else:
            stack.extend(part.named_children)
    return found


def on_block(walk: Walk, node: Node) -> None:
    """Braces, and statements that bind names for what is inside them."""
    walk.open("block", node)
    if node.type == "catch_clause":
        bind_pattern(walk, node.child_by_field_name("parameter"), None)
    elif node.type == "for_in_statement" and any(c.type in ("const", "let", "var") for c in node.children):
        bind_pattern(walk, node.child_by_field_name("left"), None)


def on_function_type(walk: Walk, node: Node) -> None:
    """A type that is written like a function: its parameters are no names of the program."""
    walk.open("function", node)
    signature_of(walk, node)


def on_type_parameters(walk: Walk, node: Node) -> None:
    """``<T extends A>``: ``T`` is no type of the module."""
    for part in node.named_children:
        name = part.child_by_field_name("name") or first_child(part)
        constraint = part.child_by_field_name("constraint")
        if name is not None:
            walk.bind_type(name, None if constraint is None else first_child(constraint))


def on_element(walk: Walk, node: Node) -> None:
    """``<div>`` is no name of the program, ``<Widget>`` is."""
    name = node.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        if walk.name(name)[:1].islower():
            walk.mark(name)
        elif node.type != "jsx_closing_element":
            walk.use("call", walk.chain(name), node, CallShape(1))
    if node.type == "jsx_closing_element" and name is not None:
        walk.mark(name)


HANDLERS: dict[str, Handler] = {
    "import_statement": modules.on_import,
    "export_statement": on_export,
    "assignment_expression": on_assignment,
    "call_expression": on_call,
    "new_expression": on_call,
    "decorator": on_decorator,
    "type_parameters": on_type_parameters,
    **dict.fromkeys(
        ["function_type", "constructor_type", "call_signature", "construct_signature"], on_function_type
    ),
    **dict.fromkeys(["statement_block", "catch_clause", "for_in_statement", "for_statement"], on_block),
    **dict.fromkeys(["jsx_opening_element", "jsx_self_closing_element", "jsx_closing_element"], on_element),
    **dict.fromkeys(
        ["identifier", "type_identifier", "shorthand_property_identifier", "member_expression"], on_name
    ),
    "nested_type_identifier": on_name,
    "nested_identifier": on_name,
}
