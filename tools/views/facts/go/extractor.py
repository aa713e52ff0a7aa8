"""The table of Go.

Facts of Go: ``package`` is the package clause's name; an import's ``module`` is its path, ``alias`` its
name where one is given, and ``name`` is ``*`` for a dot import. A method belongs to its receiver's type.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.go.paths import bound_name
from repo_guardian.tools.views.facts.interface import DefinitionKind, Import
from repo_guardian.tools.views.facts.treesitter.extractor import TreeSitterExtractor
from repo_guardian.tools.views.facts.treesitter.scopes import UNKNOWN, Hint
from repo_guardian.tools.views.facts.treesitter.walk import Draft, Grammar, Handler, Walk, first_child
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature

_KINDS: dict[str, DefinitionKind] = {"struct_type": "class", "interface_type": "interface"}
_CALLS = ("call_expression", "type_conversion_expression")


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
        for name in part.children_by_field_name("name"):
            walk.mark(name)
            walk.bind(walk.name(name))


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
        hint = walk.annotation(declared) or _value(walk, value, number, len(names), len(values))
        if walk.scope.owner >= 0:
            walk.bind(walk.name(name), hint)
            continue
        draft = Draft("variable", -1, walk.name(name), node.start_byte, node.end_byte)
        draft.annotation = None if declared is None else walk.text(declared)
        draft.value, draft.hint = None if value is None else walk.text(value), hint
        walk.define(draft, walk.scope)


def _value(walk: Walk, value: Node | None, number: int, names: int, values: int) -> Hint | None:
    """What a variable holds; of a call with several results the first is known."""
    if value is None or (names != values and number > 0):
        return None
    return walk.value(value)


def on_short(walk: Walk, node: Node) -> None:
    """``a, b := f()``."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    names = [] if left is None else left.named_children
    values = [] if right is None else right.named_children
    for number, name in enumerate(names):
        if name.type == "identifier":
            walk.mark(name)
            value = values[number] if number < len(values) else (values[0] if values else None)
            walk.bind(walk.name(name), _value(walk, value, number, len(names), len(values)))


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
