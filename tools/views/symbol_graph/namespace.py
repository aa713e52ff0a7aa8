"""One module while it is linked: the ids of its definitions, and what its names are bound to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts
from repo_guardian.tools.views.symbol_graph.corpus import local_key, place_key
from repo_guardian.tools.views.symbol_graph.modules import Layout, ModuleFile
from repo_guardian.tools.views.symbol_graph.paths import definition_paths, result_name
from repo_guardian.tools.views.symbol_graph.queries import Node, Table
from repo_guardian.tools.views.symbol_graph.sites import Sites


class Bound(NamedTuple):
    """What binds a name in a module or class: the definition or the import ``number``."""

    is_import: bool
    number: int


class Module:
    """Facts of one file with its place among the others.

    ``names``, ``types``, ``held``, ``returned``, … hold what has been found out about its parts.
    """

    def __init__(self, file: ModuleFile, facts: FileFacts, layout: Layout) -> None:
        self.file = file
        self.path = file.path
        self.facts = facts
        self.id = file.id
        self.scopes: dict[int, dict[str, list[Bound]]] = {MODULE_SCOPE: {}}
        self.stars: list[int] = []
        self.attributes = {(a.owner, a.name): a.type for a in facts.attributes}
        self.other_names = frozenset(facts.other_names)
        self.place = Node(None, 0, [place_key("module", file.path)])
        self.names: dict[str, Node] = {}
        self.exports: Node | None = None
        self.sites: Sites | None = None
        self.methods: dict[str, list[int]] | None = None
        self.members: dict[tuple[int, str], Node] = {}
        self.orders, self.types, self.held = Table(), Table(), Table()
        self.returned, self.wrapped, self.reached = Table(), Table(), Table()
        self._layout = layout
        self._keys: dict[str, Node] = {}
        self._paths: list[str] | None = None
        self._bind_definitions()
        self._bind_imports()

    def _bind_definitions(self) -> None:
        getters: set[tuple[int, str]] = set()
        for index, definition in enumerate(self.facts.definitions):
            parent, name, role = definition.parent, definition.name, definition.role
            if role == "property":
                getters.add((parent, name))
            elif role == "setter" and (parent, name) in getters:
                continue
            self.scopes.setdefault(parent, {}).setdefault(name, []).append(Bound(False, index))

    def _bind_imports(self) -> None:
        for index, record in enumerate(self.facts.imports):
            if record.name == "*":
                self.stars.append(index)
            else:
                scope = self.scopes.setdefault(record.scope, {})
                scope.setdefault(record.bound, []).append(Bound(True, index))

    @cached_property
    def ids(self) -> Sequence[str]:
        """The ids of the definitions."""
        found: list[str] = []
        for definition in self.facts.definitions:
            if definition.parent == MODULE_SCOPE:
                found.append(self.child_id(MODULE_SCOPE, definition.name))
            else:
                found.append(f"{found[definition.parent]}.{definition.name}")
        return found

    @cached_property
    def tops(self) -> Sequence[str]:
        """For each definition the module-level name that it is, or is in."""
        found: list[str] = []
        for definition in self.facts.definitions:
            top = definition.parent == MODULE_SCOPE
            found.append(definition.name if top else found[definition.parent])
        return found

    def child_id(self, parent: int, name: str) -> str:
        """The id of ``name`` in definition ``parent``.

        A package's own name that one of its submodules has too is ``package:name``, since the submodule
        is ``package.name``.
        """
        if parent != MODULE_SCOPE:
            return f"{self.ids[parent]}.{name}"
        taken = self.file.is_package and self._layout.below(self.file, name) is not None
        return f"{self.id}:{name}" if taken else f"{self.id}.{name}"

    def key(self, name: str) -> Node:
        """What reading the module-level ``name`` rests on: its content, and that of a submodule's name."""
        node = self._keys.get(name)
        if node is None:
            keys = [local_key(self.path, name)]
            if self.file.is_package:
                keys.append(self._layout.own_key(self.file.root, f"{self.file.name}.{name}"))
            node = self._keys[name] = Node(None, 0, keys)
        return node

    def result_key(self, index: int) -> Node:
        """What reading the results or defaults of the function ``index`` rests on."""
        if self._paths is None:
            self._paths = definition_paths(self.facts)
        name = result_name(self._paths[index])
        node = self._keys.get(name)
        if node is None:
            node = self._keys[name] = Node(None, 0, [local_key(self.path, name)])
        return node

    def region(self, bound: Bound) -> tuple[int, int, int, int]:
        """Where a binding stands."""
        return (self.facts.imports if bound.is_import else self.facts.definitions)[bound.number].region

    def candidates(self, scope: int, name: str) -> Sequence[Bound]:
        """The bindings of ``name`` in a scope, the last in the file first."""
        found = self.scopes.get(scope, {}).get(name, ())
        if len(found) < 2:
            return found
        return sorted(found, key=lambda bound: self.region(bound)[2], reverse=True)
