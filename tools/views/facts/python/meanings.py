"""What names and values mean when the whole file has been seen: references, and the numbered types.

Values are worked off in the order in which they were found, each one after those that it is made of, so that
nothing here recurses. Types are numbered as they are asked for; what is unknown gets no number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_guardian.tools.views.facts.interface import Ref, RootKind, TypeFact
from repo_guardian.tools.views.facts.python.scopes import (
    BOUND,
    LAMBDA,
    LITERAL,
    NOTHING_KNOWN,
    SUPER,
    UNKNOWN,
    VALUE,
    Binding,
    BindingKind,
    Chain,
    Meaning,
    Scope,
    Value,
)
from repo_guardian.tools.views.facts.python.walk import PendingAddition, Walk

_ROOTS: dict[BindingKind, RootKind] = {
    "definition": "local",
    "import": "import",
    "self": "self",
    "cls": "cls",
}
_MARKED = {marker: _ROOTS[kind] for kind, marker in BOUND.items()}
_DEFINED = frozenset({"definition", "import"})
_RECEIVERS = frozenset({"self", "cls"})
_FILLED = ("display", "param")
"""Values that something may be put into."""
_new: Callable[[type[Ref], tuple[RootKind, int, str]], Ref] = tuple.__new__
"""The constructor that a named tuple's own, a Python function, calls."""


class Meanings:
    """Looks up what the walk collected.

    Args:
        walk: a finished walk; its values grow by those that several bindings of a name amount to.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._order: list[int] = []
        self._numbers: dict[int, int] = {}
        for addition in walk.additions:
            self._add(addition)
        self._spread_module_names()
        self._refs: list[Ref] = []
        self._same: list[int] = []
        self._settle()

    # Before anything is looked up

    def _add(self, addition: PendingAddition) -> None:
        """What is put into a container is one more of its values, if it was made here or passed in."""
        home = addition.scope.lookup(addition.name)
        if home is None:
            return
        bindings = home.bindings.get(addition.name, [])
        if any(self._is_filled(self._value_of(binding)) for binding in bindings):
            bindings.append(Binding("variable", -1, addition.value))

    def _is_filled(self, number: int) -> bool:
        return number >= 0 and self._walk.values[number].source in _FILLED

    def _value_of(self, binding: Binding) -> int:
        """What a variable's binding gives it."""
        if binding.kind == "definition":
            return self._walk.drafts[binding.number].held
        return binding.value

    def _spread_module_names(self) -> None:
        """A module variable that functions assign or fill too: its last definition holds all of it."""
        for scope in (self._walk.module, *(d.body for d in self._walk.drafts if d.kind == "class")):
            for bindings in scope.bindings.values() if scope is not None else ():
                others = [b.value for b in bindings if b.kind == "variable"]
                drafts = [self._walk.drafts[b.number] for b in bindings if b.kind == "definition"]
                if others and drafts and drafts[-1].kind == "variable":
                    drafts[-1].held = self._walk.any_of([drafts[-1].held, *others])
                    bindings[:] = [b for b in bindings if b.kind != "variable"]

    # References

    def ref(self, chain: Chain, scope: Scope | None) -> Ref:
        """``chain`` as seen from ``scope``; a ``typed`` reference has the number of a type."""
        raw = self._raw(chain, scope)
        return self._typed_ref(raw) if raw.root == "typed" else raw

    def _typed_ref(self, raw: Ref) -> Ref:
        """The number of a value replaced by that of its type."""
        number = self.number(raw.number)
        return Ref("typed", number, raw.path) if number >= 0 else Ref("unknown", -1, raw.path)

    def _raw(self, chain: Chain, scope: Scope | None) -> Ref:
        """As ``ref``, but the number of a ``typed`` reference is that of a value."""
        root, path, number = chain
        if scope is not None:
            meaning = scope.meanings.get(root)
            if meaning is None:
                meaning = scope.meanings[root] = self._meaning(scope, root)
            kind, bound = meaning
            if kind == "global":
                return _new(Ref, (kind, -1, ".".join((root, *path)) if path else root))
            if kind == "typed":
                return self._typed(bound, path)
            if kind != "":
                return _bound(kind, bound, path)
        if root == VALUE:
            return self._typed(number, path)
        rest = ".".join(path)
        if root == LITERAL:
            return Ref("literal", -1, rest)
        if root == LAMBDA and number in self._walk.lambdas:
            return Ref("local", self._walk.lambdas[number], rest)
        if root == SUPER:
            return _super(scope, rest)
        return _bound(_MARKED[root], number, path) if root in _MARKED else Ref("unknown", -1, rest)

    def _meaning(self, scope: Scope, name: str) -> Meaning:
        """What a name means in a scope, wherever it is bound."""
        if name in _MARKERS:
            return "", -1
        home = scope.lookup(name)
        if home is None:
            return "global", -1
        if home is scope:
            return self._bindings(scope, name)
        meaning = home.meanings.get(name)
        if meaning is None:
            meaning = home.meanings[name] = self._bindings(home, name)
        return meaning

    def _bindings(self, scope: Scope, name: str) -> Meaning:
        """What all bindings of a name by ``scope`` amount to; the module's definitions are the linker's."""
        # A ``global`` statement may name what the module itself never binds.
        known = [b for b in scope.bindings.get(name, ()) if b.kind != "none"]
        kinds = {b.kind for b in known}
        elsewhere: Meaning = ("global" if scope.kind == "module" else "unknown", -1)
        if not known or (scope.kind == "module" and kinds & _DEFINED):
            return elsewhere
        if kinds <= _DEFINED or (len(known) == 1 and kinds <= _RECEIVERS):
            return _ROOTS[known[-1].kind], known[-1].number
        values = [b.value if b.kind == "variable" else self._held(b) for b in known]
        number = self._walk.any_of(values)
        return ("typed", number) if number >= 0 else elsewhere

    def _held(self, binding: Binding) -> int:
        return self._walk.value(Value("value", Chain(BOUND[binding.kind], (), binding.number)))

    def _typed(self, number: int, path: tuple[str, ...]) -> Ref:
        """``path`` of a value."""
        rest = ".".join(path)
        if 0 <= number < len(self._same):
            number = self._same[number]
        if number < 0:
            return Ref("unknown", -1, rest)
        if self._walk.is_literal(number):
            return Ref("literal", -1, rest)
        return _new(Ref, ("typed", number, rest))

    # Types

    def _settle(self) -> None:
        """For each value its reference, and the older value that it is the same as; unknown ones are -1."""
        values = self._walk.values
        while len(self._refs) < len(values):
            index = len(self._refs)
            value = values[index]
            ref = Ref("unknown", -1, "")
            same = index
            if value.items or value.source == "display":
                if value.source != "display" and not any(self._same[item] >= 0 for item in value.items):
                    same = NOTHING_KNOWN
            else:
                ref = self._raw(value.chain, value.scope)
                if ref.root == "unknown":
                    same = NOTHING_KNOWN
                elif ref.root == "typed" and not ref.path and value.source == "value":
                    same = self._same_as(index, ref.number)
            self._refs.append(ref)
            self._same.append(same)

    def _same_as(self, index: int, other: int) -> int:
        """Which value stands for the variable ``index`` that is assigned ``other``.

        One that is only ever assigned itself is unknown. One that is not settled yet can be taken when it
        will be the same as no other, as all but variables are.
        """
        if other == index:
            return NOTHING_KNOWN
        return other if other < index or self._walk.values[other].source != "value" else index

    def _settled(self, value: int) -> int:
        """The value that ``value`` is the same as; -1 for what is unknown."""
        if value >= len(self._same):
            self._settle()
        first = self._same[value]
        return self._same[first] if first >= 0 else first

    def number(self, value: int) -> int:
        """The index of a value's type among the facts; -1 for what is unknown or a mere literal."""
        if value < 0:
            return -1
        value = self._settled(value)
        if value < 0 or self._walk.is_literal(value):
            return -1
        known = self._numbers.get(value)
        if known is None:
            known = self._numbers[value] = len(self._order)
            self._order.append(value)
        return known

    def any_number(self, values: Sequence[int]) -> int:
        """The type of one of several values."""
        return self.number(self._walk.any_of(values))

    def types(self) -> tuple[TypeFact, ...]:
        """All types that were numbered, and those that they are made of (the list grows while it is read)."""
        facts: list[TypeFact] = []
        while len(facts) < len(self._order):
            index = self._order[len(facts)]
            value, ref = self._walk.values[index], self._refs[index]
            if ref.root == "typed":
                ref = self._typed_ref(ref)
            pairs = [(self.number(item), key) for item, key in self._parts(value)]
            kept = [pair for pair in pairs if pair[0] >= 0]
            keys = () if value.source == "any" else tuple(key for _, key in kept)
            facts.append(TypeFact(value.source, ref, tuple(item for item, _ in kept), keys))
        return tuple(facts)

    def _parts(self, value: Value) -> Sequence[tuple[int, str]]:
        keys = value.keys or ("",) * len(value.items)
        return tuple(zip(value.items, keys, strict=True))


_MARKERS = frozenset({UNKNOWN, LITERAL, VALUE, LAMBDA, SUPER, "", *BOUND.values()})


def _bound(kind: RootKind, number: int, path: tuple[str, ...]) -> Ref:
    """``path`` of what a definition, an import, ``self`` or ``cls`` binds; ``self.__class__`` is ``cls``."""
    if kind == "self" and path[:1] == ("__class__",):
        return Ref("cls", number, ".".join(path[1:]))
    return _new(Ref, (kind, number, ".".join(path)))


def _super(scope: Scope | None, rest: str) -> Ref:
    while scope is not None and scope.kind != "class":
        scope = scope.parent
    return Ref("unknown", -1, rest) if scope is None else Ref("super", scope.owner, rest)
