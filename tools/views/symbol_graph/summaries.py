"""What other files can see of a Python file, name by name, as digests that do not depend on positions.

The summary of a module-level name holds every record that a question about it may reach without leaving the
file: what binds the name, all definitions inside of it, and the types that they lead to. References to other
names of the module are in it as text, since whoever follows them reads those names too. What a function
returns has an entry of its own, since most of those who use a class call few of its methods. What a body
merely uses is in no summary, so that editing it concerns its own file only; calls that pass values and stores
to attributes are, under the global keys by which they are looked up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, FileFacts, Import, Ref
from repo_guardian.tools.views.symbol_graph.methods import methods_of
from repo_guardian.tools.views.symbol_graph.names import BINDINGS, EXPORTS, STARS
from repo_guardian.tools.views.symbol_graph.paths import definition_paths, result_name
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
        self._attributes: dict[int, list[tuple[str, int]]] = {}
        for attribute in facts.attributes:
            self._attributes.setdefault(attribute.owner, []).append((attribute.name, attribute.type))

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
            yield (LOCAL, EXPORTS), [exports.names, extends, exports.certain]
        for name, indexes in methods_of(self.facts).items():
            yield ("method", name), [self._paths[index] for index in indexes]
        for name, sites in find_sites(self.facts).items():
            entry = (LOCAL, INDIRECT) if name == INDIRECT else ("argument", name)
            yield entry, self._sites(sites)
        yield from self._results()
        yield from self._stores()

    def _bindings(self) -> dict[str, list[Any]]:
        """What binds each module-level name, in source order, with everything inside."""
        found: dict[str, list[Any]] = {name: ["other"] for name in self.facts.other_names}
        types: dict[str, _Types] = {}
        tops: list[str] = []
        names: list[str] = []
        for index, definition in enumerate(self.facts.definitions):
            top = definition.name if definition.parent == MODULE_SCOPE else tops[definition.parent]
            tops.append(top)
            rows = found.setdefault(top, [])
            rows.append(self._definition(index, definition, types.setdefault(top, _Types(self))))
            if definition.parent == MODULE_SCOPE:
                names.append(top)
        for record in self.facts.imports:
            if record.name == "*":
                continue
            if record.scope == MODULE_SCOPE:
                found.setdefault(record.bound, []).append((record.region[2], _import(record)))
                names.append(record.bound)
            else:
                found.setdefault(tops[record.scope], []).append((self._paths[record.scope], _import(record)))
        for name, kept in types.items():
            found[name].append(kept.rows)
        entries = {name: self._ordered(name, rows) for name, rows in found.items()}
        entries[BINDINGS] = sorted(set(names))
        return entries

    def _ordered(self, name: str, rows: list[Any]) -> list[Any]:
        """Rows with the order of a name's imports among its definitions, their positions left out."""
        places = [row[0] for row in rows if isinstance(row, tuple) and isinstance(row[0], int)]
        if not places:
            return rows
        starts = [d.region[2] for d in self.facts.definitions if d.parent == MODULE_SCOPE and d.name == name]
        order = [start in places for start in sorted([*starts, *places])] if starts else []
        bare = [row[1] if isinstance(row, tuple) and isinstance(row[0], int) else row for row in rows]
        return [*bare, order]

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
            [(name, types.number(kind)) for name, kind in self._attributes.get(index, ())],
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
            yield ("store", name), [rows, types.rows]


def _import(record: Import) -> Any:
    return record._replace(scope=0, region=(0, 0, 0, 0))
