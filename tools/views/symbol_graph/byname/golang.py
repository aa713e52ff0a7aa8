"""Go: a package is a directory; a project's ``go.mod`` says which import path its directories begin with."""

from __future__ import annotations

import posixpath

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.byname.ids import external, module_id
from repo_guardian.tools.views.symbol_graph.byname.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.byname.values import Value
from repo_guardian.tools.views.symbol_graph.model import Resolution

_TEST = "_test.go"


def _sees(importer: File | None, file: File) -> bool:
    """Whether a package's file is seen by ``importer``, a file of the same directory; None is elsewhere."""
    test = file.path.endswith(_TEST)
    if importer is None:
        return not test
    return file.facts.package == importer.facts.package and (not test or importer.path.endswith(_TEST))


class Go:
    """The rules of Go."""

    aliases = False
    outer_members = False
    wrappers = False

    def directory(self, resolver: Resolver, path: str) -> str | None:
        """The directory of the tree that an import path means."""
        parts = path.split("/")
        for count in range(len(parts), 0, -1):
            for project in resolver.reader.mentions("project", "/".join(parts[:count])):
                if project.rpartition("/")[2] == "go.mod":
                    return posixpath.join(posixpath.dirname(project), *parts[count:])
        return None

    def target(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The package that an import path names; its ``name`` is the module that stands for it in edges."""
        folder = self.directory(resolver, record.module)
        if folder is None:
            return Value("external", name=external("go", record.module), how=Resolution.UNRESOLVED)
        return Value("package", folder, name=self._main_file(resolver, folder), how=Resolution.IMPORT)

    def _main_file(self, resolver: Resolver, folder: str) -> str:
        """The id of the file called like the directory, else of ``doc.go``, else of the first one."""
        paths = [path for path in resolver.reader.folder(folder) if path.endswith(".go")]
        plain = [path for path in paths if not path.endswith(_TEST)]
        for name in (posixpath.basename(folder), "doc"):
            named = posixpath.join(folder, f"{name}.go")
            if name and named in plain:
                return module_id(named)
        return module_id(plain[0]) if plain else ""

    def imported(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The package."""
        return self.target(resolver, file, record, hops)

    def _in_package(self, resolver: Resolver, folder: str, name: str, importer: File | None) -> Value | None:
        """The definition ``name`` of the package in ``folder``.

        Tests see each other and all else of the same package clause; nothing else sees tests.
        """
        for path in resolver.reader.mentions("go", name):
            if posixpath.dirname(path) != folder:
                continue
            file = resolver.reader.facts_of_mentioned(path)
            if not _sees(importer, file):
                continue
            for index, dotted in enumerate(file.qualified):
                if dotted == name:
                    return Value("definition", path, index, how=Resolution.NAME)
        return None

    def outside(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        """A name of another file of the package, or of a dot import."""
        stars = resolver.reader.file(file.path, "*").stars
        found = self._in_package(resolver, posixpath.dirname(file.path), name, file)
        if found is not None:
            return found
        for number in stars if name[:1].isupper() else ():
            package = self.target(resolver, file, file.facts.imports[number], hops - 1)
            if package.kind == "package":
                found = self._in_package(resolver, package.path, name, None)
                if found is not None:
                    return found.found(Resolution.IMPORT)
        return None

    def dotted(
        self, resolver: Resolver, file: File, path: list[str], hops: int
    ) -> tuple[Value, list[str]] | None:
        """A package that is not called like the end of its path: the one import whose package is."""
        for record in file.facts.imports:
            if record.alias or record.name == "*":
                continue
            package = self.target(resolver, file, record, hops - 1)
            if package.kind == "package" and len(path) > 1:
                found = self._in_package(resolver, package.path, path[1], None)
                if found is not None and self._package_name(resolver, found) == path[0]:
                    return found.found(Resolution.IMPORT), path[2:]
        return None

    def _package_name(self, resolver: Resolver, value: Value) -> str:
        return resolver.reader.file(value.path, "*").facts.package

    def exported(self, resolver: Resolver, path: str, name: str, hops: int) -> Value:
        """A name of the package in the directory ``path``."""
        found = self._in_package(resolver, path, name, None)
        if found is not None:
            return found.found(Resolution.IMPORT)
        return Value("gone", name=f"{path or '.'}/{name}", how=Resolution.UNRESOLVED)

    def default(self, resolver: Resolver, path: str, hops: int) -> Value | None:
        """A package is no value."""
        return None

    def foreign(self, resolver: Resolver, file: File, owner: str, name: str) -> Value | None:
        """A method in another file of the package."""
        file = resolver.reader.file(file.path, "*")
        return self._in_package(resolver, posixpath.dirname(file.path), f"{owner}.{name}", file)

    def is_public(self, file: File, index: int) -> bool:
        """Capitalized all the way down, and in no ``internal`` directory."""
        if "internal" in file.path.split("/")[:-1]:
            return False
        return all(part[:1].isupper() for part in file.qualified[index].split("."))


RULES = Go()
