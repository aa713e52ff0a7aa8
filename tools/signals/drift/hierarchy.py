"""Class hierarchies inside one graph: who inherits what, and whose constructor a class has.

Linearization is C3 (Barrett et al., "A Monotonic Superclass Linearization for Dylan", OOPSLA 1996), the
order that Python uses. Bases from outside the repository are leaves; what they provide is known only for
builtins and a few standard classes, and *unknown* for all others, so that nothing is called missing that
a library may provide.
"""

from __future__ import annotations

import abc
import builtins
import enum
import typing
from collections import deque
from dataclasses import dataclass

from repo_guardian.tools.signals.drift.protocol import decorator_name
from repo_guardian.tools.signals.drift.tuples import field_parameter, namedtuple_fields
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import Signature

_KNOWN: dict[str, object] = {
    "ABC": abc.ABC,
    "Generic": typing.Generic,
    "Protocol": typing.Protocol,
    "Enum": enum.Enum,
    "IntEnum": enum.IntEnum,
    "StrEnum": enum.StrEnum,
    "Flag": enum.Flag,
    "IntFlag": enum.IntFlag,
}

_PLAIN_DECORATORS = frozenset(
    {"dataclass", "final", "total_ordering", "runtime_checkable", "unique", "deprecated", "s", "attrs",
     "attr", "define", "frozen", "mutable"}
)  # fmt: skip
"""Class decorators, by their last name, that add no member anyone asks for by name."""


class Absence(enum.StrEnum):
    """Why a lookup found no definition in the repository."""

    ABSENT = "absent"
    UNKNOWN = "unknown"
    """A base outside the repository, ``__getattr__``, a decorator or ``setattr`` may provide it."""


@dataclass(frozen=True, slots=True)
class Constructor:
    """What calling a class takes; ``owner`` is the id of the class whose source decides it.

    ``definition`` is the defining ``__init__``, None when it is generated or ``object``'s.
    """

    signature: Signature
    owner: str
    definition: Symbol | None


class Hierarchy:
    """The classes of one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._linear: dict[str, tuple[str, ...]] = {}
        self._inherits: dict[str, dict[str, list[str]]] = {}
        self._dynamic: dict[str, bool] = {}

    def _inside(self, class_id: str) -> list[str]:
        """The bases of a class that are in the repository, in source order."""
        symbol = self._graph.symbols.get(class_id)
        if symbol is None:
            return []
        if symbol.path not in self._inherits:
            self._inherits[symbol.path] = self._inherits_in(symbol.path)
        return self._inherits[symbol.path].get(class_id, [])

    def _inherits_in(self, path: str) -> dict[str, list[str]]:
        """The classes of one file to the ids of their bases in the repository."""
        bases: dict[str, list[str]] = {}
        for edge in self._graph.edges_in(path):
            if edge.kind is EdgeKind.INHERIT and self._is_class(edge.target):
                found = bases.setdefault(edge.source, [])
                if edge.target not in found:
                    found.append(edge.target)
        return bases

    def _is_class(self, name: str) -> bool:
        symbol = self._graph.symbols.get(name)
        return symbol is not None and symbol.kind is SymbolKind.CLASS

    def _is_dynamic(self, class_id: str) -> bool:
        """Whether a class may have members that its body does not show."""
        if class_id not in self._dynamic:
            symbol = self._graph.symbols.get(class_id)
            decorators = symbol.decorators if symbol is not None else ()
            self._dynamic[class_id] = (
                f"{class_id}.__getattr__" in self._graph.symbols
                or any(decorator_name(d) not in _PLAIN_DECORATORS for d in decorators)
                or any("setattr(" in edge.text for edge in self._graph.uses(class_id))
            )
        return self._dynamic[class_id]

    def _children(self, class_id: str) -> list[str]:
        """The classes that name ``class_id`` among their bases."""
        if not self._is_class(class_id):
            return []
        inherits = (e for e in self._graph.uses(class_id) if e.kind is EdgeKind.INHERIT)
        return list(dict.fromkeys(edge.source for edge in inherits if edge.target == class_id))

    def linearize(self, class_id: str) -> tuple[str, ...]:
        """The method resolution order from ``class_id`` on; an outside base is ``"?"`` plus its text.

        Falls back to depth first when the bases cannot be merged (cyclic or inconsistent by mistake).
        """
        if class_id not in self._linear:
            self._linear[class_id] = (class_id,)  # breaks cycles
            bases = self.bases(class_id)
            orders = [list(self.linearize(b)) if b[0] != "?" else [b] for b in bases]
            self._linear[class_id] = (class_id, *_merge([*orders, list(bases)]))
        return self._linear[class_id]

    def bases(self, class_id: str) -> tuple[str, ...]:
        """Direct bases: ids of those in the repository, ``"?"`` plus the text for the others."""
        inside = self._inside(class_id)
        symbol = self._graph.symbols.get(class_id)
        texts = symbol.bases if symbol is not None else ()
        if len(inside) >= len(texts):
            return tuple(inside)
        by_name = {i.rpartition(".")[2]: i for i in inside}
        matched = [by_name.pop(_base_name(t), f"?{_base_name(t)}") for t in texts]
        return (*matched, *by_name.values())

    def lookup(self, class_id: str, name: str) -> Symbol | Absence:
        """The definition that ``name`` has on instances of ``class_id``."""
        dynamic = False
        for owner in self.linearize(class_id):
            if owner[0] == "?":
                if _may_provide(owner[1:], name):
                    return Absence.UNKNOWN
                continue
            found = self._graph.symbols.get(f"{owner}.{name}")
            if found is not None:
                return found
            dynamic = dynamic or self._is_dynamic(owner)
        return Absence.UNKNOWN if dynamic or hasattr(object, name) else Absence.ABSENT

    def constructor(self, class_id: str) -> Constructor | None:
        """What calling ``class_id`` takes; None when the linker could not tell for certain."""
        symbol = self._graph.symbols.get(class_id)
        fields = self.tuple_fields(class_id)
        if fields is not None:
            return Constructor(fields, class_id, None)
        if symbol is None or symbol.signature is None or not symbol.signature_certain:
            return None
        for owner in self.linearize(class_id):
            definition = self._graph.symbols.get(f"{owner}.__init__")
            generated = owner in self._graph.symbols and _generates_init(self._graph.symbols[owner])
            if definition is not None or generated:
                return Constructor(symbol.signature, owner, definition)
        return Constructor(symbol.signature, class_id, None)

    def tuple_fields(self, class_id: str) -> Signature | None:
        """What a ``NamedTuple`` class, or ``name = namedtuple(...)``, takes when called: its fields in order.

        None for anything else.
        """
        symbol = self._graph.symbols.get(class_id)
        if symbol is None:
            return None
        if symbol.kind is SymbolKind.CONSTANT:
            return namedtuple_fields(symbol.value or "")
        if symbol.kind is not SymbolKind.CLASS or [_base_name(b) for b in symbol.bases] != ["NamedTuple"]:
            return None
        prefix = f"{class_id}."
        inside = (s for s in self._graph.symbols_in(symbol.path) if s.id.startswith(prefix))
        fields = [
            s
            for s in inside
            if s.kind is SymbolKind.CONSTANT and "." not in s.id[len(prefix) :] and s.name[0] != "_"
        ]
        fields.sort(key=lambda s: s.span.start_byte)
        return Signature(tuple(field_parameter(s.name, s.value) for s in fields))

    def subclasses(self, class_id: str) -> tuple[str, ...]:
        """All classes of the repository below ``class_id``, at any depth, nearest first."""
        found: dict[str, None] = {}
        queue = deque([class_id])
        while queue:
            children = [c for c in self._children(queue.popleft()) if c not in found]
            found.update(dict.fromkeys(children))
            queue.extend(children)
        return tuple(found)

    def heirs(self, class_id: str) -> tuple[str, ...]:
        """Subclasses, at any depth, whose constructor is the one that ``class_id`` defines."""
        constructors = ((child, self.constructor(child)) for child in self.subclasses(class_id))
        return tuple(child for child, made in constructors if made is not None and made.owner == class_id)


def _generates_init(symbol: Symbol) -> bool:
    return any(decorator_name(d) == "dataclass" for d in symbol.decorators)


def _base_name(text: str) -> str:
    """``typing.Generic[T]`` is ``Generic``."""
    return text.partition("[")[0].partition("(")[0].strip().rpartition(".")[2]


def _may_provide(outside: str, name: str) -> bool:
    """Whether an outside base may define ``name``; ``object`` is left to the end of the lookup."""
    known = _KNOWN.get(outside, getattr(builtins, outside, None))
    if not isinstance(known, type):
        return True
    return any(name in vars(cls) for cls in known.__mro__ if cls is not object)


def _merge(orders: list[list[str]]) -> list[str]:
    """The C3 merge; takes the first head when no candidate is acceptable instead of failing."""
    merged: list[str] = []
    while orders := [order for order in orders if order]:
        heads = [order[0] for order in orders]
        good = (h for h in heads if not any(h in order[1:] for order in orders))
        chosen = next(good, heads[0])
        merged.append(chosen)
        orders = [[item for item in order if item != chosen] for order in orders]
    return merged
