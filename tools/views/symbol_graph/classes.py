"""Classes: the method resolution order within the tree, and where a member is found in it.

The order is C3 linearization (Barrett et al., "A Monotonic Superclass Linearization for Dylan", 1996), as in
Python; bases from outside the tree make it *open*, since they may define anything. This is the second layer
of ``queries``: bases are followed by name only, never through what a call returns.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Ref
from repo_guardian.tools.views.symbol_graph.names import Names
from repo_guardian.tools.views.symbol_graph.namespace import Bound, Module
from repo_guardian.tools.views.symbol_graph.queries import Memo
from repo_guardian.tools.views.symbol_graph.values import Value, gone

_DEPTH: Final = 40
"""Longest line of ancestors that is followed; so that no input exhausts the stack."""
_MAX_CLASSES: Final = 200
"""Longest method resolution order that is kept."""
_MAX_STEPS: Final = 20
"""Longest chain of ``a = b`` that is followed to a base."""

_HARMLESS = frozenset({"builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC"})
"""Bases outside the tree that add neither a constructor nor a method that anyone calls by name."""

_ANSWERING = frozenset({"__getattr__", "__getattribute__"})
"""Methods that may answer any name."""

ClassKey = tuple[Module, int]


class Order(NamedTuple):
    """The classes of the tree in method resolution order, itself first; open when a base is outside."""

    classes: tuple[ClassKey, ...]
    is_open: bool


class Member(NamedTuple):
    """Where a class finds a name: in the body of ``owner`` as ``bound``, else on ``self`` in methods.

    ``attributes`` are the types that ``self.name`` is given, in the class itself and those it inherits from.
    """

    owner: Module
    bound: Bound | None
    attributes: tuple[tuple[Module, int], ...] = ()


class Hierarchy:
    """Inheritance among the classes of one corpus."""

    def __init__(self, names: Names, memo: Memo) -> None:
        self._names = names
        self._memo = memo

    def order(self, module: Module, index: int) -> Order:
        """The method resolution order of a class; a cycle or absurd depth leaves it open."""
        height = self._memo.height
        order = self._order(module, index, _DEPTH)
        self._memo.height = height
        return order

    def _order(self, module: Module, index: int, fuel: int) -> Order:
        known = self._memo.ask(module.orders, index, fuel, self._linearize, module)
        return known or Order(((module, index),), True)

    def _linearize(self, module: Module, index: int, fuel: int) -> Order:
        itself = (module, index)
        bases, is_open = self._bases(module, index, fuel)
        orders = [self._order(*base, fuel) for base in bases]
        merged = [c for c in _merge([list(order.classes) for order in orders] + [bases]) if c != itself]
        is_open = is_open or len(merged) > _MAX_CLASSES or any(order.is_open for order in orders)
        return Order((itself, *merged[:_MAX_CLASSES]), is_open)

    def bases(self, module: Module, index: int) -> tuple[list[ClassKey], bool]:
        """The bases within the tree, and whether there are others that matter."""
        height = self._memo.height
        found = self._bases(module, index, _DEPTH)
        self._memo.height = height
        return found

    def _bases(self, module: Module, index: int, fuel: int) -> tuple[list[ClassKey], bool]:
        found: list[ClassKey] = []
        others = False
        self._memo.read.append(module.definition_key(index))
        for ref in module.facts.definitions[index].base_refs:
            value = self._named(module, ref, fuel, 0)
            if value is not None and value.is_class and value.module is not None:
                found.append((value.module, value.number))
            elif value is None or value.kind != "gone" or value.names[0] not in _HARMLESS:
                others = True
        return found, others

    def _named(self, module: Module, ref: Ref, fuel: int, steps: int) -> Value | None:
        """What a reference stands for by names, members of classes and ``a = b`` alone."""
        parts = ref.path.split(".") if ref.path else []
        value: Value | None = None
        if ref.root == "global":
            value = next(iter(self._names.global_(module, parts.pop(0))), None)
        elif ref.root in ("local", "cls"):
            self._memo.read.append(module.definition_key(ref.number))
            value = Value("definition", module, ref.number)
        elif ref.root == "import":
            value = next(iter(self._names.bound(module, Bound(True, ref.number))), None)
        elif ref.root == "typed" and steps < _MAX_STEPS:
            fact = module.facts.types[ref.number]
            value = self._named(module, fact.ref, fuel, steps + 1) if fact.source == "value" else None
        value = self._chase(value, fuel, steps)
        for name in parts:
            value = self._chase(self._step(module, value, name, fuel), fuel, steps)
        return value

    def _chase(self, value: Value | None, fuel: int, steps: int) -> Value | None:
        """What a variable was assigned by name."""
        if value is None or value.kind != "definition" or value.module is None or steps >= _MAX_STEPS:
            return value
        definition = value.module.facts.definitions[value.number]
        if definition.kind != "variable" or definition.type < 0:
            return value
        fact = value.module.facts.types[definition.type]
        return self._named(value.module, fact.ref, fuel, steps + 1) if fact.source == "value" else value

    def _step(self, importer: Module, value: Value | None, name: str, fuel: int) -> Value | None:
        if value is None:
            return None
        if value.kind == "module" and value.module is not None:
            return next(iter(self._names.name(value.module, name)), None)
        if value.kind == "gone":
            found = None
            if value.module is None:
                found = self._names.find(f"{value.names[0]}.{name}", importer)
            return gone(f"{value.names[0]}.{name}") if found is None else Value("module", found)
        if value.is_class and value.module is not None:
            for owner, number in self._order(value.module, value.number, fuel).classes:
                self._memo.read.append(owner.member_key(number, name))
                for bound in owner.candidates(number, name):
                    return next(iter(self._names.bound(owner, bound)), None)
        return None

    # Members

    def member(self, module: Module, index: int, name: str) -> Member | None:
        """Where a class finds ``name``, itself included."""
        return self._memo.ask_once(module.members, (index, name), self._search, module, index, name, 0)  # type: ignore[no-any-return]

    def inherited(self, module: Module, index: int, name: str) -> Member | None:
        """Where ``super()`` finds ``name``, in methods of a class."""
        return self._search(module, index, name, 1)

    def _search(self, module: Module, index: int, name: str, start: int) -> Member | None:
        found: list[tuple[Module, int]] = []
        for owner, number in self.order(module, index).classes[start:]:
            self._memo.read.append(owner.member_key(number, name))
            attribute = owner.attributes.get((number, name), -2)
            for bound in () if found else owner.candidates(number, name):
                return Member(owner, bound)
            if attribute != -2:
                found.append((owner, attribute))
        return Member(found[0][0], None, tuple(found)) if found else None

    def is_subclass(self, module: Module, index: int, other: ClassKey) -> bool:
        """Whether a class is ``other`` or inherits from it."""
        return other in self.order(module, index).classes

    def answers_any(self, module: Module, index: int) -> bool:
        """Whether ``__getattr__`` or its like may answer any name."""
        for owner, number in self.order(module, index).classes:
            self._memo.read += [owner.member_key(number, name) for name in _ANSWERING]
            if number in owner.scopes and owner.scopes[number].keys() & _ANSWERING:
                return True
        return False

    def method_of(self, module: Module, index: int) -> int:
        """The class whose body the function ``index`` stands in, -1 when it is no method."""
        parent = module.facts.definitions[index].parent
        in_class = parent != MODULE_SCOPE and module.facts.definitions[parent].kind == "class"
        return parent if in_class else -1


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
