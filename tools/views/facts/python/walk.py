"""The state of one walk over a syntax tree: an explicit stack, and what has been collected so far.

The walk is depth-first in source order and never recursive, since real files hold expressions that are
thousands of levels deep. A handler gets the walk, a node, its scope and its flags, and pushes the children
that remain to be seen.
"""

from __future__ import annotations

import re
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
    TypeSource,
    UseKind,
)
from repo_guardian.tools.views.facts.python.scopes import (
    ABSENT,
    LITERAL,
    NOTHING_KNOWN,
    UNKNOWN,
    VALUE,
    Binding,
    Chain,
    Scope,
    Value,
)
from repo_guardian.tools.views.facts.python.source import Source
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

IN_TRY = 1
TYPE_CHECKING = 2
IN_BASES = 4
"""Set for the base expressions of a class statement."""
CONDITIONAL = 8
"""Set for statements that run or not, depending on the moment: ``if``, ``try``, loops, ``match``."""
ASYNC = 16
"""Set for what ``async with`` enters."""

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_CONSTANTS = frozenset({"None", "True", "False"})
_LONG_BYTES = 100
"""Dotted names above this are read node by node."""

MAX_ALTERNATIVES = 16
"""Values that one ``any`` may hold; later ones are left out."""


Handler = Callable[["Walk", Node, Scope, int], None]
Arguments = tuple[tuple[str, int], ...]
"""Values by position or keyword."""
Passed = tuple[CallShape | None, Arguments]
NOT_CALLED: Passed = (None, ())
ValueOf = Callable[["Walk", Node | None, Scope, int], int]


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
    held: int = NOTHING_KNOWN
    annotation: str | None = None
    body: Scope | None = None
    is_async: bool = False
    defaults: Arguments = ()
    conditional: bool = False


PendingUse = tuple[UseKind, Scope, Chain, int, int, CallShape | None, Arguments]
"""A use whose first name is not looked up yet: its kind, scope and chain, where it begins and ends in the
parsed text, and how a call passes its arguments. A plain tuple, since no other record is as frequent.
"""


class PendingStore(NamedTuple):
    """An assignment to ``chain.name``; ``adds`` says that it only adds to the container that is there."""

    scope: Scope
    chain: Chain
    name: str
    value: int
    adds: bool


class PendingAddition(NamedTuple):
    """Something that is put into the container ``name``: the value is a display of what is added."""

    scope: Scope
    name: str
    value: int


@dataclass(slots=True)
class ExportsDraft:
    """``__all__`` while it is collected."""

    names: list[str] = field(default_factory=list)
    extends: list[tuple[Chain, Scope]] = field(default_factory=list)
    certain: bool = True
    seen: bool = False


class Walk:
    """Collects what a tree holds; see the module docstring.

    ``values`` holds every value that anything was said of, ``known`` those of expressions by node,
    ``lambdas`` the definitions of lambdas by offset, ``blocks`` the scopes of comprehensions by node,
    ``called`` the calls whose result is called at once.
    """

    def __init__(self, source: Source, handlers: Mapping[int, Handler], value_of: ValueOf) -> None:
        self.source = source
        self.module = Scope("module", None, MODULE_SCOPE)
        self.drafts: list[Draft] = []
        self.imports: list[Import] = []
        self.uses: list[PendingUse] = []
        self.stores: list[PendingStore] = []
        self.additions: list[PendingAddition] = []
        self.exports = ExportsDraft()
        self.other_names: set[str] = set()
        self.python2_line = 0
        self.values: list[Value] = []
        self.known: dict[int, int] = {}
        self.lambdas: dict[int, int] = {}
        self.lambda_counts: dict[int, int] = {}
        self.called: set[int] = set()
        self.blocks: dict[int, Scope] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._names: dict[bytes, str] = {}
        self._chains: dict[bytes, Chain] = {}
        self._dotted: dict[bytes, Chain | None] = {}
        self._handlers = handlers
        self._value_of = value_of
        self._stack: list[tuple[Node, Scope, int]] = []

    def run(self, root: Node) -> None:
        """Walk the whole tree."""
        stack, handlers = self._stack, self._handlers
        stack.append((root, self.module, 0))
        while stack:
            node, scope, flags = stack.pop()
            handler = handlers.get(node.kind_id)
            if handler is not None:
                handler(self, node, scope, flags)
            elif node.child_count:
                stack += [(child, scope, flags) for child in reversed(node.named_children)]

    def push(self, nodes: Sequence[Node | None], scope: Scope, flags: int) -> None:
        """Visit ``nodes`` next, in their order."""
        self._stack.extend([(node, scope, flags) for node in reversed(nodes) if node is not None])

    def text(self, node: Node) -> str:
        """A node's source text."""
        return self.source.text(node.start_byte, node.end_byte)

    def name(self, node: Node) -> str:
        """An identifier's text."""
        raw = self.source.data[node.start_byte : node.end_byte]
        known = self._names.get(raw)
        if known is None:
            known = self._names[raw] = raw.decode("utf-8", "replace")
        return known

    def chain(self, node: Node) -> Chain:
        """An identifier as a chain."""
        raw = self.source.data[node.start_byte : node.end_byte]
        known = self._chains.get(raw)
        if known is None:
            known = self._chains[raw] = Chain(raw.decode("utf-8", "replace"))
        return known

    def dotted(self, node: Node) -> Chain | None:
        """An ``attribute`` as a chain when its text is names and dots: quicker than node by node."""
        start, end = node.start_byte, node.end_byte
        if end - start > _LONG_BYTES:
            return None
        raw = self.source.data[start:end]
        try:
            return self._dotted[raw]
        except KeyError:
            pass
        text = raw.decode("utf-8", "replace")
        root, *path = text.split(".")
        plain = _DOTTED.match(text) is not None and root not in _CONSTANTS
        known = self._dotted[raw] = Chain(root, tuple(path)) if plain else None
        return known

    def region(self, node: Node) -> Region:
        """Where a node stands in the blob."""
        return self.source.locate(node.start_byte, node.end_byte)

    def define(self, draft: Draft, scope: Scope) -> int:
        """Add a definition and bind its name in ``scope``; returns its index."""
        index = len(self.drafts)
        self.drafts.append(draft)
        scope.bind(draft.name, Binding("definition", index))
        return index

    def use(self, kind: UseKind, scope: Scope, chain: Chain, node: Node, passed: Passed = NOT_CALLED) -> None:
        """Add a use; its names are looked up when the walk is over."""
        self.uses.append((kind, scope, chain, node.start_byte, node.end_byte, *passed))

    def value_of(self, node: Node | None, scope: Scope, depth: int = 0) -> int:
        """The number of an expression's value; see ``values.value_of``."""
        return self._value_of(self, node, scope, depth)

    def value(self, value: Value) -> int:
        """The number of a value; equal values have one."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self.values)
            self.values.append(value)
        return number

    def named(self, chain: Chain, scope: Scope) -> int:
        """The number of the value that a chain has; ``NOTHING_KNOWN`` of an unknown one."""
        if chain.root == VALUE and not chain.path:
            return chain.number
        return self.of("value", chain, scope)

    def of(self, source: TypeSource, chain: Chain, scope: Scope | None) -> int:
        """The number of what ``source`` makes of a chain; ``NOTHING_KNOWN`` of an unknown one."""
        if chain.root == UNKNOWN:
            return NOTHING_KNOWN
        if chain.root in (VALUE, LITERAL):
            scope = None
        # A named tuple equals the plain one, which is made without a call of Python code.
        key = (source, chain, scope, (), ())
        number = self._numbers.get(key)
        return self.value(Value(*key)) if number is None else number

    def any_of(self, numbers: Sequence[int]) -> int:
        """One of several values. ``None`` does not count, and a literal only where nothing else is.

        That some of them are unknown shows in that the others are an ``any``, even a single one.
        """
        found = list(dict.fromkeys(n for n in numbers if n != ABSENT))
        kept = [n for n in found if n < 0 or not self.is_literal(n)] or found[:1]
        known = [n for n in kept if n >= 0]
        if not known:
            return NOTHING_KNOWN if kept else ABSENT
        if len(kept) == 1:
            return known[0]
        return self.value(Value("any", items=tuple(known[:MAX_ALTERNATIVES])))

    def is_literal(self, number: int) -> bool:
        """Whether a value is a string, a number or another literal that holds nothing."""
        return self.values[number].chain.root == LITERAL and self.values[number].source == "value"

    def python2(self, node: Node) -> None:
        """Note syntax that only Python 2 has."""
        if not self.python2_line:
            self.python2_line = self.source.line(node.start_byte)
