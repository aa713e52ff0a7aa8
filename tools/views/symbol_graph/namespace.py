"""One module while it is linked: the ids of its definitions, and what its names are bound to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts
from repo_guardian.tools.views.symbol_graph.corpus import local_key, place_key
from repo_guardian.tools.views.symbol_graph.modules import Layout, ModuleFile
from repo_guardian.tools.views.symbol_graph.paths import (
    Units,
    definition_paths,
    definition_units,
    result_name,
)
from repo_guardian.tools.views.symbol_graph.queries import Node, Table
from repo_guardian.tools.views.symbol_graph.sites import Sites


class Bound(NamedTuple):
    """What binds a name in a module or class: the definition or the import ``number``."""

    is_import: bool
    number: int


class Module:
    """Facts of one file with its place among the others.

    ``names``, ``types``, ``held``, ``returned``, … hold what has been found out about its parts. Most modules
    are only asked for one thing, such as their ``__all__``: all else is made when it is asked for.
    """

    def __init__(self, file: ModuleFile, facts: FileFacts, layout: Layout) -> None:
        self.file = file
        self.path = file.path
        self.facts = facts
        self.id = file.id
        self.place = Node(None, 0, [place_key("module", file.path)])
        self.names: dict[str, Node] = {}
        self.exports: dict[str, Node] = {}
        self.starred: dict[str, Node] = {}
        self.sites: Sites | None = None
        self.methods: dict[str, list[int]] | None = None
        self.members: dict[tuple[int, str], Node] = {}
        self.orders, self.types, self.held = Table(), Table(), Table()
        self.returned, self.wrapped, self.reached = Table(), Table(), Table()
        self._layout = layout
        self._keys: dict[str, Node] = {}
        self._paths: list[str] | None = None

    @cached_property
    def scopes(self) -> dict[int, dict[str, list[Bound]]]:
        """What binds each name, by the definition whose body it is in."""
        scopes: dict[int, dict[str, list[Bound]]] = {MODULE_SCOPE: {}}
        getters: set[tuple[int, str]] = set()
        for index, definition in enumerate(self.facts.definitions):
            parent, name, role = definition.parent, definition.name, definition.role
            if role == "property":
                getters.add((parent, name))
            elif role == "setter" and (parent, name) in getters:
                continue
            scopes.setdefault(parent, {}).setdefault(name, []).append(Bound(False, index))
        for index, record in enumerate(self.facts.imports):
            if record.name != "*":
                scopes.setdefault(record.scope, {}).setdefault(record.bound, []).append(Bound(True, index))
        return scopes

    @cached_property
    def stars(self) -> Sequence[int]:
        """The star imports, in the order of the file."""
        return [index for index, record in enumerate(self.facts.imports) if record.name == "*"]

    @cached_property
    def attributes(self) -> dict[tuple[int, str], int]:
        """The type that ``self.name`` is given in a class."""
        return {(a.owner, a.name): a.type for a in self.facts.attributes}

    @cached_property
    def other_names(self) -> frozenset[str]:
        """Module-level names that neither a definition nor an import binds."""
        return frozenset(self.facts.other_names)

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
    def units(self) -> Units:
        """The units of the definitions."""
        return definition_units(self.facts)

    @cached_property
    def listed(self) -> frozenset[str]:
        """The names in ``__all__`` that stand there themselves."""
        exports = self.facts.exports
        return frozenset(exports.names if exports is not None else ())

    def child_id(self, parent: int, name: str) -> str:
        """The id of ``name`` in definition ``parent``.

        A package's own name that one of its submodules has too is ``package:name``, since the submodule
        is ``package.name``.
        """
        if parent != MODULE_SCOPE:
            return f"{self.ids[parent]}.{name}"
        taken = self.file.is_package and self._layout.below(self.file, name) is not None
        return f"{self.id}:{name}" if taken else f"{self.id}.{name}"

    def key(self, unit: str) -> Node:
        """What reading a unit rests on: its content, and whether a submodule takes its module-level name."""
        node = self._keys.get(unit)
        if node is None:
            keys = [local_key(self.path, unit)]
            if self.file.is_package:
                top = unit.partition(".")[0]
                keys.append(self._layout.own_key(self.file.root, f"{self.file.name}.{top}"))
            node = self._keys[unit] = Node(None, 0, keys)
        return node

    def note(self, name: str) -> Node:
        """What reading something else than a unit rests on: what ``local_key`` stands for under ``name``."""
        node = self._keys.get(name)
        if node is None:
            node = self._keys[name] = Node(None, 0, [local_key(self.path, name)])
        return node

    def definition_key(self, index: int) -> Node:
        """What reading the definition ``index`` rests on; of a class its members are no part."""
        return self.key(self.units.names[index])

    def member_key(self, index: int, name: str) -> Node:
        """What looking ``name`` up in the class ``index`` rests on, in vain or not."""
        return self.key(self.units.member(index, name))

    def top_place(self, index: int) -> Node:
        """What the id of the definition ``index`` rests on: whether a submodule takes its first name."""
        top = self.units.names[index].partition(".")[0] if self.file.is_package else ""
        name = f"{top}:"
        node = self._keys.get(name)
        if node is None:
            places = [self._layout.own_key(self.file.root, f"{self.file.name}.{top}")] if top else []
            node = self._keys[name] = Node(None, 0, places)
        return node

    def fields_key(self, index: int) -> Node:
        """What reading all annotated variables of the class ``index`` rests on."""
        return self.note(self.units.fields(index))

    def result_key(self, index: int) -> Node:
        """What reading the results or defaults of the function ``index`` rests on, itself included."""
        if self._paths is None:
            self._paths = definition_paths(self.facts)
        name = result_name(self._paths[index])
        node = self._keys.get(name)
        if node is None:
            keys = [local_key(self.path, name), self.definition_key(index)]
            node = self._keys[name] = Node(None, 0, keys)
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
