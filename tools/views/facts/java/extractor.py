"""The table of Java.

Facts of Java: ``package`` is the package declaration's name; an import's ``module`` is all but the last part
of what is imported and ``name`` the last part, ``*`` included; a static import has the class in ``module``.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import DefinitionKind, Import, Role
from repo_guardian.tools.views.facts.treesitter.extractor import TreeSitterExtractor
from repo_guardian.tools.views.facts.treesitter.scopes import SUPER, THIS, UNKNOWN, Chain, Hint
from repo_guardian.tools.views.facts.treesitter.walk import Draft, Grammar, Handler, Walk, first_child
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
        if name is not None:
            walk.mark(name)
            walk.bind(walk.name(name))


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
    walk.use("call", own, node, _shape(node.child_by_field_name("arguments")))


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
    walk.use("call", chain, node, _shape(node.child_by_field_name("arguments")), own=own)


def on_constructor_call(walk: Walk, node: Node) -> None:
    """A call of another constructor: ``this(…)`` or ``super(…)``."""
    which = node.child_by_field_name("constructor")
    if which is not None:
        root = THIS if which.type == "this" else SUPER
        chain = Chain(root, ("<init>",), walk.scope)
        walk.mark(which)
        walk.use("call", chain, node, _shape(node.child_by_field_name("arguments")))


def _shape(node: Node | None) -> CallShape:
    parts = [] if node is None else [c for c in node.named_children if "comment" not in c.type]
    return CallShape(len(parts))


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
