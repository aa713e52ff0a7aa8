"""Function and class statements: decorators, parameters, bases, and the scope of the body."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Region, Role
from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.parameters import Place, bind_self, parameters_of
from repo_guardian.tools.views.facts.python.scopes import BOUND, VALUE, Binding, Chain, Scope, Value
from repo_guardian.tools.views.facts.python.values import chain_and_base, plain_chain
from repo_guardian.tools.views.facts.python.walk import (
    CONDITIONAL,
    IN_BASES,
    IN_TRY,
    Arguments,
    Draft,
    Handler,
    Walk,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

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


class _Place(NamedTuple):
    """Where a definition stands: its scope, its region with the decorators, and the walk's flags."""

    scope: Scope
    region: Region
    decorators: list[Node]
    flags: int


def on_decorated(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A definition with decorators, which are expressions of the enclosing scope."""
    definition = node.child_by_field_id(fields.DEFINITION)
    decorators = [child for child in node.named_children if child.type == "decorator"]
    index = len(walk.drafts)
    if definition is not None and definition.type == "function_definition":
        _function(walk, definition, _Place(scope, _region(walk, node), decorators, flags))
    elif definition is not None:
        _class(walk, definition, _Place(scope, _region(walk, node), decorators, flags))
    for decorator in reversed(decorators):
        _decorate(walk, decorator, scope, index)


def _decorate(walk: Walk, node: Node, scope: Scope, index: int) -> None:
    """One use that applies a decorator; the call in ``@x(...)`` is another one.

    What ``@x`` is given is known; ``@x(...)`` gives the definition to what ``x`` returned.
    """
    expression = next((child for child in node.named_children if child.type != "comment"), None)
    if expression is None:
        return
    given: Arguments = ()
    if index < len(walk.drafts):
        given = (("0", walk.value(Value("value", Chain(BOUND["definition"], (), index)))),)
    if expression.type != "call":
        chain, base = chain_and_base(walk, expression, scope)
        walk.use("decorate", scope, chain, expression, (None, given))
        walk.push([base], scope, 0)
        return
    function = expression.child_by_field_id(fields.FUNCTION)
    if function is not None:
        walk.use("decorate", scope, chain_and_base(walk, function, scope)[0], expression)
    made = walk.value_of(expression, scope)
    if made >= 0:
        walk.use("implicit", scope, Chain(VALUE, (), made), expression, (CallShape(1), given))
    walk.push([expression], scope, 0)


def on_function(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A function without decorators."""
    _function(walk, node, _Place(scope, _region(walk, node), [], flags))


def on_class(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A class without decorators."""
    _class(walk, node, _Place(scope, _region(walk, node), [], flags))


def on_lambda(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """A lambda is a function of its own, numbered in the order of the scope that it stands in."""
    count = walk.lambda_counts[scope.owner] = walk.lambda_counts.get(scope.owner, 0) + 1
    draft = Draft("function", scope.owner, f"<lambda{count}>", walk.region(node))
    index = walk.lambdas[node.start_byte] = len(walk.drafts)
    walk.drafts.append(draft)
    body = draft.body = Scope("lambda", scope, index)
    parameters, draft.defaults = parameters_of(
        walk, node.child_by_field_id(fields.PARAMETERS), Place(index, body, scope)
    )
    draft.signature = Signature(parameters)
    result = node.child_by_field_id(fields.BODY)
    body.returns.append(walk.value_of(result, body))
    walk.push([result], body, 0)


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
            target = target.child_by_field_id(fields.FUNCTION)
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


def _function(walk: Walk, node: Node, place: _Place) -> None:
    name_node = node.child_by_field_id(fields.NAME)
    scope = place.scope
    if name_node is None:
        walk.push(node.named_children, scope, 0)
        return
    decorators, chains = _decorators(walk, place.decorators, scope)
    name = walk.name(name_node)
    in_class = scope.kind == "class"
    draft = Draft(
        "function",
        scope.owner,
        name,
        place.region,
        role=_role(name, decorators, in_class),
        decorators=decorators,
        decorator_chains=chains,
        is_async=bool(node.child_count) and node.children[0].type == "async",
        conditional=bool(place.flags & (IN_TRY | CONDITIONAL)),
    )
    index = walk.define(draft, scope)
    header = _header(walk, node, scope, index)
    body = draft.body = Scope("function", header, index)
    parameters, draft.defaults = parameters_of(
        walk, node.child_by_field_id(fields.PARAMETERS), Place(index, body, header)
    )
    returns = node.child_by_field_id(fields.RETURN_TYPE)
    draft.signature = Signature(parameters, None if returns is None else walk.text(returns), draft.is_async)
    if in_class and (draft.role != "staticmethod" or name == "__new__"):
        bind_self(body, parameters, "classmethod" if name == "__new__" else draft.role, scope.owner)
    walk.push([node.child_by_field_id(fields.BODY)], body, 0)
    walk.push([returns], header, 0)


def _header(walk: Walk, node: Node, scope: Scope, index: int) -> Scope:
    """The scope of a definition's own line, where its PEP 695 type parameters are bound."""
    header = Scope("header", scope, index)
    parameters = node.child_by_field_id(fields.TYPE_PARAMETERS)
    for child in parameters.named_children if parameters is not None else ():
        name = child
        while name.named_children and name.type != "identifier":
            name, *rest = name.named_children
            walk.push(rest, header, 0)
        if name.type == "identifier":
            header.bind(walk.name(name), Binding("variable"))
    return header


def _class(walk: Walk, node: Node, place: _Place) -> None:
    name_node = node.child_by_field_id(fields.NAME)
    scope = place.scope
    if name_node is None:
        walk.push(node.named_children, scope, 0)
        return
    decorators, chains = _decorators(walk, place.decorators, scope)
    draft = Draft(
        "class",
        scope.owner,
        walk.name(name_node),
        place.region,
        decorators=decorators,
        decorator_chains=chains,
        conditional=bool(place.flags & (IN_TRY | CONDITIONAL)),
    )
    index = walk.define(draft, scope)
    header = _header(walk, node, scope, index)
    _bases(walk, node.child_by_field_id(fields.SUPERCLASSES), draft, header)
    draft.body = Scope("class", header, index)
    walk.push([node.child_by_field_id(fields.BODY)], draft.body, 0)


def _bases(walk: Walk, node: Node | None, draft: Draft, header: Scope) -> None:
    """Bases, and keyword arguments such as ``metaclass=``; their uses belong to the class itself."""
    texts, chains, keywords = [], [], []
    for child in node.named_children if node is not None else ():
        if child.type == "keyword_argument":
            name, value = child.child_by_field_id(fields.NAME), child.child_by_field_id(fields.VALUE)
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
    "lambda": on_lambda,
}
