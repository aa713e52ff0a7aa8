"""What containers, iteration, ``await`` and ``with`` give."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from repo_guardian.tools.views.facts.interface import TypeSource
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.values import (
    ASSIGNED,
    NOTHING,
    RETURNED,
    Value,
    Values,
    marked,
    union,
)

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.resolve import Resolver

_SPREAD = "**"
_ELEMENT, _ITEMS, _PAIR = "element", "pairs", "pair"
_METHODS = {
    **dict.fromkeys(("get", "pop", "popleft", "popitem", "setdefault"), _ELEMENT),
    **dict.fromkeys(("values", "copy", "union", "intersection", "difference"), ""),
    "items": _ITEMS,
}
"""Methods of containers, and what they give: an element, a container of the same elements, or of pairs."""


class Protocols:
    """Values out of other values, by the protocols of the language."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def give(self, source: TypeSource, value: Value, key: str, fuel: int) -> Values:
        """What the type source ``element``, ``iterate``, ``await`` or ``enter`` makes of a value."""
        if source == "iterate":
            return self.iterated(value, fuel)
        if source == "await":
            return self.awaited(value, fuel)
        if source == "enter":
            return self.entered(value, fuel)
        return self.element(value, key, fuel)

    def method(self, value: Value, name: str) -> Values:
        """The method ``name`` of a container, when what it returns is made of what the container holds."""
        return (value._replace(names=(name,)),) if name in _METHODS and not value.names else NOTHING

    def result(self, value: Value, fuel: int) -> Values:
        """What calling such a method gives."""
        name = _METHODS.get(value.names[0] if value.names else "", "")
        if name == _ELEMENT:
            return self.element(value._replace(names=()), "", fuel)
        return (value._replace(names=(name,) if name else ()),) if value.names else NOTHING

    def element(self, value: Value, key: str, fuel: int) -> Values:
        """What ``value[key]`` is; ``key`` is "" for one that is not known."""
        if value.names == (_ITEMS,):
            return (value._replace(names=(_PAIR,)),)
        if value.names == (_PAIR,):
            return NOTHING if key == "0" else self.element(value._replace(names=()), "", fuel)
        if value.kind == "container" and value.module is not None:
            return marked(self._displayed(value.module, value.number, key, fuel), ASSIGNED)
        if value.kind == "arguments":
            return self._resolver.flows.variadic(value, key, fuel)
        if value.kind == "instance":
            return self._call(value, "__getitem__", fuel)
        return NOTHING

    def last_under(self, values: Values, key: str) -> Values:
        """Of displays that are assigned one after the other, the last that holds the key; the others go."""
        holders = [v for v in values if v.kind == "container" and not v.names and self._holds(v, key)]
        if len(holders) < 2:
            return values
        return tuple([v for v in values if v.kind != "container" or v == holders[-1]])

    def _holds(self, value: Value, key: str) -> bool:
        return value.module is not None and key in value.module.facts.types[value.number].keys

    def _displayed(self, module: Module, index: int, key: str, fuel: int) -> Values:
        """The items of a display under a key, all of them when it has none such."""
        fact = module.facts.types[index]
        pairs = list(zip(fact.keys, fact.items, strict=False))
        chosen = [item for known, item in pairs if key and known == key]
        if not chosen:
            chosen = [item for known, item in pairs if known != _SPREAD and (not key or not known)]
        found = [value for item in chosen for value in self._resolver.type(module, item, fuel)]
        if key.lstrip("-").isdigit():
            key = ""  # where a slice or another list is spread, positions are others
        for known, item in pairs:
            if known == _SPREAD:
                found += self._resolver.memo.deeper(fuel, partial(self._spread, module, item, key))
        return union(found)

    def _spread(self, module: Module, item: int, key: str, fuel: int) -> Values:
        values = self._resolver.type(module, item, fuel)
        held = [content for value in values for content in self._resolver.contents(value, fuel)]
        return union([found for value in held for found in self.element(value, key, fuel)])

    def iterated(self, value: Value, fuel: int) -> Values:
        """What iterating over ``value`` gives."""
        if value.kind in ("container", "arguments"):
            return self.element(value, "", fuel)
        if value.kind == "generator":
            return self._yielded(value, fuel)
        if value.kind != "instance":
            return NOTHING
        found: list[Value] = []
        for iterator in self._call(value, "__iter__", fuel):
            if iterator.kind == "instance":
                found += self._call(iterator, "__next__", fuel)
            else:
                found += self.iterated(iterator, fuel)
        return union(found)

    def _yielded(self, value: Value, fuel: int) -> Values:
        module = value.module
        if module is None:
            return NOTHING
        self._resolver.memo.read.append(module.result_key(value.number))
        index = module.facts.definitions[value.number].yields
        return NOTHING if index < 0 else marked(self._resolver.type(module, index, fuel), RETURNED)

    def awaited(self, value: Value, fuel: int) -> Values:
        """What ``await value`` gives."""
        return self._resolver.calls.returned(value, fuel) if value.kind == "coroutine" else NOTHING

    def entered(self, value: Value, fuel: int) -> Values:
        """What ``with value as`` binds: what ``__enter__`` returns or a context manager function yields."""
        if value.kind == "generator":
            return self._yielded(value, fuel)
        if value.kind != "instance":
            return NOTHING
        found = self._call(value, "__enter__", fuel)
        if found:
            return found
        entering = self._call(value, "__aenter__", fuel)
        return union([item for got in entering for item in self.awaited(got, fuel)])

    def _call(self, value: Value, name: str, fuel: int) -> Values:
        """What the method ``name`` of an instance returns."""
        if value.module is None:
            return NOTHING
        methods = self._resolver.member(value, name, fuel)
        return self._resolver.calls.results(tuple([m for m in methods if m.kind == "definition"]), fuel)
