"""JavaScript and TypeScript: modules by path, exports, re-exports, CommonJS.

A relative specifier is tried as Node.js and the TypeScript compiler do without a ``tsconfig.json``: as it is,
with each extension, as a folder's index, and with ``.js`` standing for the ``.ts`` that it is made from. A
bare specifier is a package of the tree when a ``package.json`` has its name. A namespace without the name
that is asked for is its default export's (CommonJS: ``module.exports = f; f.x = …``).
"""

from __future__ import annotations

import posixpath

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import
from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.byname.ids import external
from repo_guardian.tools.views.symbol_graph.byname.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.byname.values import UNKNOWN, Value
from repo_guardian.tools.views.symbol_graph.model import Resolution

_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_SOURCES = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_DEFAULT = "default"
_PROJECT = "package.json"
_HIDDEN = frozenset({"private", "protected"})


def candidates(place: str) -> list[str]:
    """The paths that a specifier which leads to ``place`` may mean, in order."""
    stem, extension = posixpath.splitext(place)
    found = [place]
    found += [stem + source for source in _SOURCES.get(extension, ())]
    found += [place + ending for ending in _EXTENSIONS]
    return found + [f"{place}/index{ending}" for ending in _EXTENSIONS]


class EcmaScript:
    """The rules of JavaScript and TypeScript."""

    aliases = True
    outer_members = False
    wrappers = True

    def module(self, resolver: Resolver, importer: str, specifier: str) -> str | None:
        """The file that ``importer`` gets for ``specifier``; None when the tree has none."""
        reader = resolver.reader
        if specifier.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
            if place.startswith(".."):
                return None
            if place == ".":
                place = "index"
            if place.rpartition("/")[2] == _PROJECT:
                return None
            return next((path for path in candidates(place) if reader.exists(path)), None)
        parts = specifier.split("/")
        for count in range(min(len(parts), 3), 0, -1):
            for project in reader.mentions("project", "/".join(parts[:count])):
                if project.rpartition("/")[2] == _PROJECT:
                    found = self._package(resolver, project, "/".join(parts[count:]))
                    if found is not None:
                        return found
        return None

    def _package(self, resolver: Resolver, project: str, rest: str) -> str | None:
        """The module ``rest`` of the package whose ``package.json`` is ``project``; its entry without one."""
        reader = resolver.reader
        folder = posixpath.dirname(project)
        entries = [record.module for record in reader.file(project, "*").facts.imports]
        places = (
            [rest, f"src/{rest}", f"lib/{rest}"] if rest else [*entries, "index", "src/index", "lib/index"]
        )
        for place in places:
            full = posixpath.normpath(posixpath.join(folder, place))
            for path in candidates(full):
                if not path.startswith("..") and not path.endswith(_PROJECT) and reader.exists(path):
                    return path
        return None

    def target(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The module that a specifier names."""
        if not record.module:
            return Value("module", file.path)
        path = self.module(resolver, file.path, record.module)
        if path is None:
            return Value("external", name=external(file.language, record.module), how=Resolution.UNRESOLVED)
        return Value("module", path, how=Resolution.IMPORT)

    def imported(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """What an import, a ``require`` or a re-export binds."""
        if not record.module:
            found = self._local(resolver, file, record.name, hops)
            return UNKNOWN if found is None else found
        module = self.target(resolver, file, record, hops)
        if not record.name or module.kind == "external":
            return module if not record.name else module._replace(name=f"{module.name}.{record.name}")
        return self.exported(resolver, module.path, record.name, hops - 1)

    def _local(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        """A name of the file itself, exports under another name apart."""
        bounds = resolver.reader.file(file.path, name).names.get(name, ())
        imports = file.facts.imports
        own = [b for b in bounds if not b.is_import or imports[b.number].module]
        if not own:
            return None
        chosen = next((b for b in reversed(own) if not b.is_import), own[-1])
        return resolver.bound(file, chosen, hops - 1)

    def exported(self, resolver: Resolver, path: str, name: str, hops: int) -> Value:
        """An exported name of a module: its own, one that it passes on, or one of its default export."""
        found = self._exported(resolver, path, name, hops)
        if found is not None:
            inside = found.kind in ("definition", "instance") and path != resolver.reader.path
            return found.found(Resolution.IMPORT) if inside else found
        default = None if name == _DEFAULT else self.default(resolver, path, hops - 1)
        if default is not None:
            member = resolver.step(default, name, hops - 2)
            if member.kind in ("definition", "instance"):
                return member
            return UNKNOWN
        file = resolver.reader.file(path, "*")
        if name == _DEFAULT:
            return Value("module", path, how=Resolution.IMPORT)
        return Value("gone", name=f"{file.id}.{name}", how=Resolution.UNRESOLVED)

    def _exported(self, resolver: Resolver, path: str, name: str, hops: int) -> Value | None:
        if hops <= 0:
            return None
        file = resolver.reader.file(path, name)
        exports = file.facts.exports
        renamed = [
            bound
            for bound in file.names.get(name, ())
            if bound.is_import and not file.facts.imports[bound.number].module
        ]
        if exports is not None and name in exports.names and renamed:
            return resolver.bound(file, renamed[-1], hops - 1)
        if exports is None or name in exports.names:
            found = self._local(resolver, file, name, hops - 1)
            if found is not None:
                return found
        return self._from_stars(resolver, path, name, hops)

    def _from_stars(self, resolver: Resolver, path: str, name: str, hops: int) -> Value | None:
        """A name that comes by ``export * from``."""
        file = resolver.reader.file(path, "*")
        for number in file.stars if name != _DEFAULT else ():
            module = self.target(resolver, file, file.facts.imports[number], hops - 1)
            if module.kind == "module" and module.path != path:
                found = self._exported(resolver, module.path, name, hops - 2)
                if found is not None:
                    return found
        return None

    def outside(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        """Nothing is in scope that the file does not bind."""
        return None

    def dotted(
        self, resolver: Resolver, file: File, path: list[str], hops: int
    ) -> tuple[Value, list[str]] | None:
        """An unbound name has no members."""
        return None

    def default(self, resolver: Resolver, path: str, hops: int) -> Value | None:
        """The default export."""
        return self._exported(resolver, path, _DEFAULT, hops - 1)

    def foreign(self, resolver: Resolver, file: File, owner: str, name: str) -> Value | None:
        """Members are defined with their class."""
        return None

    def is_public(self, file: File, index: int) -> bool:
        """Exported at module level and not private below; in a script everything is."""
        definitions, exports = file.facts.definitions, file.facts.exports
        script = exports is None and not any(r.scope == MODULE_SCOPE for r in file.facts.imports)
        while index >= 0:
            definition = definitions[index]
            if definition.name.startswith(("#", "_")) or not _HIDDEN.isdisjoint(definition.modifiers):
                return False
            if definition.parent < 0:
                return script or self._is_exported(file, definition.name.partition(".")[0])
            if definitions[definition.parent].kind == "function" and "member" not in definition.modifiers:
                return False
            index = definition.parent
        return False

    def _is_exported(self, file: File, name: str) -> bool:
        exports = file.facts.exports
        if exports is None:
            return False
        if name in exports.names:
            return True
        return any(
            not record.module and record.name == name and record.alias in exports.names
            for record in file.facts.imports
        )


RULES = EcmaScript()
