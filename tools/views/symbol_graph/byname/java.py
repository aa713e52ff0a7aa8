"""Java: packages by declaration, classes by their full name."""

from __future__ import annotations

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.byname.ids import external
from repo_guardian.tools.views.symbol_graph.byname.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.byname.values import Value
from repo_guardian.tools.views.symbol_graph.model import Resolution

_FULL_NAME_PARTS = 10
_PUBLIC = frozenset({"public", "protected"})


class Java:
    """The rules of Java."""

    aliases = False
    outer_members = True
    wrappers = False

    def class_of(self, resolver: Resolver, name: str) -> Value | None:
        """The class of the full name ``name``, nested ones with dots; the first file when there are more."""
        for path in resolver.reader.mentions("java", name):
            file = resolver.reader.facts_of_mentioned(path)
            prefix = f"{file.facts.package}." if file.facts.package else ""
            for index, dotted in enumerate(file.qualified):
                if prefix + dotted == name and file.facts.definitions[index].kind != "function":
                    return Value("definition", path, index, how=Resolution.IMPORT)
        return None

    def _external(self, name: str) -> Value:
        return Value("external", name=external("java", name), how=Resolution.UNRESOLVED)

    def target(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The class of a static import; a package is no symbol."""
        found = self.class_of(resolver, record.module)
        return self._external(record.module) if found is None else found

    def imported(self, resolver: Resolver, file: File, record: Import, hops: int) -> Value:
        """The class, or the static member of one."""
        full = f"{record.module}.{record.name}"
        found = self.class_of(resolver, full)
        if found is not None:
            return found
        owner = self.class_of(resolver, record.module)
        if owner is not None:
            return resolver.step(owner, record.name, hops - 1).found(Resolution.IMPORT)
        return self._external(full)

    def outside(self, resolver: Resolver, file: File, name: str, hops: int) -> Value | None:
        """A class of the package, or what an import of everything brings."""
        package = resolver.reader.file(file.path, "*").facts.package
        found = self.class_of(resolver, f"{package}.{name}" if package else name)
        if found is not None:
            return found.found(Resolution.NAME)
        for number in file.stars:
            record = file.facts.imports[number]
            found = self.class_of(resolver, f"{record.module}.{name}")
            if found is not None:
                return found
            owner = self.class_of(resolver, record.module)
            member = None if owner is None else resolver.member(owner, name, hops - 1)
            if member is not None:
                return member.found(Resolution.IMPORT)
        return None

    def dotted(
        self, resolver: Resolver, file: File, path: list[str], hops: int
    ) -> tuple[Value, list[str]] | None:
        """A class by its full name."""
        if not path[0][:1].islower():
            return None
        for count in range(2, min(len(path), _FULL_NAME_PARTS) + 1):
            if path[count - 1][:1].isupper():
                found = self.class_of(resolver, ".".join(path[:count]))
                return None if found is None else (found, path[count:])
        return None

    def exported(self, resolver: Resolver, path: str, name: str, hops: int) -> Value:
        """A file is no namespace."""
        file = resolver.reader.file(path, name)
        return Value("gone", name=f"{file.id}.{name}", how=Resolution.UNRESOLVED)

    def default(self, resolver: Resolver, path: str, hops: int) -> Value | None:
        """A file is no value."""
        return None

    def foreign(self, resolver: Resolver, file: File, owner: str, name: str) -> Value | None:
        """Members are defined with their class."""
        return None

    def is_public(self, file: File, index: int) -> bool:
        """``public`` or ``protected`` all the way up; a member of an interface is public by itself."""
        definitions = file.facts.definitions
        while index >= 0:
            definition = definitions[index]
            parent = definition.parent
            inherent = parent >= 0 and (
                definitions[parent].kind == "interface" or "enum" in definitions[parent].modifiers
            )
            if "private" in definition.modifiers or not (inherent or _PUBLIC & set(definition.modifiers)):
                return False
            index = parent
        return True


RULES = Java()
