"""One file as the linker sees it: its names, what each of them is, and what lies below it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, FileFacts, Import
from repo_guardian.tools.views.symbol_graph.byname.ids import module_id, qualified_names
from repo_guardian.tools.views.symbol_graph.modules import AUXILIARY

FAMILIES = {"javascript": "ecmascript", "typescript": "ecmascript"}
"""Languages whose files see each other's names under one family; any other is its own."""

_FOREIGN = frozenset({"node_modules", "vendor", "third_party", "bower_components", "testdata", "dist"})
_TEST_MARKS = ("_test.go", ".test.js", ".test.ts", ".spec.js", ".spec.ts", ".test.tsx", ".spec.tsx")


class Bound(NamedTuple):
    """What a name is bound to: a definition or an import, by index."""

    is_import: bool
    number: int


def family_of(facts: FileFacts) -> str:
    """The family of a file's language."""
    language = facts.extractor.partition("/")[0]
    return FAMILIES.get(language, language)


class File:
    """The facts of one file, with indexes by name.

    Args:
        path: where the file is; only its module's id depends on it.
        facts: what was extracted from it.
    """

    def __init__(self, path: str, facts: FileFacts) -> None:
        self.path = path
        self.facts = facts
        self.family = family_of(facts)
        self.language = facts.extractor.partition("/")[0]

    @cached_property
    def id(self) -> str:
        """The module's id."""
        return module_id(self.path)

    @cached_property
    def qualified(self) -> tuple[str, ...]:
        """The dotted names of the definitions, by index."""
        return qualified_names(self.facts)

    @cached_property
    def names(self) -> Mapping[str, tuple[Bound, ...]]:
        """What each name of the module itself is bound to, in source order."""
        return self.scopes.get(MODULE_SCOPE, {})

    @cached_property
    def scopes(self) -> Mapping[int, Mapping[str, tuple[Bound, ...]]]:
        """What each definition (or the module) directly holds, by name."""
        found: dict[int, dict[str, list[Bound]]] = {}
        for number, definition in enumerate(self.facts.definitions):
            names = found.setdefault(definition.parent, {})
            names.setdefault(definition.name, []).append(Bound(False, number))
        for number, record in enumerate(self.facts.imports):
            bound = bound_name(record, self.family)
            if bound:
                found.setdefault(record.scope, {}).setdefault(bound, []).append(Bound(True, number))
        return {scope: {name: tuple(b) for name, b in names.items()} for scope, names in found.items()}

    @cached_property
    def attributes(self) -> Mapping[tuple[int, str], int]:
        """The types of attributes assigned on ``this``, where all assignments agree."""
        found: dict[tuple[int, str], set[int]] = {}
        for owner, name, known in self.facts.attributes:
            found.setdefault((owner, name), set()).add(known)
        return {key: types.pop() for key, types in found.items() if len(types) == 1}

    @cached_property
    def attributes_of(self) -> Mapping[int, list[tuple[str, int]]]:
        """``attributes`` by owner."""
        found: dict[int, list[tuple[str, int]]] = {}
        for (owner, name), known in self.attributes.items():
            found.setdefault(owner, []).append((name, known))
        return found

    @cached_property
    def stars(self) -> tuple[int, ...]:
        """The imports of everything (``*``) at module level, by index."""
        imports = self.facts.imports
        return tuple(n for n, r in enumerate(imports) if r.name == "*" and r.scope == MODULE_SCOPE)

    @cached_property
    def auxiliary(self) -> bool:
        """Whether the file is a test, an example, documentation, or somebody else's code."""
        *folders, name = self.path.lower().split("/")
        return name.endswith(_TEST_MARKS) or not (AUXILIARY | _FOREIGN).isdisjoint(folders)

    def child(self, scope: int, name: str) -> Definition | None:
        """The definition ``name`` directly below ``scope``; the last when there are several."""
        bounds = self.scopes.get(scope, {}).get(name, ())
        return next((self.facts.definitions[b.number] for b in reversed(bounds) if not b.is_import), None)

    def symbol_id(self, index: int) -> str:
        """The id of a definition, the module's for -1."""
        return self.id if index < 0 else f"{self.id}.{self.qualified[index]}"


def bound_name(record: Import, family: str) -> str:
    """The name that an import binds in its scope, empty for none."""
    if record.alias or record.name == "*":
        return "" if record.alias == "_" else record.alias
    if family == "go":
        from repo_guardian.tools.views.facts.go.paths import bound_name as go_name

        return go_name(record)
    return record.name
