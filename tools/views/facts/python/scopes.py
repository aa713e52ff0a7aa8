"""Lexical scoping (Python language reference, section "Naming and binding"), settled within one file.

While the tree is walked each scope only collects what it binds. Names are looked up when the walk is over,
since a name that a function assigns anywhere is local everywhere in it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, RootKind, TypeSource

ScopeKind = Literal["module", "class", "function", "lambda", "block", "header", "narrow"]
"""``block``: a comprehension; ``header``: the line of a ``def`` or ``class`` without its decorators, where
the names of an enclosing class are still visible; ``narrow``: statements in which a test has told more of a
variable, whose assignments bind outside."""
BindingKind = Literal["definition", "import", "self", "cls", "variable", "none"]


Meaning = tuple[RootKind | Literal[""], int]
"""What a name stands for, as the root and number of a ``Ref``; the number of a ``typed`` one is a value's."""


class Chain(NamedTuple):
    """A dotted expression before scoping: a name or a marker, and the attributes after it.

    ``root`` is the first name, or one of the markers below; ``number`` is the value of a ``VALUE`` root, and
    the definition, import or class of a ``BOUND`` one.
    """

    root: str
    path: tuple[str, ...] = ()
    number: int = -1


SUPER = "super()"
LITERAL = "<literal>"
UNKNOWN = "<unknown>"
VALUE = "<value>"
LAMBDA = "<lambda>"
"""The lambda that begins at offset ``number``."""
BOUND: dict[BindingKind, str] = {
    "definition": "<definition>",
    "import": "<import>",
    "self": "<self>",
    "cls": "<cls>",
}
"""By the kind of a binding: what the definition, import or class ``number`` is, whatever binds its name."""

NOTHING_KNOWN = -1
ABSENT = -2
"""The value of ``None``, and of an expression that is not there: no alternative to anything."""


class Value(NamedTuple):
    """What the source says of a value, before scoping: a ``TypeFact`` whose ``chain`` is seen from ``scope``.

    ``items`` are numbers of values that are older, so that values can be worked off in their order.
    """

    source: TypeSource
    chain: Chain = Chain(UNKNOWN)
    scope: Scope | None = None
    items: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()


class Binding(NamedTuple):
    """One way in which a scope binds a name, and the value that it gets.

    ``none`` is an assignment of ``None``, or one that says nothing new (``+=``).
    """

    kind: BindingKind
    number: int = -1
    value: int = NOTHING_KNOWN


class Scope:
    """A module, class, function, comprehension, lambda, or the header of a definition."""

    __slots__ = (
        "bindings", "found", "globals", "is_generator", "kind", "meanings", "nonlocals", "owner", "parent",
        "returns", "yields",
    )  # fmt: skip

    def __init__(self, kind: ScopeKind, parent: Scope | None, owner: int = MODULE_SCOPE) -> None:
        self.kind: ScopeKind = kind
        self.parent = parent
        self.owner = owner
        self.bindings: dict[str, list[Binding]] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.found: dict[str, Scope | None] = {}
        self.meanings: dict[str, Meaning] = {}
        self.is_generator = False
        self.returns: list[int] = []
        self.yields: list[int] = []

    @property
    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def home(self, name: str) -> Scope:
        """The scope in which an assignment to ``name`` here binds it."""
        if self.kind == "narrow" and self.parent is not None:
            return self.parent.home(name)
        if name in self.globals:
            return self.module
        if name in self.nonlocals:
            scope = self.parent
            while scope is not None and not (scope.kind != "class" and name in scope.bindings):
                scope = scope.parent
            return scope if scope is not None else self
        return self

    def statement_scope(self) -> Scope:
        """The nearest scope that is no block: where ``:=`` binds, ``yield`` and ``return`` count."""
        scope = self
        while scope.kind in ("block", "header", "narrow") and scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, binding: Binding) -> None:
        """Record one binding of ``name``; what a test had told of it holds no longer."""
        scope = self
        while scope.kind == "narrow" and scope.parent is not None:
            scope.bindings.pop(name, None)
            scope = scope.parent
        scope.home(name).bindings.setdefault(name, []).append(binding)

    def origin(self, name: str) -> Literal["builtin", "import", "own"]:
        """What ``name`` is as far as the walk has come: bound by nothing, by imports only, or otherwise."""
        home = self._search(name)
        if home is None or name not in home.bindings:
            return "builtin"
        return "import" if all(b.kind == "import" for b in home.bindings[name]) else "own"

    def lookup(self, name: str) -> Scope | None:
        """The scope that ``name`` belongs to when it is used here; None when no scope binds it."""
        if name in self.bindings and name not in self.globals:
            return self  # not kept: what refers to itself is freed by the garbage collector alone
        try:
            return self.found[name]
        except KeyError:
            result = self.found[name] = self._search(name)
            return result

    def _search(self, name: str) -> Scope | None:
        scope: Scope | None = self
        direct = True
        while scope is not None:
            if name in scope.globals:
                return self.module
            if name in scope.bindings and (direct or scope.kind != "class"):
                return scope
            direct = direct and scope.kind == "header"
            scope = scope.parent
        return None
