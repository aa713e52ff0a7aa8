"""One pass over the nodes of a syntax tree that matter, in source order, and what it has collected so far.

Which nodes matter is the handlers' table: one tree-sitter query selects them in C, so that most of a tree is
never seen here, and no nesting however deep costs a stack. An outer node comes before the nodes inside it. A
handler that has dealt with inner nodes marks them as seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import (
    MODULE_SCOPE,
    Import,
    Region,
    UseKind,
)
from repo_guardian.tools.views.facts.treesitter.records import Draft, Grammar, PendingUse
from repo_guardian.tools.views.facts.treesitter.scopes import (
    CALLED,
    LITERAL,
    UNKNOWN,
    Binding,
    Chain,
    Hint,
    Scope,
    ScopeKind,
)
from repo_guardian.tools.views.facts.treesitter.source import Source
from repo_guardian.tools.views.symbol_graph.signature import CallShape

_CALL_DEPTH = 16
"""How many calls of ``a().b().c()`` are followed; the receiver of the rest is unknown."""


@dataclass(slots=True)
class Walk:
    """The state of one pass; ``scope`` is the innermost scope around the node at hand."""

    source: Source
    grammar: Grammar
    scope: Scope = field(init=False)
    module: Scope = field(init=False)
    drafts: list[Draft] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    uses: list[PendingUse] = field(default_factory=list)
    attributes: list[tuple[int, str, Hint | None]] = field(default_factory=list)
    exports: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    plans: dict[int, tuple[Draft, bool]] = field(default_factory=dict)
    """Definitions of nodes that are still to come, by node id, and whether their name is bound."""
    outer: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Modifiers that a node around gives to a declaration, by node id."""
    implements: list[tuple[str, str, Chain]] = field(default_factory=list)
    """Name of a type, and text and chain of a base that it is given away from its definition."""
    package: str = ""
    _delay: int = 0
    _delayed: list[tuple[int, Scope, str, Binding]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.module = self.scope = Scope("module", None, MODULE_SCOPE, -1, len(self.source.data))

    def run(self, nodes: Iterable[Node]) -> None:
        """Handle ``nodes``, which are in source order, outer before inner."""
        handlers, seen = self.grammar.handlers, self.seen
        for node in nodes:
            if node.id in seen:
                continue
            start = node.start_byte
            while self.scope.end <= start and self.scope.parent is not None:
                self.scope = self.scope.parent
            if self._delayed:
                self._bind_delayed(start)
            handlers[node.type](self, node)

    # Text.

    def text(self, node: Node) -> str:
        """A node's source text, cut."""
        return self.source.text(node.start_byte, node.end_byte)

    def name(self, node: Node) -> str:
        """An identifier's text."""
        return self.source.name(node.start_byte, node.end_byte)

    def region(self, node: Node) -> Region:
        """Where a node stands in the blob."""
        return self.source.locate(node.start_byte, node.end_byte)

    def field_text(self, node: Node, name: str) -> str | None:
        """The text of a field, None when the node has none."""
        child = node.child_by_field_name(name)
        return None if child is None else self.text(child)

    # Scopes and definitions.

    def open(
        self, kind: ScopeKind, node: Node, *, owner: int | None = None, this: int | None = None
    ) -> Scope:
        """Enter a scope that lasts to the end of ``node``."""
        parent = self.scope
        self.scope = Scope(
            kind,
            parent,
            parent.owner if owner is None else owner,
            parent.this if this is None else this,
            node.end_byte,
            parent.this_name if this is None else "",
        )
        return self.scope

    def define(self, draft: Draft, scope: Scope | None = None) -> int:
        """Add a definition; its name is bound in ``scope`` (where None, nowhere)."""
        index = len(self.drafts)
        self.drafts.append(draft)
        if scope is not None and not draft.owner:
            scope.bind(draft.name, Binding("definition", index))
        return index

    def bind(self, name: str, hint: Hint | None = None, scope: Scope | None = None) -> None:
        """Bind a local variable, at once or, after ``delay``, when the node is left."""
        binding, scope = Binding("variable", -1, hint), scope or self.scope
        if self._delay:
            self._delayed.append((self._delay, scope, name, binding))
        else:
            scope.bind(name, binding)

    def delay(self, node: Node | None) -> None:
        """What is bound from now on is bound behind ``node`` (``let a = a.b()``); None for at once again."""
        self._delay = 0 if node is None else node.end_byte

    def _bind_delayed(self, offset: int) -> None:
        """Bind what was to be bound before ``offset``."""
        due = [entry for entry in self._delayed if entry[0] <= offset]
        if due:
            self._delayed = [entry for entry in self._delayed if entry[0] > offset]
            for _, scope, name, binding in due:
                scope.bind(name, binding)

    def bind_type(self, name: Node, bound: Node | None) -> None:
        """Bind a type parameter: a value of it has the members of what bounds it."""
        self.mark(name)
        hint = self.annotation(bound)
        self.bind(self.name(name), None if hint is None else Hint("value", hint.chain))

    def add_import(self, record: Import, bound: str, scope: Scope | None = None) -> None:
        """Add an import; ``bound`` is the name that it binds, empty for none."""
        if bound:
            (scope or self.scope).bind(bound, Binding("import", len(self.imports)))
        self.imports.append(record)

    # Uses.

    def use(
        self,
        kind: UseKind,
        chain: Chain,
        node: Node,
        shape: CallShape | None = None,
        *,
        own: bool = False,
    ) -> None:
        """Add a use by the scope at hand."""
        self.uses.append(PendingUse(kind, self.scope, chain, node.start_byte, node.end_byte, shape, own))

    def chain(self, node: Node | None, depth: int = 0) -> Chain:
        """``node`` as a dotted expression; the names in it are marked as seen."""
        grammar, path = self.grammar, list[str]()
        via = ""
        while node is not None:
            kind = node.type
            if kind in grammar.names:
                self.seen.add(node.id)
                return self.rooted(self.name(node), tuple(reversed(path)))
            if kind in grammar.special:
                self.seen.add(node.id)
                is_path = via != "" and via == grammar.path_member
                root = self.name(node) if is_path else grammar.special[kind]
                return Chain(root, tuple(reversed(path)), self.scope)
            if kind in grammar.members:
                node = self._member(node, path)
                via = kind
            elif kind in grammar.transparent:
                part = grammar.transparent[kind]
                node = node.child_by_field_name(part) if part else first_child(node)
            elif kind in grammar.calls:
                return self._called(node, path, depth)
            else:
                root = LITERAL if kind in grammar.literals else UNKNOWN
                return Chain(root, tuple(reversed(path)), self.scope)
        return Chain(UNKNOWN, tuple(reversed(path)), self.scope)

    def rooted(self, name: str, path: tuple[str, ...]) -> Chain:
        """A chain from ``name``; a variable stands for what it holds here, even when it is bound anew later
        (``let a = a.b()``).
        """
        found = self.scope.lookup(name, members=self.grammar.class_members)
        if found is None or found[1].kind != "variable":
            return Chain(name, path, self.scope)
        hint = found[1].hint
        return Chain(UNKNOWN if hint is None else CALLED, path, self.scope, hint)

    def _member(self, node: Node, path: list[str]) -> Node | None:
        """Take the name of ``object.name``; returns the object."""
        self.seen.add(node.id)
        inner, outer = self.grammar.members[node.type]
        name = node.child_by_field_name(outer) if outer else node.named_children[-1]
        if name is not None:
            self.seen.add(name.id)
            if name.type == "generic_type":
                name = first_child(name) or name
                self.seen.add(name.id)
            path.append(self.name(name))
        return node.child_by_field_name(inner) if inner else first_child(node)

    def _called(self, node: Node, path: list[str], depth: int) -> Chain:
        """The result of a call as the root of a chain."""
        if depth >= _CALL_DEPTH:
            return Chain(UNKNOWN, tuple(reversed(path)), self.scope)
        callee = self.callee(node, depth + 1)
        if callee.path and callee.path[-1] in self.grammar.identity:
            return callee._replace(path=(*callee.path[:-1], *reversed(path)))
        if callee.root == UNKNOWN and not callee.path:
            return Chain(UNKNOWN, tuple(reversed(path)), self.scope)
        return Chain(CALLED, tuple(reversed(path)), self.scope, Hint("call", callee))

    def callee(self, node: Node, depth: int = 0) -> Chain:
        """What a call calls."""
        place = self.grammar.calls[node.type]
        if "." in place:
            owner, _, name = place.partition(".")
            return self._method(node, node.child_by_field_name(owner), name, depth)
        return self.chain(node.child_by_field_name(place), depth)

    def _method(self, node: Node, receiver: Node | None, name: str, depth: int) -> Chain:
        """The callee of a call whose node holds receiver and name itself (Java)."""
        called = node.child_by_field_name(name)
        if called is None:
            return Chain(UNKNOWN, (), self.scope)
        self.seen.add(called.id)
        if receiver is None:
            return self.rooted(self.name(called), ())
        chain = self.chain(receiver, depth)
        return chain._replace(path=(*chain.path, self.name(called)))

    # Types.

    def annotation(self, node: Node | None) -> Hint | None:
        """An instance of the type that ``node`` names; the names in it are not marked as seen."""
        kept, self.seen = self.seen, set()
        chain = self.chain(self._unwrapped(node))
        self.seen = kept
        if chain.root in (UNKNOWN, LITERAL):
            return None
        if chain.root == CALLED and (chain.hint is None or chain.hint.source != "value"):
            # A variable that is called like a type (Go); a type's own name for itself (``Self``) is a value.
            return None
        return Hint("annotation", chain)

    def _unwrapped(self, node: Node | None) -> Node | None:
        """The type inside wrappers such as ``Promise<T>``, ``Box<T>``, ``&T``."""
        grammar = self.grammar
        for _ in range(_CALL_DEPTH):
            if node is not None and node.type in grammar.optional:
                nothing = grammar.optional[node.type]
                kept = [child for child in node.named_children if self.name(child) not in nothing]
                node = kept[0] if len(kept) == 1 else None
                continue
            if node is None or node.type not in grammar.transparent:
                return node
            part = grammar.transparent[node.type]
            inner = node.child_by_field_name(part) if part else first_child(node)
            if inner is not None and node.type == "generic_type" and self.name(inner) in grammar.wrappers:
                arguments = next((c for c in node.named_children if c.type == "type_arguments"), None)
                inner = None if arguments is None else first_child(arguments)
            node = inner
        return node

    def value(self, node: Node | None) -> Hint | None:
        """What is known of an expression's value; nodes stay unseen, since they are uses of their own."""
        kept, self.seen = self.seen, set()
        chain = self.chain(node)
        self.seen = kept
        if chain.root == CALLED and not chain.path:
            return chain.hint
        return None if chain.root in (UNKNOWN, LITERAL) else Hint("value", chain)

    def mark(self, *nodes: Node | None) -> None:
        """Mark nodes as dealt with."""
        self.seen.update(node.id for node in nodes if node is not None)


def first_child(node: Node) -> Node | None:
    """The first named child, None for a leaf."""
    return node.named_children[0] if node.named_child_count else None
