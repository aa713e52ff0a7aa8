"""Lexical scoping (Python language reference, section "Naming and binding"), settled within one file.

While the tree is walked each scope only collects what it binds. Names are looked up when the walk is over,
since a name that a function assigns anywhere is local everywhere in it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, TypeSource

ScopeKind = Literal["module", "class", "function", "lambda", "block", "header"]
"""``block``: a comprehension; ``header``: the line of a ``def`` or ``class`` without its
decorators, where the names of an enclosing class are still visible."""
BindingKind = Literal["definition", "import", "self", "cls", "variable", "none"]


class Chain(NamedTuple):
    """A dotted expression before scoping: a name or a marker, and the attributes after it.

    ``root`` is the first name, or one of the markers below; ``hint`` is set for ``CALLED`` roots.
    """

    root: str
    path: tuple[str, ...] = ()
    hint: TypeHint | None = None


SUPER = "super()"
LITERAL = "<literal>"
UNKNOWN = "<unknown>"
CALLED = "<called>"


class TypeHint(NamedTuple):
    """What the source says about a variable's value, before scoping."""

    source: TypeSource
    chain: Chain
    scope: Scope


class Binding(NamedTuple):
    """One way in which a scope binds a name. ``none`` is an assignment of ``None``."""

    kind: BindingKind
    number: int = -1
    hint: TypeHint | None = None


class Scope:
    """A module, class, function, comprehension, lambda, or the header of a definition."""

    __slots__ = ("bindings", "found", "globals", "kind", "nonlocals", "owner", "parent", "yields")

    def __init__(self, kind: ScopeKind, parent: Scope | None, owner: int = MODULE_SCOPE) -> None:
        self.kind: ScopeKind = kind
        self.parent = parent
        self.owner = owner
        self.bindings: dict[str, list[Binding]] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.found: dict[str, Scope | None] = {}
        self.yields = False

    @property
    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def home(self, name: str) -> Scope:
        """The scope in which an assignment to ``name`` here binds it."""
        if name in self.globals:
            return self.module
        if name in self.nonlocals:
            scope = self.parent
            while scope is not None and not (scope.kind != "class" and name in scope.bindings):
                scope = scope.parent
            return scope if scope is not None else self
        return self

    def statement_scope(self) -> Scope:
        """The nearest scope that is no block: where ``:=`` binds and ``yield`` counts."""
        scope = self
        while scope.kind in ("block", "header") and scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, binding: Binding) -> None:
        """Record one binding of ``name``."""
        self.home(name).bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> Scope | None:
        """The scope that ``name`` belongs to when it is used here; None when no scope binds it."""
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

    def meaning(self, name: str) -> Binding | None:
        """The one binding that all bindings of ``name`` here agree on, None when they do not.

        Assignments of ``None`` beside another binding do not count against it.
        """
        bindings = self.bindings[name]
        known = [b for b in bindings if b.kind != "none"] or bindings
        kinds = {b.kind for b in known}
        if kinds <= {"definition", "import"}:
            return known[-1]
        if len(kinds) > 1:
            return None
        first = known[0]
        return first if all(b.hint == first.hint for b in known) else None
