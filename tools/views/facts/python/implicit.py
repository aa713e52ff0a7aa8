"""Calls that the language makes: of the methods of what is iterated over or entered.

Whether they lead anywhere only the linker can tell; of displays and literals it is known that they do not.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.python.displays import made
from repo_guardian.tools.views.facts.python.scopes import VALUE, Chain, Scope
from repo_guardian.tools.views.facts.python.walk import Walk
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_NO_ARGUMENTS = CallShape()
_ON_EXIT = CallShape(3)


def iterate(walk: Walk, node: Node | None, scope: Scope, value: int, *, is_async: bool) -> None:
    """``for … in value``: an iterator is made, and asked for the next item."""
    if node is None or not _may_define(walk, value):
        return
    start, following = ("__aiter__", "__anext__") if is_async else ("__iter__", "__next__")
    chain = _method(walk, value, start)
    walk.use("implicit", scope, chain, node, (_NO_ARGUMENTS, ()))
    iterator = walk.of("call", chain, scope)
    walk.use("implicit", scope, Chain(VALUE, (following,), iterator), node, (_NO_ARGUMENTS, ()))


def enter(walk: Walk, node: Node, scope: Scope, *, is_async: bool) -> int:
    """``with value``: the value of ``as``."""
    value = walk.value_of(node, scope)
    if _may_define(walk, value):
        before, after = ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__")
        walk.use("implicit", scope, _method(walk, value, before), node, (_NO_ARGUMENTS, ()))
        walk.use("implicit", scope, _method(walk, value, after), node, (_ON_EXIT, ()))
    return made(walk, "enter", value)


def _may_define(walk: Walk, value: int) -> bool:
    """Whether the value may be an instance of a class of the repository."""
    return value >= 0 and walk.values[value].source != "display" and not walk.is_literal(value)


def _method(walk: Walk, value: int, name: str) -> Chain:
    """The method of a value; of one that is a mere name, an attribute of that name."""
    source, chain, *_ = walk.values[value]
    return chain._replace(path=(*chain.path, name)) if source == "value" else Chain(VALUE, (name,), value)
