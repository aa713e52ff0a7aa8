"""Classes: the method resolution order within the tree, members, and what ``super()`` finds.

The order is C3 linearization (Barrett et al., "A Monotonic Superclass Linearization for Dylan", 1996), as in
Python; bases from outside the tree make it *open*, since they may define anything.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from repo_guardian.tools.views.symbol_graph.namespace import UNKNOWN, Module, Value, gone
from repo_guardian.tools.views.symbol_graph.pynames import OBJECT_ATTRIBUTES

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.resolve import Resolver

_MAX_DEPTH = 40
"""Longest line of ancestors that is followed; so that no input exhausts the stack."""
_HARMLESS = frozenset({"builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC"})
"""Bases outside the tree that add neither a constructor nor a method that anyone calls by name."""

_MAX_CLASSES = 200
"""Longest method resolution order that is kept."""

ClassKey = tuple[Module, int]


class Order(NamedTuple):
    """The classes of the tree in method resolution order, itself first; open when a base is outside."""

    classes: tuple[ClassKey, ...]
    is_open: bool


class Hierarchy:
    """Inheritance among the classes of one commit."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._depth = 0
        self._orders: dict[tuple[str, int], Order] = {}

    def bases(self, module: Module, index: int) -> tuple[list[ClassKey], bool]:
        """The bases within the tree, and whether there are others that matter."""
        found: list[ClassKey] = []
        others = False
        for ref in module.facts.definitions[index].base_refs:
            value = self._resolver.chase(self._resolver.ref(module, ref))
            if value.is_class and value.module is not None:
                found.append((value.module, value.number))
            elif value.kind != "gone" or value.names[0] not in _HARMLESS:
                others = True
        return found, others

    def order(self, module: Module, index: int) -> Order:
        """The method resolution order of a class; a cycle or absurd depth leaves it open."""
        key = (module.id, index)
        if key in self._orders:
            return self._orders[key]
        itself = (module, index)
        if self._depth > _MAX_DEPTH:
            return Order((itself,), True)
        self._orders[key] = Order((itself,), True)
        self._depth += 1
        bases, is_open = self.bases(module, index)
        orders = [self.order(*base) for base in bases]
        self._depth -= 1
        merged = [c for c in _merge([list(order.classes) for order in orders] + [bases]) if c != itself]
        is_open = is_open or len(merged) > _MAX_CLASSES or any(order.is_open for order in orders)
        result = Order((itself, *merged[:_MAX_CLASSES]), is_open)
        self._orders[key] = result
        return result

    def member(self, module: Module, index: int, name: str, instance: bool) -> Value:
        """The attribute ``name`` of a class or of its instances."""
        if name == "__class__" and instance:
            return Value("definition", module, index)
        classes = self.order(module, index).classes
        return self._search(classes, name, instance) or self._missing(classes, name)

    def inherited(self, module: Module, index: int, name: str) -> Value:
        """What ``super().name`` finds in methods of a class."""
        classes = self.order(module, index).classes[1:]
        return self._search(classes, name, True) or self._missing(classes, name)

    def _search(self, classes: tuple[ClassKey, ...], name: str, instance: bool) -> Value | None:
        for module, index in classes:
            for bound in module.candidates(index, name):
                if bound.is_import:
                    return self._resolver.imported(module, module.facts.imports[bound.number])
                definition = module.facts.definitions[bound.number]
                plain = definition.kind == "function" and definition.role in ("", "overload")
                return Value("definition", module, bound.number, unbound=plain and not instance)
            if (index, name) in module.attributes:
                known = module.attributes[index, name]
                return UNKNOWN if known < 0 else self._resolver.type_value(module, known)
        return None

    def _missing(self, classes: tuple[ClassKey, ...], name: str) -> Value:
        """A name that no class of the tree has: it is missing from each, unless one answers any name."""
        if name in OBJECT_ATTRIBUTES or not classes:
            return UNKNOWN
        if any(m.scopes.get(i, {}).keys() & {"__getattr__", "__getattribute__"} for m, i in classes):
            return UNKNOWN
        return gone(*(f"{module.ids[index]}.{name}" for module, index in classes), module=classes[0][0])


def _merge(sequences: list[list[ClassKey]]) -> list[ClassKey]:
    """The merge of C3; when no consistent order exists, the first candidate is taken.

    Each sequence is read through a position, and a count says in how many tails a class still stands, so
    that the cost is that of the sequences' length.
    """
    tails = Counter(item for sequence in sequences for item in sequence[1:])
    positions = [0] * len(sequences)
    merged: list[ClassKey] = []
    done: set[ClassKey] = set()
    while True:
        heads = [s[position] for s, position in zip(sequences, positions, strict=True) if position < len(s)]
        if not heads:
            return merged
        head = next((item for item in heads if not tails[item]), heads[0])
        if head not in done:
            merged.append(head)
            done.add(head)
        for number, sequence in enumerate(sequences):
            position = positions[number]
            if position < len(sequence) and sequence[position] == head:
                positions[number] = position + 1
                if position + 1 < len(sequence):
                    tails[sequence[position + 1]] -= 1
