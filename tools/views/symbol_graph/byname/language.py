"""What is particular to one language, as the resolver asks for it."""

from __future__ import annotations

from typing import Protocol

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.byname.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.byname.values import Value


class Rules(Protocol):
    """One language's rules. Everything they look up goes through the resolver's reader."""

    aliases: bool
    """Whether an import makes a name that other files can import (a re-export)."""
    outer_members: bool
    """Whether a bare name may be a member of an enclosing class."""
    wrappers: bool
    """Whether a value said to be an ``A`` may be a container of one (``Promise<A>``, ``Option<A>``)."""

    def imported(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """What an import binds."""
        ...

    def target(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The module, package or class that an import names, apart from the name that it takes of it."""
        ...

    def outside(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        """What ``name`` means when the file does not bind it: its package, imports of everything."""
        ...

    def dotted(
        self, resolver: Resolver, file: File, path: list[str], hops: int
    ) -> tuple[Value, list[str]] | None:
        """A dotted name whose first part is not bound (``a.b.C.m``), with the rest of the path."""
        ...

    def exported(self, resolver: Resolver, path: str, name: str, hops: int) -> Value:
        """The name ``name`` of a module or package."""
        ...

    def default(self, resolver: Resolver, path: str, hops: int) -> Value | None:
        """What a module stands for where a value is wanted; None for the module itself."""
        ...

    def foreign(self, resolver: Resolver, file: File, owner: str, name: str) -> Value | None:
        """A member of the type ``owner`` that is defined in another file than the type."""
        ...

    def is_public(self, file: File, index: int) -> bool:
        """Whether a definition is meant for users outside the tree; files that are auxiliary apart."""
        ...
