"""What other files can see of a Python file, name by name, as digests that do not depend on positions.

The summary of a unit (see ``paths``) holds every record that a question about it may reach without leaving
it: what binds the name, what ``self.name`` is given, all definitions inside of a function, and the types that
they lead to. References to other names of the file are in it as text, since whoever follows them reads those
units too. What a function returns has an entry of its own, since most of those who name it do not ask. What a
body merely uses is in no summary, so that editing it concerns its own file only; calls that pass values and
stores to attributes are, by the names under which they are looked up. A global key has no content but the
fact that the file belongs to it: most are mentioned by too many files for anyone to look at what these say.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, FileFacts, Import, Ref
from repo_guardian.tools.views.symbol_graph.exports import BINDINGS, EXPORTS, LISTS, STARS
from repo_guardian.tools.views.symbol_graph.methods import methods_of
from repo_guardian.tools.views.symbol_graph.names import LISTED
from repo_guardian.tools.views.symbol_graph.paths import (
    definition_paths,
    definition_units,
    methods_name,
    result_name,
    site_name,
    store_name,
)
from repo_guardian.tools.views.symbol_graph.sites import INDIRECT, Site, Sites, find_sites

LOCAL = "l"
"""The kind of entries that ``local_key`` stands for."""

Entry = tuple[str, str]


def mentions(facts: FileFacts, sites: Sites | None = None) -> frozenset[Entry]:
    """The global keys, as kind and name, that a file belongs to; ``sites`` when they are known already."""
    found = {("method", name) for name in methods_of(facts)}
    found |= {("argument", name) for name in sites or find_sites(facts) if name != INDIRECT}
    found |= {("store", store.name) for store in facts.stores if store.type >= 0}
    return frozenset(found)


def summary(facts: FileFacts) -> dict[Entry, bytes]:
    """The digest of every local and global key that the file has a part in."""
    return {entry: _digest(rows) for entry, rows in _Summary(facts).entries()}


def _digest(rows: list[Any]) -> bytes:
    return hashlib.blake2b(repr(rows).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class _Types:
    """Numbers types in the order in which one entry meets them, and writes each down once."""

    def __init__(self, owner: _Summary) -> None:
        self._owner = owner
        self._numbers: dict[int, int] = {}
        self.rows: list[Any] = []

    def number(self, index: int) -> int:
        """The number of a type within the entry, whatever its index in the file."""
        if index < 0:
            return index
        stack: list[tuple[int, int]] = []
        number = self._meet(index, stack)
        while stack:
            place, item = stack.pop()
            self.rows[place] = self._row(item, stack)
        return number

    def _meet(self, index: int, stack: list[tuple[int, int]]) -> int:
        number = self._numbers.get(index)
        if number is None:
            number = self._numbers[index] = len(self.rows)
            self.rows.append(None)
            stack.append((number, index))
        return number

    def _row(self, index: int, stack: list[tuple[int, int]]) -> Any:
        fact = self._owner.facts.types[index]
        ref = self._owner.ref(fact.ref)
        if fact.ref.root == "typed":
            ref = ("typed", self._meet(fact.ref.number, stack), fact.ref.path)
        return fact.source, ref, [self._meet(item, stack) for item in fact.items], fact.keys

    def ref(self, ref: Ref) -> Any:
        """A reference, its types within this entry."""
        if ref.root == "typed":
            return "typed", self.number(ref.number), ref.path
        return self._owner.ref(ref)


class _Summary:
    """Makes the entries of one file."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts
        self._paths = definition_paths(facts)
        self._units = definition_units(facts)

    def ref(self, ref: Ref) -> Any:
        """A reference without positions; those to types are the caller's."""
        if ref.root in ("local", "self", "cls", "super") and ref.number >= 0:
            return ref.root, self._paths[ref.number], ref.path
        if ref.root == "import":
            return ref.root, _import(self.facts.imports[ref.number]), ref.path
        return tuple(ref)

    def entries(self) -> Iterator[tuple[Entry, list[Any]]]:
        """Every entry with what it holds."""
        for name, rows in self._bindings().items():
            yield (LOCAL, name), rows
        stars = [_import(record) for record in self.facts.imports if record.name == "*"]
        if stars:
            yield (LOCAL, STARS), stars
        exports = self.facts.exports
        if exports is not None:
            extends = [self.ref(ref) for ref in exports.extends]
            yield (LOCAL, LISTS), [extends, exports.certain]
            yield (LOCAL, EXPORTS), [exports.names]
            for name in set(exports.names):
                yield (LISTED, name), []
        for name, indexes in methods_of(self.facts).items():
            yield ("method", name), []
            yield (LOCAL, methods_name(name)), [self._paths[index] for index in indexes]
        for name, sites in find_sites(self.facts).items():
            if name != INDIRECT:
                yield ("argument", name), []
            yield (LOCAL, site_name(name)), self._sites(sites)
        yield from self._results()
        yield from self._stores()

    def _bindings(self) -> dict[str, list[Any]]:
        """What binds the name of each unit, in source order, with everything inside of functions."""
        found: defaultdict[str, list[Any]] = defaultdict(list)
        types: defaultdict[str, _Types] = defaultdict(partial(_Types, self))
        names: set[str] = set()
        for name in self.facts.other_names:
            found[name].append("other")
        for index, definition in enumerate(self.facts.definitions):
            unit = self._units.names[index]
            found[unit].append(self._definition(index, definition, types[unit]))
            if definition.parent == MODULE_SCOPE:
                names.add(unit)
            elif definition.annotation is not None and self._units.split[definition.parent]:
                field = (self._paths[index], definition.kind, definition.annotation, definition.value)
                found[self._units.fields(definition.parent)].append(field)
        for owner, name, kind in self.facts.attributes:
            unit = self._units.member(owner, name)
            found[unit].append(("self", self._paths[owner], types[unit].number(kind)))
        for unit, rows in self._imports(names).items():
            found[unit] += rows
        for unit, kept in types.items():
            found[unit].append(kept.rows)
        return {**found, BINDINGS: sorted(names)}

    def _imports(self, names: set[str]) -> dict[str, list[Any]]:
        """The imports of each unit with their order among its definitions; ``names`` gets the global ones."""
        found: dict[str, list[Any]] = {}
        places: dict[str, set[int]] = {}
        for record in self.facts.imports:
            if record.name == "*":
                continue
            if record.scope == MODULE_SCOPE:
                names.add(record.bound)
            top = record.scope == MODULE_SCOPE
            unit = record.bound if top else self._units.member(record.scope, record.bound)
            found.setdefault(unit, []).append(("" if top else self._paths[record.scope], _import(record)))
            places.setdefault(unit, set()).add(record.region[2])
        starts: dict[str, set[int]] = {unit: set() for unit in places}
        for unit, definition in zip(self._units.names, self.facts.definitions, strict=True):
            if unit in starts:
                starts[unit].add(definition.region[2])
        for unit, known in starts.items():
            found[unit].append([start in known for start in sorted(known | places[unit])])
        return found

    def _definition(self, index: int, definition: Definition, types: _Types) -> list[Any]:
        signature = definition.signature
        shape = None
        if signature is not None:
            shape = (signature.render(), signature.is_async, signature.is_generator)
        return [
            self._paths[index],
            definition.kind,
            definition.role,
            definition.decorators,
            [types.ref(ref) for ref in definition.decorator_refs],
            shape,
            definition.bases,
            [types.ref(ref) for ref in definition.base_refs],
            definition.keywords,
            definition.value,
            types.number(definition.type),
            definition.annotation,
            definition.modifiers,
        ]

    def _results(self) -> Iterator[tuple[Entry, list[Any]]]:
        """What functions return, yield and take by default, each under a key of its own."""
        for path, definition in zip(self._paths, self.facts.definitions, strict=True):
            if max(definition.returns, definition.yields) >= 0 or definition.defaults:
                types = _Types(self)
                given = [types.number(definition.returns), types.number(definition.yields)]
                defaults = [(name, types.number(kind)) for name, kind in definition.defaults]
                yield (LOCAL, result_name(path)), [given, defaults, types.rows]

    def _sites(self, sites: Iterable[Site]) -> list[Any]:
        types = _Types(self)
        rows: list[Any] = []
        for site in sites:
            arguments = [(key, types.number(kind)) for key, kind in site.arguments]
            decorated = self._paths[site.decorated] if site.decorated >= 0 else ""
            rows.append((types.ref(site.ref), arguments, decorated, site.is_factory))
        # A call's place does not matter, and loops make equal ones.
        return [sorted({repr(row) for row in rows}), types.rows]

    def _stores(self) -> Iterator[tuple[Entry, list[Any]]]:
        found: dict[str, list[Any]] = {}
        types = _Types(self)
        for store in self.facts.stores:
            if store.type >= 0:
                row = (types.ref(store.ref), types.number(store.type))
                found.setdefault(store.name, []).append(row)
        for name, rows in found.items():
            yield ("store", name), []
            yield (LOCAL, store_name(name)), [rows, types.rows]


def _import(record: Import) -> Any:
    return record._replace(scope=0, region=(0, 0, 0, 0))
