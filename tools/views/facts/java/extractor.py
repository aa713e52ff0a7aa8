"""The table of Java.

Facts of Java: ``package`` is the package declaration's name; an import's ``module`` is all but the last part
of what is imported and ``name`` the last part, ``*`` included; a static import has the class in ``module``.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.java.definitions import (
    call_shape,
    on_anonymous,
    on_class,
    on_constant,
    on_field,
    on_import,
    on_method,
    on_package,
    signature_of,
)
from repo_guardian.tools.views.facts.treesitter.extractor import TreeSitterExtractor
from repo_guardian.tools.views.facts.treesitter.records import Grammar, Handler
from repo_guardian.tools.views.facts.treesitter.scopes import SUPER, THIS, UNKNOWN, Chain
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child


def on_local(walk: Walk, node: Node) -> None:
    """Local variables."""
    declared = node.child_by_field_name("type")
    for part in node.children_by_field_name("declarator"):
        name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if name is None:
            continue
        walk.mark(name)
        hint = walk.annotation(declared)
        if declared is not None and walk.text(declared) == "var":
            walk.mark(declared)
            hint = walk.value(value)
        walk.bind(walk.name(name), hint)


def on_binding(walk: Walk, node: Node) -> None:
    """One variable: of a ``for``, a ``catch``, a resource, a pattern."""
    if node.type in ("enhanced_for_statement", "catch_clause"):
        walk.open("block", node)
    name = node.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        walk.mark(name)
        walk.bind(walk.name(name), walk.annotation(node.child_by_field_name("type")))


def on_instanceof(walk: Walk, node: Node) -> None:
    """``x instanceof A a``."""
    name = node.child_by_field_name("name")
    if name is not None:
        walk.mark(name)
        walk.bind(walk.name(name), walk.annotation(node.child_by_field_name("right")))


def on_lambda(walk: Walk, node: Node) -> None:
    """``(a, b) -> c``."""
    walk.open("function", node)
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return
    if listed.type == "identifier":
        walk.mark(listed)
        walk.bind(walk.name(listed))
    elif listed.type == "formal_parameters":
        signature_of(walk, node)
    else:
        for name in listed.named_children:
            walk.mark(name)
            walk.bind(walk.name(name))


def on_block(walk: Walk, node: Node) -> None:
    """A block, or a statement that binds names for what is inside it."""
    walk.open("block", node)


def on_call(walk: Walk, node: Node) -> None:
    """A call of a method, or a construction."""
    chain = walk.callee(node)
    if chain.root == UNKNOWN and not chain.path:
        return
    own = node.type == "method_invocation" and not chain.path
    walk.use("call", chain, node, call_shape(node.child_by_field_name("arguments")), own=own)


def on_constructor_call(walk: Walk, node: Node) -> None:
    """A call of another constructor: ``this(…)`` or ``super(…)``."""
    which = node.child_by_field_name("constructor")
    if which is not None:
        root = THIS if which.type == "this" else SUPER
        chain = Chain(root, ("<init>",), walk.scope)
        walk.mark(which)
        walk.use("call", chain, node, call_shape(node.child_by_field_name("arguments")))


def on_method_reference(walk: Walk, node: Node) -> None:
    """``A::m``, ``this::m``, ``A::new``."""
    owner = first_child(node)
    if owner is None:
        return
    last = node.children[-1]
    chain = walk.chain(owner)
    if last.type == "identifier":
        walk.mark(last)
        chain = chain._replace(path=(*chain.path, walk.name(last)))
    walk.use("reference", chain, node)


def on_annotation(walk: Walk, node: Node) -> None:
    """``@A(name = value)``."""
    name = node.child_by_field_name("name")
    if name is not None:
        walk.use("decorate", walk.chain(name), name)


def on_pair(walk: Walk, node: Node) -> None:
    """``name = value`` in an annotation, a label: names of something else."""
    walk.mark(node.child_by_field_name("key") or first_child(node))


def on_jump(walk: Walk, node: Node) -> None:
    """Labels."""
    walk.mark(first_child(node))


def on_name(walk: Walk, node: Node) -> None:
    """A name or a dotted chain that is read."""
    walk.use("reference", walk.chain(node), node)


HANDLERS: dict[str, Handler] = {
    "package_declaration": on_package,
    "import_declaration": on_import,
    **dict.fromkeys(
        ["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"], on_class
    ),
    "annotation_type_declaration": on_class,
    **dict.fromkeys(["method_declaration", "constructor_declaration"], on_method),
    **dict.fromkeys(["compact_constructor_declaration", "annotation_type_element_declaration"], on_method),
    "class_body": on_anonymous,
    **dict.fromkeys(["field_declaration", "constant_declaration"], on_field),
    "local_variable_declaration": on_local,
    **dict.fromkeys(["enhanced_for_statement", "catch_clause", "resource", "type_pattern"], on_binding),
    **dict.fromkeys(["catch_formal_parameter", "record_pattern_component"], on_binding),
    "instanceof_expression": on_instanceof,
    "enum_constant": on_constant,
    "lambda_expression": on_lambda,
    **dict.fromkeys(["block", "constructor_body", "for_statement", "try_with_resources_statement"], on_block),
    "switch_block_statement_group": on_block,
    **dict.fromkeys(["method_invocation", "object_creation_expression"], on_call),
    "explicit_constructor_invocation": on_constructor_call,
    "method_reference": on_method_reference,
    **dict.fromkeys(["annotation", "marker_annotation"], on_annotation),
    "element_value_pair": on_pair,
    **dict.fromkeys(["labeled_statement", "break_statement", "continue_statement"], on_jump),
    **dict.fromkeys(["identifier", "type_identifier", "field_access", "scoped_type_identifier"], on_name),
}

GRAMMAR = Grammar(
    handlers=HANDLERS,
    names=frozenset({"identifier", "type_identifier"}),
    members={
        "field_access": ("object", "field"),
        "scoped_type_identifier": ("", ""),
        "scoped_identifier": ("scope", "name"),
    },
    calls={"method_invocation": "object.name", "object_creation_expression": "type"},
    transparent={
        "parenthesized_expression": "",
        "generic_type": "",
        "annotated_type": "",
        "cast_expression": "type",
    },
    special={"this": THIS, "super": SUPER},
    literals=frozenset({"string_literal", "decimal_integer_literal", "true", "false", "null_literal"}),
    class_members=True,
)


def java() -> TreeSitterExtractor:
    """The extractor of Java."""
    import tree_sitter_java

    return TreeSitterExtractor("java", GRAMMAR, (tree_sitter_java.language,))
