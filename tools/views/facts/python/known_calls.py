"""Calls of the standard library whose result is made of their arguments: ``list``, ``zip``, ``partial``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.python.displays import MAX_ITEMS, container_of, made, spread
from repo_guardian.tools.views.facts.python.scopes import NOTHING_KNOWN, VALUE, Chain, Scope, Value
from repo_guardian.tools.views.facts.python.walk import Walk

_WITH_DEFAULT = 3


def _each(walk: Walk, node: Node, scope: Scope, depth: int) -> int:
    """An element of an iterable."""
    return made(walk, "iterate", walk.value_of(node, scope, depth))


def _enumerated(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    return container_of(walk, container_of(walk, _each(walk, given[0], scope, depth) if given else -1, "1"))


def _zipped(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    each = [(_each(walk, node, scope, depth), str(index)) for index, node in enumerate(given[:MAX_ITEMS])]
    known = [pair for pair in each if pair[0] >= 0]
    row = walk.value(Value("display", items=tuple(n for n, _ in known), keys=tuple(k for _, k in known)))
    return container_of(walk, row)


def _results(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    """``map(f, xs)``, ``defaultdict(f)``: a container of results of ``f``."""
    number = walk.value_of(given[0], scope, depth) if given else NOTHING_KNOWN
    if number < 0:
        return walk.value(Value("display"))
    source, chain, seen_from, *_ = walk.values[number]
    if source != "value":
        chain = Chain(VALUE, (), number)
    return container_of(walk, walk.of("call", chain, seen_from))


def _filtered(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    return spread(walk, given[1:2], scope, depth)


def _next(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    values = [walk.value_of(node, scope, depth) for node in given[:2]]
    return walk.any_of([made(walk, "iterate", values[0]), *values[1:]]) if values else NOTHING_KNOWN


def _first_argument(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    """``partial(f, x)``, ``copy(x)``: called or used like their first argument."""
    return walk.value_of(given[0], scope, depth) if given else NOTHING_KNOWN


def _attribute(walk: Walk, given: list[Node], scope: Scope, depth: int) -> int:
    """``getattr(x, name, default)`` of a name that is not written out: the default, or something unknown."""
    if len(given) != _WITH_DEFAULT:
        return walk.of("call", Chain("getattr"), scope)
    return walk.any_of([NOTHING_KNOWN, walk.value_of(given[2], scope, depth)])


class KnownCall(NamedTuple):
    """A callable of the standard library whose result says something of its arguments."""

    result: Callable[[Walk, list[Node], Scope, int], int]
    imported: bool = False


KNOWN_CALLS: dict[str, KnownCall] = {
    **dict.fromkeys(
        ("list", "tuple", "set", "frozenset", "dict", "sorted", "reversed", "iter"), KnownCall(spread)
    ),
    **dict.fromkeys(("deque", "OrderedDict", "Counter", "ChainMap"), KnownCall(spread, True)),
    "enumerate": KnownCall(_enumerated),
    "zip": KnownCall(_zipped),
    "map": KnownCall(_results),
    "filter": KnownCall(_filtered),
    "next": KnownCall(_next),
    "getattr": KnownCall(_attribute),
    "partial": KnownCall(_first_argument, True),
    "copy": KnownCall(_first_argument, True),
    "deepcopy": KnownCall(_first_argument, True),
    "defaultdict": KnownCall(_results, True),
}
