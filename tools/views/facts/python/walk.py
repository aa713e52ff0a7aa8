"""The state of one walk over a syntax tree: an explicit stack, and what has been collected so far.

The walk is depth-first in source order and never recursive, since real files hold expressions that are
thousands of levels deep. A handler gets the walk, a node, its scope and its flags, and pushes the children
that remain to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import (
    MODULE_SCOPE,
    DefinitionKind,
    Import,
    Region,
    Role,
    UseKind,
)
from repo_guardian.tools.views.facts.python.scopes import Binding, Chain, Scope, TypeHint
from repo_guardian.tools.views.facts.python.source import Source
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

IN_TRY = 1
TYPE_CHECKING = 2
IN_BASES = 4
"""Set for the base expressions of a class statement."""


@dataclass(slots=True)
class Draft:
    """A definition while its body is still being walked."""

    kind: DefinitionKind
    parent: int
    name: str
    region: Region
    role: Role = ""
    decorators: tuple[str, ...] = ()
    decorator_chains: tuple[tuple[Chain, Scope], ...] = ()
    signature: Signature | None = None
    bases: tuple[str, ...] = ()
    base_chains: tuple[tuple[Chain, Scope], ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    value: str | None = None
    hint: TypeHint | None = None
    annotation: str | None = None
    body: Scope | None = None
    is_async: bool = False


class PendingUse(NamedTuple):
    """A use whose first name is not looked up yet; ``start`` and ``end`` are offsets of the parsed text."""

    kind: UseKind
    scope: Scope
    chain: Chain
    start: int
    end: int
    shape: CallShape | None


class PendingAttribute(NamedTuple):
    """An assignment to ``chain.name``; ``known`` is False for an assignment of ``None``."""

    scope: Scope
    chain: Chain
    name: str
    hint: TypeHint | None
    counts: bool


@dataclass(slots=True)
class ExportsDraft:
    """``__all__`` while it is collected."""

    names: list[str] = field(default_factory=list)
    extends: list[tuple[Chain, Scope]] = field(default_factory=list)
    certain: bool = True
    seen: bool = False


Handler = Callable[["Walk", Node, Scope, int], None]


class Walk:
    """Collects what a tree holds; see the module docstring."""

    def __init__(self, source: Source, handlers: Mapping[str, Handler]) -> None:
        self.source = source
        self.module = Scope("module", None, MODULE_SCOPE)
        self.drafts: list[Draft] = []
        self.imports: list[Import] = []
        self.uses: list[PendingUse] = []
        self.attributes: list[PendingAttribute] = []
        self.exports = ExportsDraft()
        self.other_names: set[str] = set()
        self.python2_line = 0
        self._handlers = handlers
        self._stack: list[tuple[Node, Scope, int]] = []

    def run(self, root: Node) -> None:
        """Walk the whole tree."""
        stack, handlers = self._stack, self._handlers
        stack.append((root, self.module, 0))
        while stack:
            node, scope, flags = stack.pop()
            handler = handlers.get(node.type)
            if handler is not None:
                handler(self, node, scope, flags)
            elif node.child_count:
                stack.extend([(child, scope, flags) for child in reversed(node.named_children)])

    def push(self, nodes: Sequence[Node | None], scope: Scope, flags: int) -> None:
        """Visit ``nodes`` next, in their order."""
        self._stack.extend([(node, scope, flags) for node in reversed(nodes) if node is not None])

    def text(self, node: Node) -> str:
        """A node's source text."""
        return self.source.text(node.start_byte, node.end_byte)

    def name(self, node: Node) -> str:
        """An identifier's text."""
        return self.source.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def region(self, node: Node) -> Region:
        """Where a node stands in the blob."""
        return self.source.locate(node.start_byte, node.end_byte)

    def define(self, draft: Draft, scope: Scope) -> int:
        """Add a definition and bind its name in ``scope``; returns its index."""
        index = len(self.drafts)
        self.drafts.append(draft)
        scope.bind(draft.name, Binding("definition", index))
        return index

    def use(
        self, kind: UseKind, scope: Scope, chain: Chain, node: Node, shape: CallShape | None = None
    ) -> None:
        """Add a use; its names are looked up when the walk is over."""
        self.uses.append(PendingUse(kind, scope, chain, node.start_byte, node.end_byte, shape))

    def python2(self, node: Node) -> None:
        """Note syntax that only Python 2 has."""
        if not self.python2_line:
            self.python2_line = self.source.line(node.start_byte)
