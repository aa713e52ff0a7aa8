"""``__all__``: literal lists, ``+``, ``+=``, ``extend``, ``append``, ``remove``, and other modules' lists."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.scopes import Scope
from repo_guardian.tools.views.facts.python.values import plain_chain
from repo_guardian.tools.views.facts.python.walk import ExportsDraft, Walk

_NAME = "__all__"
_SURROGATE = re.compile("[\ud800-\udfff]")


def assigned(walk: Walk, target: Node, value: Node | None, scope: Scope) -> None:
    """``__all__ = value``."""
    if target.type != "identifier" or value is None or walk.name(target) != _NAME:
        return
    walk.exports = ExportsDraft(seen=True)
    _add(walk, value, scope)


def augmented(walk: Walk, target: Node, value: Node | None, scope: Scope) -> None:
    """``__all__ += value``."""
    if value is not None and walk.name(target) == _NAME:
        walk.exports.seen = True
        _add(walk, value, scope)


def called(walk: Walk, call: Node, scope: Scope) -> None:
    """``__all__.extend(value)`` and its like."""
    chain = plain_chain(walk, call.child_by_field_id(fields.FUNCTION))
    arguments = call.child_by_field_id(fields.ARGUMENTS)
    if chain is None or chain.root != _NAME or len(chain.path) != 1 or arguments is None:
        return
    walk.exports.seen = True
    values = arguments.named_children
    method = chain.path[0]
    if method == "extend" and len(values) == 1:
        _add(walk, values[0], scope)
    elif method == "append" and len(values) == 1:
        _add_items(walk, values, scope)
    elif method == "remove" and len(values) == 1 and _literal(walk, values[0]) in walk.exports.names:
        walk.exports.names.remove(_literal(walk, values[0]) or "")
    elif method != "sort":
        walk.exports.certain = False


def _add(walk: Walk, value: Node, scope: Scope) -> None:
    stack = [value]
    while stack:
        node = stack.pop()
        chain = plain_chain(walk, node)
        if node.type == "binary_operator":
            stack += reversed(node.named_children)
        elif node.type in ("list", "tuple", "expression_list", "set"):
            _add_items(walk, node.named_children, scope)
        elif node.type in ("parenthesized_expression", "list_splat") and node.named_children:
            stack.append(node.named_children[0])
        elif chain is not None and chain.path and chain.path[-1] == _NAME:
            walk.exports.extends.append((chain._replace(path=chain.path[:-1]), scope))
        else:
            walk.exports.certain = False


def _add_items(walk: Walk, nodes: list[Node], scope: Scope) -> None:
    for node in nodes:
        text = _literal(walk, node)
        if text is not None:
            walk.exports.names.append(text)
        elif node.type == "list_splat":
            _add(walk, node, scope)
        elif node.type != "comment":
            walk.exports.certain = False


def _literal(walk: Walk, node: Node) -> str | None:
    """The value of a plain string literal; a text with half a surrogate pair names nothing."""
    if node.type not in ("string", "concatenated_string"):
        return None
    try:
        value = ast.literal_eval(walk.text(node))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) and not _SURROGATE.search(value) else None
