"""Lexical scopes while a file is read: which name is bound to what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from repo_guardian.tools.views.facts.interface import TypeSource

ScopeKind = Literal["module", "class", "function", "block"]

THIS = "<this>"
SUPER = "<super>"
UNKNOWN = "<unknown>"
LITERAL = "<literal>"
CALLED = "<called>"
"""Roots of chains that are no name."""


class Chain(NamedTuple):
    """A dotted expression before scoping: its first name, and the names after it.

    For the root ``CALLED`` the value is what ``hint`` says; ``scope`` is where the first name is looked up.
    """

    root: str
    path: tuple[str, ...]
    scope: Scope
    hint: Hint | None = None


class Hint(NamedTuple):
    """What is known of a value: the result of calling ``chain``, an instance of it, or itself."""

    source: TypeSource
    chain: Chain


class Binding(NamedTuple):
    """What a name stands for in a scope: a definition, an import (by index), or a variable."""

    kind: Literal["definition", "import", "variable"]
    number: int = -1
    hint: Hint | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """One scope.

    Attributes:
        owner: index of the definition whose code this is, -1 for the module.
        this: index of the class that ``this`` is an instance of, -1 when not known.
        end: offset past its last byte.
        this_name: name of the module-level definition that ``this`` is an instance of, when ``this`` is -1.
    """

    kind: ScopeKind
    parent: Scope | None
    owner: int
    this: int
    end: int
    this_name: str = ""
    names: dict[str, Binding] = field(default_factory=dict)

    def bind(self, name: str, binding: Binding) -> None:
        """Bind a name; a variable of unknown value does not hide a definition of the same scope."""
        known = self.names.get(name)
        if known is None or binding.kind != "variable" or known.kind == "variable":
            self.names[name] = binding

    def lookup(self, name: str, *, members: bool, variables: bool = True) -> tuple[Scope, Binding] | None:
        """The nearest binding of ``name``.

        Class members count where the language says so, type variables of a class always. Without
        ``variables`` only definitions and imports count.
        """
        scope: Scope | None = self
        while scope is not None:
            binding = scope.names.get(name)
            if binding is not None:
                local = binding.kind == "variable"
                if variables if local else members or scope.kind != "class":
                    return scope, binding
            scope = scope.parent
        return None

    def enclosing(self, *kinds: ScopeKind) -> Scope:
        """The nearest scope of one of ``kinds``, itself included; the module's when there is none."""
        scope = self
        while scope.kind not in kinds and scope.parent is not None:
            scope = scope.parent
        return scope
