"""What expressions stand for: values, and bounded sets of them.

A name, an attribute or a call may stand for several things (two imports in a ``try``, what all callers pass),
so that every answer is a tuple of values without duplicates, in the order in which they were found. Nothing
known is the empty tuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from repo_guardian.tools.views.facts.interface import Definition
from repo_guardian.tools.views.symbol_graph.model import Resolution
from repo_guardian.tools.views.symbol_graph.namespace import Module

ValueKind = Literal[
    "module", "definition", "instance", "gone", "container", "arguments", "generator", "coroutine"
]

MAX_VALUES: Final = 24
"""How many values one expression has at most; those found later are dropped."""

ASSIGNED, ANNOTATED, RETURNED, PASSED = 1, 2, 3, 4
HOWS = (
    Resolution.LOCAL,
    Resolution.ASSIGNMENT,
    Resolution.ANNOTATION,
    Resolution.RETURN,
    Resolution.ARGUMENT,
)
"""What ``Value.how`` stands for."""


class Value(NamedTuple):
    """What an expression stands for.

    ``number`` is a definition of ``module`` for ``definition``, ``instance`` (of a class), ``generator`` and
    ``coroutine`` (of a function); a type of ``module`` for ``container`` (a display); a function whose
    variadic parameter ``names[0]`` it is for ``arguments``. ``gone`` are one or more dotted ``names`` that
    the tree does not define (``module`` is set when a module of the tree is where they are missing). ``via``
    are the aliases passed on the way. ``unbound`` says that a plain method was reached through its class, so
    that a call passes ``self`` itself, and of an instance or class that it is a method's ``self`` or ``cls``.
    ``how`` counts ``HOWS``: the weakest step on the way. ``receiver`` is what a method was reached through.
    """

    kind: ValueKind
    module: Module | None = None
    number: int = -1
    names: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    unbound: bool = False
    how: int = 0
    receiver: Value | None = None

    @property
    def definition(self) -> Definition | None:
        """The definition, for ``definition`` and ``instance``."""
        if self.module is None or self.number < 0 or self.kind not in ("definition", "instance"):
            return None
        return self.module.facts.definitions[self.number]

    @property
    def is_class(self) -> bool:
        """True for a class itself, not for its instances."""
        module = self.module
        if self.kind != "definition" or module is None:
            return False
        return module.facts.definitions[self.number].kind == "class"

    @property
    def is_variable(self) -> bool:
        """True for a variable of a module or class."""
        module = self.module
        if self.kind != "definition" or module is None:
            return False
        return module.facts.definitions[self.number].kind == "variable"

    @property
    def is_property(self) -> bool:
        """True for a property itself, not for what it returns."""
        module = self.module
        if self.kind != "definition" or module is None:
            return False
        return module.facts.definitions[self.number].role == "property"

    @property
    def is_function(self) -> bool:
        """True for a function or method that is no property."""
        module = self.module
        if self.kind != "definition" or module is None:
            return False
        definition = module.facts.definitions[self.number]
        return definition.kind == "function" and definition.role != "property"

    @property
    def id(self) -> str:
        """The id of the module, definition or class; empty for everything else."""
        module = self.module
        if module is None or self.kind not in ("module", "definition", "instance"):
            return ""
        return module.id if self.kind == "module" else module.ids[self.number]

    @property
    def inside(self) -> bool:
        """True for modules and definitions of the tree."""
        return self.kind in ("module", "definition")


Values = tuple[Value, ...]
NOTHING: Values = ()


def gone(*names: str, module: Module | None = None, via: tuple[str, ...] = ()) -> Value:
    """Dotted names that the tree does not define."""
    return Value("gone", module, names=names, via=via)


def union(values: Iterable[Value]) -> Values:
    """The values without duplicates, the first of each, at most ``MAX_VALUES``."""
    found: dict[tuple[object, ...], Value] = {}
    for value in values:
        found.setdefault(value[:4], value)
    kept = tuple(found.values())
    return kept if len(kept) <= MAX_VALUES else kept[:MAX_VALUES]


def marked(values: Values, how: int) -> Values:
    """The values, none of them better known than ``how``."""
    if not values or all(value.how >= how for value in values):
        return values
    return tuple([value if value.how >= how else value._replace(how=how) for value in values])
