"""The table of Go.

Facts of Go: ``package`` is the package clause's name; an import's ``module`` is its path, ``alias`` its
name where one is given, and ``name`` is ``*`` for a dot import. A method belongs to its receiver's type.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.go.definitions import (
    on_field,
    on_function,
    on_import,
    on_literal,
    on_package,
    on_type,
    on_values,
    value_of,
)
from repo_guardian.tools.views.facts.treesitter.extractor import TreeSitterExtractor
from repo_guardian.tools.views.facts.treesitter.records import Grammar, Handler
from repo_guardian.tools.views.facts.treesitter.scopes import UNKNOWN
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_CALLS = ("call_expression", "type_conversion_expression")


def on_short(walk: Walk, node: Node) -> None:
    """``a, b := f()``."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    names = [] if left is None else left.named_children
    values = [] if right is None else right.named_children
    walk.delay(node)
    for number, name in enumerate(names):
        if name.type == "identifier":
            walk.mark(name)
            value = values[number] if number < len(values) else (values[0] if values else None)
            walk.bind(walk.name(name), value_of(walk, value, number, len(names), len(values)))
    walk.delay(None)


def on_range(walk: Walk, node: Node) -> None:
    """``for k, v := range x``."""
    left = node.child_by_field_name("left")
    if left is not None and any(child.type == ":=" for child in node.children):
        for name in left.named_children:
            walk.mark(name)
            walk.bind(walk.name(name))


def on_type_switch(walk: Walk, node: Node) -> None:
    """``switch t := x.(type)``."""
    walk.open("block", node)
    alias = node.child_by_field_name("alias")
    for name in [] if alias is None else alias.named_children:
        walk.mark(name)
        walk.bind(walk.name(name))


def on_block(walk: Walk, node: Node) -> None:
    """A block, or a statement that binds names for what is inside it."""
    walk.open("block", node)


def on_key(walk: Walk, node: Node) -> None:
    """``Field: value``: the key is a field's name, or a constant that an array is indexed by."""
    key = node.child_by_field_name("key")
    inner = None if key is None else first_child(key)
    if inner is not None and inner.type == "identifier":
        walk.mark(inner)


def on_call(walk: Walk, node: Node) -> None:
    """A call, or a conversion that looks like one."""
    chain = walk.callee(node)
    if chain.root != UNKNOWN or chain.path:
        walk.use("call", chain, node, _shape(node.child_by_field_name("arguments")))


def _shape(node: Node | None) -> CallShape:
    """A single argument that is a call may stand for several (``f(g())``)."""
    parts = [] if node is None else [c for c in node.named_children if c.type != "comment"]
    spread = sum(part.type == "variadic_argument" for part in parts)
    if len(parts) == 1 and parts[0].type in _CALLS:
        return CallShape(0, star=True)
    return CallShape(len(parts) - spread, star=spread > 0)


def on_name(walk: Walk, node: Node) -> None:
    """A name or a dotted chain that is read."""
    walk.use("reference", walk.chain(node), node)


HANDLERS: dict[str, Handler] = {
    "package_clause": on_package,
    "import_spec": on_import,
    **dict.fromkeys(
        ["function_declaration", "method_declaration", "method_elem", "method_spec"], on_function
    ),
    **dict.fromkeys(["func_literal", "function_type"], on_literal),
    **dict.fromkeys(["type_spec", "type_alias"], on_type),
    "field_declaration": on_field,
    **dict.fromkeys(["var_spec", "const_spec"], on_values),
    "short_var_declaration": on_short,
    "range_clause": on_range,
    "type_switch_statement": on_type_switch,
    **dict.fromkeys(["block", "if_statement", "for_statement", "expression_switch_statement"], on_block),
    **dict.fromkeys(["expression_case", "communication_case", "default_case", "type_case"], on_block),
    "keyed_element": on_key,
    "call_expression": on_call,
    **dict.fromkeys(["identifier", "type_identifier", "selector_expression", "qualified_type"], on_name),
}

GRAMMAR = Grammar(
    handlers=HANDLERS,
    names=frozenset({"identifier", "type_identifier", "package_identifier"}),
    members={"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")},
    calls={"call_expression": "function", "composite_literal": "type"},
    transparent={
        "parenthesized_expression": "",
        "parenthesized_type": "",
        "unary_expression": "operand",
        "pointer_type": "",
        "generic_type": "type",
        "type_instantiation_expression": "type",
        "type_elem": "",
    },
    special={},
    literals=frozenset({"interpreted_string_literal", "raw_string_literal", "int_literal", "func_literal"}),
)


def go() -> TreeSitterExtractor:
    """The extractor of Go."""
    import tree_sitter_go

    return TreeSitterExtractor("go", GRAMMAR, (tree_sitter_go.language,))
