"""Function and class statements: decorators, parameters, bases, and the scope of the body."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Region, Role
from repo_guardian.tools.views.facts.python.expressions import annotation_hint, bind_target, plain_chain
from repo_guardian.tools.views.facts.python.scopes import Binding, Chain, Scope
from repo_guardian.tools.views.facts.python.walk import IN_BASES, Draft, Handler, Walk
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

_ROLES: dict[str, Role] = {
    "property": "property",
    "cached_property": "property",
    "functools.cached_property": "property",
    "abc.abstractproperty": "property",
    "abstractproperty": "property",
    "staticmethod": "staticmethod",
    "classmethod": "classmethod",
    "abc.abstractstaticmethod": "staticmethod",
    "abc.abstractclassmethod": "classmethod",
    "overload": "overload",
    "typing.overload": "overload",
    "t.overload": "overload",
    "typing_extensions.overload": "overload",
}
_COMPOUND = frozenset({
    "block", "decorated_definition", "function_definition", "class_definition", "if_statement",
    "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement", "except_clause",
    "except_group_clause", "finally_clause", "with_statement", "match_statement", "case_clause",
})  # fmt: skip
"""Statements that end with a block, to which the grammar adds the comments that follow it."""

_IMPLICIT: dict[str, Role] = {
    "__new__": "staticmethod",
    "__init_subclass__": "classmethod",
    "__class_getitem__": "classmethod",
}


def on_decorated(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A definition with decorators, which are expressions of the enclosing scope."""
    definition = node.child_by_field_name("definition")
    decorators = [child for child in node.named_children if child.type == "decorator"]
    if definition is not None and definition.type == "function_definition":
        _function(walk, definition, scope, _region(walk, node), decorators)
    elif definition is not None:
        _class(walk, definition, scope, _region(walk, node), decorators)
    for decorator in decorators:
        walk.push(decorator.named_children, scope, flags & ~IN_BASES)


def on_function(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A function without decorators."""
    _function(walk, node, scope, _region(walk, node), [])


def on_class(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A class without decorators."""
    _class(walk, node, scope, _region(walk, node), [])


def _region(walk: Walk, node: Node) -> Region:
    """A definition without the comments that follow its last statement, as ``ast`` has it."""
    last = node
    while last.type in _COMPOUND:
        children = [child for child in last.named_children if child.type != "comment"]
        if not children:
            break
        last = children[-1]
    return walk.source.locate(node.start_byte, last.end_byte)


def _decorators(
    walk: Walk, nodes: list[Node], scope: Scope
) -> tuple[tuple[str, ...], tuple[tuple[Chain, Scope], ...]]:
    """Decorators as text, and the dotted name of each (``Chain("")`` when it is none)."""
    texts, chains = [], []
    for node in nodes:
        children = [child for child in node.named_children if child.type != "comment"]
        if not children:
            continue
        texts.append(walk.text(children[0]))
        target: Node | None = children[0]
        if target is not None and target.type == "call":
            target = target.child_by_field_name("function")
        chains.append((plain_chain(walk, target) or Chain(""), scope))
    return tuple(texts), tuple(chains)


def _role(name: str, decorators: tuple[str, ...], in_class: bool) -> Role:
    for text in decorators:
        if text in _ROLES and (in_class or _ROLES[text] == "overload"):
            return _ROLES[text]
        if in_class and text.rpartition(".")[2] in ("setter", "deleter"):
            return "setter"
        if in_class and text.endswith(".getter"):
            return "property"
    return _IMPLICIT.get(name, "") if in_class else ""


def _function(walk: Walk, node: Node, scope: Scope, region: Region, decorator_nodes: list[Node]) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        walk.push(node.named_children, scope, 0)
        return
    decorators, chains = _decorators(walk, decorator_nodes, scope)
    name = walk.name(name_node)
    in_class = scope.kind == "class"
    draft = Draft(
        "function",
        scope.owner,
        name,
        region,
        role=_role(name, decorators, in_class),
        decorators=decorators,
        decorator_chains=chains,
        is_async=bool(node.child_count) and node.children[0].type == "async",
    )
    index = walk.define(draft, scope)
    header = _header(walk, node, scope, index)
    body = draft.body = Scope("function", header, index)
    parameters = _parameters(walk, node.child_by_field_name("parameters"), body, header)
    returns = node.child_by_field_name("return_type")
    draft.signature = Signature(parameters, None if returns is None else walk.text(returns), draft.is_async)
    if in_class and draft.role != "staticmethod":
        _bind_self(body, parameters, draft.role, scope.owner)
    elif in_class and name == "__new__":
        _bind_self(body, parameters, "classmethod", scope.owner)
    walk.push([node.child_by_field_name("body")], body, 0)
    walk.push([returns], header, 0)


def _header(walk: Walk, node: Node, scope: Scope, index: int) -> Scope:
    """The scope of a definition's own line, where its PEP 695 type parameters are bound."""
    header = Scope("header", scope, index)
    parameters = node.child_by_field_name("type_parameters")
    for child in parameters.named_children if parameters is not None else ():
        name = child
        while name.named_children and name.type != "identifier":
            name, *rest = name.named_children
            walk.push(rest, header, 0)
        if name.type == "identifier":
            header.bind(walk.name(name), Binding("variable"))
    return header


def _bind_self(body: Scope, parameters: tuple[Parameter, ...], role: Role, owner: int) -> None:
    first = parameters[0] if parameters else None
    if first is not None and first.kind in (
        ParameterKind.POSITIONAL_ONLY,
        ParameterKind.POSITIONAL_OR_KEYWORD,
    ):
        kind = Binding("cls" if role == "classmethod" else "self", owner)
        known = body.bindings.get(first.name, [])
        body.bindings[first.name] = [kind, *known[1:]]


def _parameters(walk: Walk, node: Node | None, body: Scope, header: Scope) -> tuple[Parameter, ...]:
    """The parameters as written, bound in ``body``; defaults and annotations are walked outside of it."""
    found: list[Parameter] = []
    kind = ParameterKind.POSITIONAL_OR_KEYWORD
    for child in node.named_children if node is not None else ():
        if child.type == "positional_separator":
            found = [Parameter(p.name, ParameterKind.POSITIONAL_ONLY, p.default, p.annotation) for p in found]
        elif child.type == "keyword_separator":
            kind = ParameterKind.KEYWORD_ONLY
        elif child.type != "comment":
            parameter = _parameter(walk, child, kind, body, header)
            if parameter is None:
                continue
            found.append(parameter)
            if parameter.kind is ParameterKind.VAR_POSITIONAL:
                kind = ParameterKind.KEYWORD_ONLY
    return tuple(found)


def _parameter(walk: Walk, node: Node, kind: ParameterKind, body: Scope, header: Scope) -> Parameter | None:
    default = node.child_by_field_name("value")
    annotation = node.child_by_field_name("type")
    name = node.child_by_field_name("name")
    if name is None and node.type == "typed_parameter" and node.named_children:
        name = node.named_children[0]
    name = name if name is not None else node
    hint = annotation_hint(walk, annotation, header)
    if name.type == "list_splat_pattern":
        kind, hint = ParameterKind.VAR_POSITIONAL, None
    elif name.type == "dictionary_splat_pattern":
        kind, hint = ParameterKind.VAR_KEYWORD, None
    elif name.type not in ("identifier", "tuple_pattern"):
        walk.push([node], header, 0)
        return None
    if name.type == "tuple_pattern":
        walk.python2(node)
    bind_target(walk, name, body, hint)
    walk.push([annotation, default], header, 0)
    return Parameter(
        walk.text(name).lstrip("*").strip(),
        kind,
        None if default is None else walk.text(default),
        None if annotation is None else walk.text(annotation),
    )


def _class(walk: Walk, node: Node, scope: Scope, region: Region, decorator_nodes: list[Node]) -> None:
    name_node = node.child_by_field_name("name")
    if name_node is None:
        walk.push(node.named_children, scope, 0)
        return
    decorators, chains = _decorators(walk, decorator_nodes, scope)
    draft = Draft(
        "class", scope.owner, walk.name(name_node), region, decorators=decorators, decorator_chains=chains
    )
    index = walk.define(draft, scope)
    header = _header(walk, node, scope, index)
    _bases(walk, node.child_by_field_name("superclasses"), draft, header)
    draft.body = Scope("class", header, index)
    walk.push([node.child_by_field_name("body")], draft.body, 0)


def _bases(walk: Walk, node: Node | None, draft: Draft, header: Scope) -> None:
    """Bases, and keyword arguments such as ``metaclass=``; their uses belong to the class itself."""
    texts, chains, keywords = [], [], []
    for child in node.named_children if node is not None else ():
        if child.type == "keyword_argument":
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is not None and value is not None:
                keywords.append((walk.name(name), walk.text(value)))
            walk.push([value], header, 0)
        elif child.type != "comment":
            texts.append(walk.text(child))
            target = child.named_children[0] if child.type == "subscript" and child.named_children else child
            chains.append((plain_chain(walk, target) or Chain(""), header))
            walk.push([child], header, IN_BASES)
    draft.bases, draft.base_chains, draft.keywords = tuple(texts), tuple(chains), tuple(keywords)


HANDLERS: dict[str, Handler] = {
    "decorated_definition": on_decorated,
    "function_definition": on_function,
    "class_definition": on_class,
}
