"""Rust: modules by path from the crate's root, ``use``, globs, ``impl`` in other files.

A crate's root is the nearest ``lib.rs`` or ``main.rs`` above a file, else the file itself. Other crates of
the tree are found by the name in their ``Cargo.toml``.
"""

from __future__ import annotations

import posixpath

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.byname.ids import external
from repo_guardian.tools.views.symbol_graph.byname.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.byname.values import UNKNOWN, Value
from repo_guardian.tools.views.symbol_graph.model import Resolution

_ROOTS = ("lib.rs", "main.rs")
_FOLDER_MODULES = ("mod.rs", *_ROOTS)
_ROOT_PLACES = ("src/lib.rs", "lib.rs", "src/main.rs", "main.rs")


class Rust:
    """The rules of Rust."""

    aliases = True
    outer_members = False
    wrappers = True

    def root(self, resolver: Resolver, path: str) -> str:
        """The root module of the crate that a file belongs to."""
        if posixpath.basename(path) in _ROOTS:
            return path
        folder = posixpath.dirname(path)
        while True:
            for name in _ROOTS:
                place = posixpath.join(folder, name)
                if resolver.reader.exists(place):
                    return place
            if not folder:
                return path
            folder = posixpath.dirname(folder)

    def _child(self, resolver: Resolver, path: str, name: str) -> str | None:
        """The file of ``mod name;`` in the module ``path``."""
        folder, file = posixpath.split(path)
        base = folder if file in _FOLDER_MODULES else posixpath.join(folder, file.removesuffix(".rs"))
        places = [posixpath.join(base, f"{name}.rs"), posixpath.join(base, name, "mod.rs")]
        if file not in _FOLDER_MODULES:
            # A crate's root may have any name (tests, examples, binaries).
            places += [posixpath.join(folder, f"{name}.rs"), posixpath.join(folder, name, "mod.rs")]
        return next((place for place in places if place != path and resolver.reader.exists(place)), None)

    def _parent(self, resolver: Resolver, path: str) -> str | None:
        """The module that contains the module ``path``."""
        folder, file = posixpath.split(path)
        if file == "mod.rs":
            folder = posixpath.dirname(folder)
        elif file in _ROOTS:
            return None
        places = [posixpath.join(folder, name) for name in _FOLDER_MODULES]
        places.append(f"{folder}.rs")
        return next((place for place in places if place != path and resolver.reader.exists(place)), None)

    def _crate(self, resolver: Resolver, name: str) -> str | None:
        """The root of another crate of the tree."""
        for project in resolver.reader.mentions("project", name):
            if posixpath.basename(project) == "Cargo.toml":
                folder = posixpath.dirname(project)
                places = [posixpath.join(folder, place) for place in _ROOT_PLACES]
                found = next((place for place in places if resolver.reader.exists(place)), None)
                if found is not None:
                    return found
        return None

    def first(self, resolver: Resolver, file: File, name: str, hops: int) -> Value:
        """What the first part of a path means."""
        if name == "crate":
            return Value("module", self.root(resolver, file.path), how=Resolution.IMPORT)
        if name == "self":
            return Value("module", file.path, how=Resolution.IMPORT)
        if name == "super":
            parent = self._parent(resolver, file.path)
            return UNKNOWN if parent is None else Value("module", parent, how=Resolution.IMPORT)
        return resolver.name(file, name, hops - 1)

    def target(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The module before the last name."""
        if not record.module:
            return UNKNOWN
        first, *rest = record.module.split("::")
        value = self._foreign_crate(resolver, file, first, record, hops)
        for name in rest:
            if name == "super" and value.kind == "module":
                parent = self._parent(resolver, value.path)
                value = UNKNOWN if parent is None else Value("module", parent, how=Resolution.IMPORT)
            else:
                value = resolver.step(value, name, hops - 1)
        return value

    def _foreign_crate(self, resolver: Resolver, file: File, first: str, record: Import, hops: int) -> Value:
        """The first part of a ``use``: a name of the module unless that is this very import, then a crate."""
        if first in ("crate", "self", "super"):
            return self.first(resolver, file, first, hops)
        bounds = resolver.reader.file(file.path, first).names.get(first, ())
        own = [b for b in bounds if not b.is_import or file.facts.imports[b.number] is not record]
        if own:
            return resolver.bound(file, own[-1], hops - 1)
        root = self._crate(resolver, first)
        if root is not None:
            return Value("module", root, how=Resolution.IMPORT)
        return Value("external", name=external("rust", first), how=Resolution.UNRESOLVED)

    def imported(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """What ``use`` or ``mod`` binds."""
        if not record.module:
            return self._foreign_crate(resolver, file, record.name, record, hops)
        if record.module == "self" and not record.alias:
            child = self._child(resolver, file.path, record.name)
            if child is not None:
                return Value("module", child, how=Resolution.IMPORT)
        value = self.target(resolver, file, record, hops)._replace(via=())
        if value.kind == "module" and value.path == file.path:
            return self._own(resolver, file, record, hops)
        return resolver.step(value, record.name, hops - 1)

    def _own(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """A name of the file itself, this import apart."""
        bounds = resolver.reader.file(file.path, record.name).names.get(record.name, ())
        own = [b for b in bounds if not b.is_import or file.facts.imports[b.number] is not record]
        return resolver.bound(file, own[-1], hops - 1) if own else UNKNOWN

    def outside(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        """A glob's name, a crate of the tree, ``crate``, ``self``, ``super``."""
        if name in ("crate", "self", "super"):
            return self.first(resolver, file, name, hops)
        found = self._from_globs(resolver, file, name, hops)
        if found is not None:
            return found
        root = self._crate(resolver, name)
        return None if root is None else Value("module", root, how=Resolution.IMPORT)

    def _from_globs(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        if hops <= 0:
            return None
        for number in resolver.reader.file(file.path, "*").stars:
            value = self.target(resolver, file, file.facts.imports[number], hops - 2)
            if value.kind == "module" and value.path != file.path:
                found = self._found(resolver, value.path, name, hops - 3)
            elif value.kind == "definition":
                found = resolver.member(value, name, hops - 2)
            else:
                found = None
            if found is not None:
                return found.found(Resolution.IMPORT)
        return None

    def _found(self, resolver: Resolver, path: str, name: str, hops: int) -> Value | None:
        """A name of a module: its own, or one of its globs'."""
        file = resolver.reader.file(path, name)
        return resolver.inside(file, name, hops - 1) or self._from_globs(resolver, file, name, hops - 1)

    def dotted(
        self, resolver: Resolver, file: File, path: list[str], hops: int
    ) -> tuple[Value, list[str]] | None:
        """An unbound name has no members."""
        return None

    def exported(self, resolver: Resolver, path: str, name: str, hops: int) -> Value:
        """A name of a module."""
        if name == "super":
            parent = self._parent(resolver, path)
            return UNKNOWN if parent is None else Value("module", parent, how=Resolution.IMPORT)
        found = self._found(resolver, path, name, hops)
        if found is not None:
            return found if found.kind != "definition" else found.found(Resolution.IMPORT)
        file = resolver.reader.file(path, name)
        return Value("gone", name=f"{file.id}.{name}", how=Resolution.UNRESOLVED)

    def default(self, resolver: Resolver, path: str, hops: int) -> Value | None:
        """A module is no value."""
        return None

    def foreign(self, resolver: Resolver, file: File, owner: str, name: str) -> Value | None:
        """A member by an ``impl`` in another file of the same crate; the one, when there is one."""
        found: list[Value] = []
        for path in resolver.reader.mentions("rust", f"{owner}.{name}"):
            other = resolver.reader.facts_of_mentioned(path)
            if path != file.path and self.root(resolver, path) == self.root(resolver, file.path):
                index = other.qualified.index(f"{owner}.{name}")
                if other.facts.definitions[index].parent < 0:
                    found.append(Value("definition", path, index))
        return found[0] if len(found) == 1 else None

    def is_public(self, file: File, index: int) -> bool:
        """``pub`` all the way up; what a trait or an enumeration holds is as public as that."""
        definitions = file.facts.definitions
        while index >= 0:
            definition = definitions[index]
            parent = definition.parent
            inherent = parent >= 0 and (
                definitions[parent].kind == "interface" or (definition.annotation is None
                and definition.kind == "variable")
            )  # fmt: skip
            if not inherent and "pub" not in definition.modifiers:
                return False
            index = parent
        return True


RULES = Rust()
