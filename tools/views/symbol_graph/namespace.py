"""One module while it is linked: the ids of its definitions, and what its names are bound to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, FileFacts
from repo_guardian.tools.views.symbol_graph.modules import Layout, ModuleFile

ValueKind = Literal["module", "definition", "instance", "gone", "unknown"]


class Bound(NamedTuple):
    """What binds a name in a module or class: the definition or the import ``number``."""

    is_import: bool
    number: int


class Module:
    """Facts of one file with its place among the others."""

    def __init__(self, file: ModuleFile, facts: FileFacts, layout: Layout) -> None:
        self.file = file
        self.facts = facts
        self.id = file.id
        self.scopes: dict[int, dict[str, list[Bound]]] = {MODULE_SCOPE: {}}
        self.stars: list[int] = []
        self.ids: list[str] = []
        self.attributes = {(a.owner, a.name): a.type for a in facts.attributes}
        self.other_names = frozenset(facts.other_names)
        self._layout = layout
        self._bind_definitions()
        self._bind_imports()

    def _bind_definitions(self) -> None:
        getters: set[tuple[int, str]] = set()
        for index, definition in enumerate(self.facts.definitions):
            self.ids.append(self.child_id(definition.parent, definition.name))
            key = (definition.parent, definition.name)
            if definition.role == "property":
                getters.add(key)
            if definition.role == "setter" and key in getters:
                continue
            scope = self.scopes.setdefault(definition.parent, {})
            scope.setdefault(definition.name, []).append(Bound(False, index))

    def _bind_imports(self) -> None:
        for index, record in enumerate(self.facts.imports):
            if record.name == "*":
                self.stars.append(index)
            else:
                scope = self.scopes.setdefault(record.scope, {})
                scope.setdefault(record.bound, []).append(Bound(True, index))

    def child_id(self, parent: int, name: str) -> str:
        """The id of ``name`` in definition ``parent``.

        A package's own name that one of its submodules has too is ``package:name``, since the submodule
        is ``package.name``.
        """
        if parent != MODULE_SCOPE:
            return f"{self.ids[parent]}.{name}"
        taken = self._layout.below(self.file, name) is not None
        return f"{self.id}:{name}" if taken else f"{self.id}.{name}"

    def region(self, bound: Bound) -> tuple[int, int, int, int]:
        """Where a binding stands."""
        return (self.facts.imports if bound.is_import else self.facts.definitions)[bound.number].region

    def candidates(self, scope: int, name: str) -> Iterable[Bound]:
        """The bindings of ``name`` in a scope, the last in the file first."""
        found = self.scopes.get(scope, {}).get(name, ())
        return sorted(found, key=lambda bound: self.region(bound)[2], reverse=True)


class Value(NamedTuple):
    """What an expression stands for.

    ``definition`` and ``instance`` (of a class) are definition ``number`` of ``module``; ``gone`` are one or
    more dotted ``names`` that the tree does not define (``module`` is set when a module of the tree is where
    they are missing). ``via`` are the aliases passed on the way. ``unbound`` says that a plain method was
    reached through its class, so that a call passes ``self`` itself.
    """

    kind: ValueKind
    module: Module | None = None
    number: int = -1
    names: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    unbound: bool = False

    @property
    def definition(self) -> Definition | None:
        """The definition, for ``definition`` and ``instance``."""
        if self.module is None or self.number < 0:
            return None
        return self.module.facts.definitions[self.number]

    @property
    def is_class(self) -> bool:
        """True for a class itself, not for its instances."""
        found = self.definition
        return self.kind == "definition" and found is not None and found.kind == "class"

    @property
    def id(self) -> str:
        """The id of the module, definition or class; empty for ``gone`` and ``unknown``."""
        if self.module is None or self.kind in ("gone", "unknown"):
            return ""
        return self.module.id if self.kind == "module" else self.module.ids[self.number]


UNKNOWN = Value("unknown")


def gone(*names: str, module: Module | None = None, via: tuple[str, ...] = ()) -> Value:
    """Dotted names that the tree does not define."""
    return Value("gone", module, names=names, via=via)
