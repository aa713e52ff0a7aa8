"""What a pass over a file collects, and the table that says how a language is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import (
    DefinitionKind,
    Role,
    UseKind,
)
from repo_guardian.tools.views.facts.treesitter.scopes import (
    Chain,
    Hint,
    Scope,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

if TYPE_CHECKING:
    from repo_guardian.tools.views.facts.treesitter.walk import Walk


@dataclass(slots=True)
class Draft:
    """A definition while its file is read. ``owner`` is the name of a type that it is a member of."""

    kind: DefinitionKind
    parent: int
    name: str
    start: int
    end: int
    owner: str = ""
    role: Role = ""
    decorators: tuple[str, ...] = ()
    signature: Signature | None = None
    bases: tuple[str, ...] = ()
    base_chains: tuple[Chain, ...] = ()
    value: str | None = None
    annotation: str | None = None
    hint: Hint | None = None
    returns: Hint | None = None
    modifiers: tuple[str, ...] = ()


@dataclass(slots=True)
class PendingUse:
    """A use whose first name is not looked up yet."""

    kind: UseKind
    scope: Scope
    chain: Chain
    start: int
    end: int
    shape: CallShape | None
    own: bool
    """A call that may be of the enclosing class's own method (Java)."""


@dataclass(frozen=True)
class Grammar:
    """How a language writes what is the same in all of them.

    Attributes:
        handlers: what to do with a node, by its type.
        names: node types of plain names.
        members: node types of ``object.name``, with their two fields ("" for the first and the last child).
        calls: node types of calls (and constructions), with the field of the callee.
        transparent: node types that stand for a part of them: the field, "" for the first named child.
        special: node types of ``this`` and the like, with their root.
        literals: node types of literal values.
        wrappers: generic types that stand for their first argument (``Promise``, ``Box``).
        optional: node types of unions, with the types that say "or nothing" (``A | null`` stands for ``A``).
        identity: methods that give their receiver back, more or less (``unwrap``, ``clone``).
        path_member: the member type whose ``self`` is a module, not a value (Rust).
        hoists: whether a variable is in scope before its declaration (JavaScript).
        class_members: whether a class's members are in scope by their bare name (Java).
    """

    handlers: Mapping[str, Handler]
    names: frozenset[str]
    members: Mapping[str, tuple[str, str]]
    calls: Mapping[str, str]
    transparent: Mapping[str, str]
    special: Mapping[str, str]
    literals: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    identity: frozenset[str] = frozenset()
    optional: Mapping[str, frozenset[str]] = field(default_factory=dict)
    path_member: str = ""
    hoists: bool = False
    class_members: bool = False


Handler = Callable[["Walk", Node], None]
"""What is done with one node of a type."""
