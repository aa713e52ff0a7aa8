"""Names: which file an import finds, and what a module-level name is bound to.

The rules are those of the Python language reference ("The import system", "Naming and binding") as far as
they can be followed without running anything. A definition of the tree is never hidden by an import from
outside of it, since that is the usual shape of an optional accelerator; imports in a ``try`` are alternatives
to each other. This is the first layer of ``queries``: it knows nothing of classes and values.
"""

from __future__ import annotations

from typing import Final

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import
from repo_guardian.tools.views.symbol_graph.corpus import Corpus, global_key, place_key
from repo_guardian.tools.views.symbol_graph.exports import Exports
from repo_guardian.tools.views.symbol_graph.modules import Layout, ModuleFile
from repo_guardian.tools.views.symbol_graph.namespace import Bound, Module
from repo_guardian.tools.views.symbol_graph.pynames import BUILTINS, MODULE_ATTRIBUTES
from repo_guardian.tools.views.symbol_graph.queries import Memo, Node
from repo_guardian.tools.views.symbol_graph.values import NOTHING, Value, Values, gone, union

_MAX_HOPS: Final = 50
"""Longest chain of re-exports that is followed; so that no input exhausts the stack."""

LISTED = "listed"
"""The kind of ``global_key`` of which modules list a name in ``__all__``. No file is said to mention it: it
is one key for all star imports that a name is looked for through, which are many in some packages."""

_Seen = set[tuple[Module, str]]


class Names:
    """Looks names up across the modules of one corpus.

    Args:
        corpus: where facts come from.
        layout: where modules are imported from.
        memo: what is being read.
    """

    def __init__(self, corpus: Corpus, layout: Layout, memo: Memo) -> None:
        self._corpus = corpus
        self._layout = layout
        self._memo = memo
        self._modules: dict[str, Module] = {}
        self._finds: dict[tuple[str, str], Node] = {}
        self.exported = Exports(self, memo)
        self._relatives: dict[str, Node] = {}
        self._listed_keys: dict[str, str] = {}

    # Modules

    def forget(self) -> None:
        """Empty every module, for when nobody will ask again."""
        for module in self._modules.values():
            vars(module).clear()

    def module(self, path: str) -> Module:
        """The module of a file, whose place is noted as read."""
        module = self._modules.get(path)
        if module is None:
            file = self._layout.files[path]
            module = self._modules[path] = Module(file, self._corpus.facts(path), self._layout)
        self._memo.read.append(module.place)
        return module

    def mentions(self, key: str) -> tuple[str, ...]:
        """The module files that mention a global key."""
        return tuple([path for path in self._corpus.mentions(key) if path in self._layout.files])

    def _at(self, file: ModuleFile | None) -> Module | None:
        return None if file is None else self.module(file.path)

    def find(self, name: str, importer: Module) -> Module | None:
        """The module that ``importer`` gets for a dotted name."""
        root = importer.file.root
        return self._memo.ask_once(self._finds, (root, name), self._find, root, name)  # type: ignore[no-any-return]

    def _find(self, root: str, name: str) -> Module | None:
        layout, read = self._layout, self._memo.read
        read.append(layout.own_key(root, name))
        found = layout.own(root, name)
        if found is None:
            read.append(layout.any_key(name))
            found = layout.anywhere(name)
        return self._at(found)

    def below(self, module: Module, name: str) -> Module | None:
        """The submodule ``name`` of a package, in the same root."""
        file = module.file
        if not file.is_package:
            return None
        full = f"{file.name}.{name}"
        self._memo.read.append(self._layout.own_key(file.root, full))
        return self._at(self._layout.own(file.root, full))

    def _relative(self, importer: Module, level: int, name: str) -> Module | None:
        place = self._layout.place(importer.file, level, name)
        if place is None:
            return None
        return self._memo.ask_once(self._relatives, place, self._at_place, place)  # type: ignore[no-any-return]

    def _at_place(self, place: str) -> Module | None:
        self._memo.read.append(place_key("at", place))
        return self._at(self._layout.at(place))

    # Module namespaces

    def name(self, module: Module, name: str) -> Values:
        """What the attribute ``name`` of ``module`` is; nothing when the module has none."""
        return self._memo.ask_once(module.names, name, self._lookup, module, name, set(), 0)  # type: ignore[no-any-return]

    def _lookup(self, module: Module, name: str, seen: _Seen, hops: int) -> Values:
        if (module, name) in seen or hops > _MAX_HOPS:
            return NOTHING
        seen.add((module, name))
        self._memo.read.append(module.key(name))
        bounds = module.candidates(MODULE_SCOPE, name)
        if len(bounds) == 1 and not bounds[0].is_import:
            return (Value("definition", module, bounds[0].number),)
        found: list[Value] = []
        outside: Values = NOTHING
        for bound in bounds:
            if found and not self._is_alternative(module, bound):
                continue
            values = self._bound(module, bound, seen, hops)
            if any(value.kind != "gone" for value in values):
                found += values
            outside = outside or values
        if found or outside:
            return union(found) or outside
        return self._from_stars(module, name, seen, hops) or self._submodule(module, name)

    def _is_alternative(self, module: Module, bound: Bound) -> bool:
        """Whether a binding may hold although a later one does: imports in ``try`` and its handlers."""
        return bound.is_import and module.facts.imports[bound.number].guarded

    def bound(self, module: Module, bound: Bound) -> Values:
        """What one binding stands for."""
        return self._bound(module, bound, set(), 0)

    def _bound(self, module: Module, bound: Bound, seen: _Seen, hops: int) -> Values:
        if not bound.is_import:
            return (Value("definition", module, bound.number),)
        record = module.facts.imports[bound.number]
        values = self._imported(module, record, seen, hops)
        alias = module.child_id(record.scope, record.bound)
        return _through(alias, values)

    def _from_stars(self, module: Module, name: str, seen: _Seen, hops: int) -> Values:
        starred = self.exported.starred(module)
        if starred:
            self._memo.read.append(self._listed(name))
        for base, listed in starred:
            if name in listed if listed is not None else not name.startswith("_"):
                values = self._lookup(base, name, seen, hops + 1)
                if values:
                    return _through(module.child_id(MODULE_SCOPE, name), values)
        return NOTHING

    def _listed(self, name: str) -> str:
        """The key of which modules list a name."""
        key = self._listed_keys.get(name)
        if key is None:
            key = self._listed_keys[name] = global_key(LISTED, name)
        return key

    def _submodule(self, module: Module, name: str) -> Values:
        found = self.below(module, name)
        return NOTHING if found is None else (Value("module", found),)

    def global_(self, module: Module, name: str) -> Values:
        """What a global name means in code of ``module``, builtins and missing names included."""
        values = self.name(module, name)
        if values or name in module.other_names or name in MODULE_ATTRIBUTES:
            return values
        if name in BUILTINS:
            return (gone(f"builtins.{name}"),)
        for index in reversed(module.stars):
            base, dotted = self.base(module, module.facts.imports[index])
            if base is None:
                return (gone(f"{dotted}.{name}"),)
        return (gone(f"{module.id}.{name}", module=module),)

    # Imports

    def imported(self, module: Module, record: Import) -> Values:
        """What an import statement gets for one name."""
        return self._imported(module, record, set(), 0)

    def _imported(self, module: Module, record: Import, seen: _Seen, hops: int) -> Values:
        if not record.name:
            dotted = record.module if record.alias else record.bound
            found = self.find(dotted, module)
            return (gone(dotted) if found is None else Value("module", found),)
        base, dotted = self.base(module, record)
        if base is None:
            found = self.module_inside(module, record, dotted)
            name = f"{dotted}.{record.name}" if dotted.strip(".") else f"{dotted}{record.name}"
            return (gone(name) if found is None else Value("module", found),)
        values = self._lookup(base, record.name, seen, hops + 1) or self._submodule(base, record.name)
        return values or (gone(f"{base.id}.{record.name}", module=base),)

    def module_inside(self, module: Module, record: Import, dotted: str) -> Module | None:
        """The module ``b`` of ``from a import b``, where ``a`` is a directory without ``__init__``."""
        if record.level:
            return self._relative(module, record.level, f"{record.module}.{record.name}".strip("."))
        return self.find(f"{dotted}.{record.name}", module)

    def base(self, module: Module, record: Import) -> tuple[Module | None, str]:
        """The module that is imported from, and its dotted name as far as the tree knows it."""
        if not record.level:
            found = self.find(record.module, module)
            return found, (self.known_name(record.module, module) if found is None else found.id)
        found = self._relative(module, record.level, record.module)
        if found is not None:
            return found, found.id
        parts = module.file.name.split(".")
        keep = len(parts) - record.level + module.file.is_package
        if keep < (len(parts) > 1):
            return None, "." * record.level + record.module
        dotted = ".".join([*parts[:keep], *([record.module] if record.module else [])])
        return None, self.known_name(dotted, module)

    def known_name(self, dotted: str, module: Module) -> str:
        """``dotted`` with the longest part that is a module of the tree replaced by that module's id."""
        parts = dotted.split(".")
        for end in range(len(parts), 0, -1):
            found = self.find(".".join(parts[:end]), module)
            if found is not None:
                return ".".join([found.id, *parts[end:]])
        return dotted


def _through(alias: str, values: Values) -> Values:
    return tuple([value._replace(via=(alias, *value.via)) for value in values])
