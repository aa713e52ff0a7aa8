"""The table of Rust, and its expressions."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.rust import imports, items
from repo_guardian.tools.views.facts.treesitter.extractor import TreeSitterExtractor
from repo_guardian.tools.views.facts.treesitter.records import Grammar, Handler
from repo_guardian.tools.views.facts.treesitter.scopes import THIS, UNKNOWN, Chain
from repo_guardian.tools.views.facts.treesitter.walk import Walk
from repo_guardian.tools.views.symbol_graph.signature import CallShape


def on_let(walk: Walk, node: Node) -> None:
    """``let p: T = v;``: names are bound from here on, those of the value before."""
    declared, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    hint = walk.annotation(declared) or walk.value(value)
    walk.delay(node)
    items.bind_pattern(walk, node.child_by_field_name("pattern"), hint)
    walk.delay(None)


def on_let_condition(walk: Walk, node: Node) -> None:
    """``if let Some(p) = v``."""
    walk.delay(node)
    items.bind_pattern(walk, node.child_by_field_name("pattern"), None)
    walk.delay(None)


def on_arm(walk: Walk, node: Node) -> None:
    """An arm of a ``match``."""
    walk.open("block", node)
    pattern = node.child_by_field_name("pattern")
    for part in [] if pattern is None else pattern.named_children[:1]:
        items.bind_pattern(walk, part, None)


def on_for(walk: Walk, node: Node) -> None:
    """``for p in v``."""
    walk.open("block", node)
    items.bind_pattern(walk, node.child_by_field_name("pattern"), None)


def on_closure(walk: Walk, node: Node) -> None:
    """``|a, b| c``."""
    walk.open("function", node)
    listed = node.child_by_field_name("parameters")
    for part in [] if listed is None else listed.named_children:
        declared = part.child_by_field_name("type")
        items.bind_pattern(walk, part.child_by_field_name("pattern") or part, walk.annotation(declared))


def on_block(walk: Walk, node: Node) -> None:
    """A block, or a statement that binds names for what is inside it."""
    walk.open("block", node)


def on_call(walk: Walk, node: Node) -> None:
    """A call of a function or a method."""
    chain = _outwards(walk, walk.callee(node))
    if chain.root != UNKNOWN or chain.path:
        arguments = node.child_by_field_name("arguments")
        parts = [] if arguments is None else arguments.named_children
        walk.use("call", chain, node, CallShape(sum("comment" not in part.type for part in parts)))


def _outwards(walk: Walk, chain: Chain) -> Chain:
    """``super::a`` inside an inline module is a name of the file around."""
    if chain.root == "super" and chain.path:
        inside = imports.inline_module(walk)
        if inside is not None and inside.parent is not None:
            return Chain(chain.path[0], chain.path[1:], inside.parent)
    return chain


def on_macro(walk: Walk, node: Node) -> None:
    """``m!(…)``."""
    name = node.child_by_field_name("macro")
    if name is not None:
        walk.chain(name)
        root, *path = items.macro_name(walk, node).split(".")
        walk.use("call", Chain(root, tuple(path), walk.scope), node)


def on_tokens(walk: Walk, node: Node) -> None:
    """What a macro is given is not parsed; a name before parentheses is taken for a call."""
    children = node.children
    for number, child in enumerate(children[:-1]):
        if child.type != "identifier" or children[number + 1].type != "token_tree":
            continue
        arguments = children[number + 1]
        if not arguments.child_count or arguments.children[0].type != "(":
            continue
        walk.mark(child)
        root, path = _backwards(walk, children, number)
        chain = Chain(root, path, walk.scope) if root.startswith("<") else walk.rooted(root, path)
        walk.use("call", _outwards(walk, chain), child, CallShape(0, star=True))


def _backwards(walk: Walk, children: list[Node], number: int) -> tuple[str, tuple[str, ...]]:
    """Root and path of the dotted expression that ends with the name at ``number``."""
    path = [walk.name(children[number])]
    while number >= 2 and children[number - 1].type in (".", "::"):
        before = children[number - 2]
        if before.type == "self" and children[number - 1].type == ".":
            return THIS, tuple(path)
        if before.type not in ("identifier", "self", "super", "crate"):
            return UNKNOWN, tuple(path)
        path.insert(0, walk.name(before))
        number -= 2
    if number >= 1 and children[number - 1].type in (".", "::"):
        return UNKNOWN, tuple(path)
    return path[0], tuple(path[1:])


def on_name(walk: Walk, node: Node) -> None:
    """A name or a path that is read."""
    walk.use("reference", _outwards(walk, walk.chain(node)), node)


def skip(walk: Walk, node: Node) -> None:
    """Attributes, lifetimes, labels: no names of the program."""
    imports.mark_all(walk, node)


HANDLERS: dict[str, Handler] = {
    **items.HANDLERS,
    "use_declaration": imports.on_use,
    "extern_crate_declaration": imports.on_extern,
    "let_declaration": on_let,
    "let_condition": on_let_condition,
    "match_arm": on_arm,
    "for_expression": on_for,
    "closure_expression": on_closure,
    **dict.fromkeys(["block", "if_expression", "while_expression"], on_block),
    "call_expression": on_call,
    "macro_invocation": on_macro,
    "token_tree": on_tokens,
    **dict.fromkeys(["attribute_item", "inner_attribute_item", "lifetime", "label", "macro_rule"], skip),
    **dict.fromkeys(["identifier", "type_identifier", "scoped_identifier"], on_name),
    **dict.fromkeys(["scoped_type_identifier", "field_expression"], on_name),
}

# fmt: off
GRAMMAR = Grammar(
    handlers=HANDLERS,
    names=frozenset({"identifier", "type_identifier"}),
    members={
        "field_expression": ("value", "field"),
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
    },
    calls={"call_expression": "function", "struct_expression": "name"},
    transparent={
        "parenthesized_expression": "",
        "try_expression": "",
        "await_expression": "",
        "reference_expression": "value",
        "unary_expression": "",
        "generic_type": "type",
        "generic_type_with_turbofish": "type",
        "generic_function": "function",
        "reference_type": "type",
        "pointer_type": "type",
        "abstract_type": "trait",
        "dynamic_type": "trait",
        "bracketed_type": "",
        "qualified_type": "type",
    },
    special={"self": THIS, "crate": "crate", "super": "super"},
    literals=frozenset({"string_literal", "integer_literal", "boolean_literal", "char_literal"}),
    wrappers=frozenset({"Box", "Rc", "Arc", "Option", "Result", "RefCell", "Cell", "Mutex", "RwLock", "Pin"}),
    identity=frozenset({
        "unwrap", "expect", "unwrap_or_default", "as_ref", "as_mut", "clone", "borrow", "borrow_mut",
        "to_owned", "lock",
    }),
    path_member="scoped_identifier",
)
# fmt: on


def rust() -> TreeSitterExtractor:
    """The extractor of Rust."""
    import tree_sitter_rust

    return TreeSitterExtractor("rust", GRAMMAR, (tree_sitter_rust.language,))
