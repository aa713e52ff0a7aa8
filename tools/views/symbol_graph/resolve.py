"""What a name means: module namespaces, imports, star imports, re-exports, attributes and types.

The rules are those of the Python language reference ("The import system", "Naming and binding") as far as
they can be followed without running anything. A definition of the tree is never hidden by an import from
outside of it, since that is the usual shape of an optional accelerator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import, Ref
from repo_guardian.tools.views.symbol_graph.classes import Hierarchy
from repo_guardian.tools.views.symbol_graph.modules import Layout, ModuleFile
from repo_guardian.tools.views.symbol_graph.namespace import UNKNOWN, Bound, Module, Value, gone
from repo_guardian.tools.views.symbol_graph.pynames import BUILTIN_TYPES, BUILTINS, MODULE_ATTRIBUTES

_MAX_HOPS = 50
"""Longest chain of re-exports or of ``a = b`` that is followed."""
_MAX_DEPTH = 25
"""How many types, or ``__all__`` lists, may be needed to know one; so that no input exhausts the stack."""

_DOTTED = re.compile(r"""["']?([^\W\d]\w*(?:\.[^\W\d]\w*)*)["']?\Z""")
_Seen = set[tuple[str, str]]


class Resolver:
    """Looks names up across the modules of one commit; every answer is remembered.

    Args:
        modules: all modules by path.
        layout: where they are imported from.
    """

    def __init__(self, modules: Mapping[str, Module], layout: Layout) -> None:
        self._modules = modules
        self._layout = layout
        self._names: dict[tuple[str, str], Value | None] = {}
        self._types: dict[tuple[str, int], Value] = {}
        self._exports: dict[str, frozenset[str] | None] = {}
        self._depth = 0
        self.classes = Hierarchy(self)

    def find(self, name: str, importer: Module) -> Module | None:
        """The module that ``importer`` gets for a dotted name."""
        return self._module(self._layout.find(name, importer.file))

    def _module(self, file: ModuleFile | None) -> Module | None:
        return None if file is None else self._modules[file.path]

    # Module namespaces

    def name(self, module: Module, name: str) -> Value | None:
        """What the attribute ``name`` of ``module`` is; None when the module has none."""
        key = (module.id, name)
        if key not in self._names:
            self._names[key] = self._lookup(module, name, set(), 0)
        return self._names[key]

    def _lookup(self, module: Module, name: str, seen: _Seen, hops: int) -> Value | None:
        key = (module.id, name)
        if key in self._names:
            return self._names[key]
        if key in seen or hops > _MAX_HOPS:
            return None
        seen.add(key)
        outside: Value | None = None
        for bound in module.candidates(MODULE_SCOPE, name):
            value = self._bound(module, bound, seen, hops)
            if value.kind != "gone":
                return value
            outside = outside or value
        return outside or self._from_stars(module, name, seen, hops) or self._submodule(module, name)

    def _bound(self, module: Module, bound: Bound, seen: _Seen, hops: int) -> Value:
        if not bound.is_import:
            return Value("definition", module, bound.number)
        record = module.facts.imports[bound.number]
        value = self._imported(module, record, seen, hops)
        alias = module.child_id(record.scope, record.bound)
        return value._replace(via=(alias, *value.via))

    def _from_stars(self, module: Module, name: str, seen: _Seen, hops: int) -> Value | None:
        for index in reversed(module.stars):
            base, _ = self.base(module, module.facts.imports[index])
            if base is not None and self._is_exported(base, name):
                value = self._lookup(base, name, seen, hops + 1)
                if value is not None:
                    return value
        return None

    def _submodule(self, module: Module, name: str) -> Value | None:
        found = self._module(self._layout.below(module.file, name))
        return None if found is None else Value("module", found)

    def _is_exported(self, module: Module, name: str) -> bool:
        names = self.exports(module)
        return not name.startswith("_") if names is None else name in names

    def exports(self, module: Module) -> frozenset[str] | None:
        """The names in ``__all__``; None when there is none, or not all of it can be known."""
        if module.id not in self._exports and self._depth <= _MAX_DEPTH:
            self._exports[module.id] = None
            self._depth += 1
            self._exports[module.id] = self._collect_exports(module)
            self._depth -= 1
        return self._exports.get(module.id)

    def _collect_exports(self, module: Module) -> frozenset[str] | None:
        exports = module.facts.exports
        if exports is None or not exports.certain:
            return None
        names = set(exports.names)
        for ref in exports.extends:
            value = self.ref(module, ref)
            if value.kind != "module" or value.module is None:
                return None
            names |= self.exports(value.module) or set()
        return frozenset(names)

    # Imports

    def imported(self, module: Module, record: Import) -> Value:
        """What an import statement gets for one name."""
        return self._imported(module, record, set(), 0)

    def _imported(self, module: Module, record: Import, seen: _Seen, hops: int) -> Value:
        if not record.name:
            dotted = record.module if record.alias else record.bound
            found = self.find(dotted, module)
            return gone(dotted) if found is None else Value("module", found)
        base, dotted = self.base(module, record)
        if base is None:
            name = f"{dotted}.{record.name}" if dotted.strip(".") else f"{dotted}{record.name}"
            if record.level:
                inner = f"{record.module}.{record.name}".strip(".")
                found = self._module(self._layout.relative(module.file, record.level, inner))
            else:
                found = self.find(name, module)
            return gone(name) if found is None else Value("module", found)
        value = self._lookup(base, record.name, seen, hops + 1) or self._submodule(base, record.name)
        return value or gone(f"{base.id}.{record.name}", module=base)

    def base(self, module: Module, record: Import) -> tuple[Module | None, str]:
        """The module that is imported from, and its dotted name as far as the tree knows it."""
        if not record.level:
            return self.find(record.module, module), self.known_name(record.module, module)
        found = self._module(self._layout.relative(module.file, record.level, record.module))
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

    # References

    def ref(self, module: Module, ref: Ref) -> Value:
        """What a reference of ``module`` stands for."""
        value, rest = self.root(module, ref)
        for name in rest:
            value = self.step(module, value, name)
        return value

    def root(self, module: Module, ref: Ref) -> tuple[Value, list[str]]:
        """What the first part of a reference stands for, and the attributes that follow."""
        parts = ref.path.split(".") if ref.path else []
        match ref.root:
            case "global":
                return self._global(module, parts[0]), parts[1:]
            case "local" | "cls":
                return Value("definition", module, ref.number), parts
            case "import":
                return self._bound(module, Bound(True, ref.number), set(), 0), parts
            case "self":
                return Value("instance", module, ref.number), parts
            case "typed":
                return self.type_value(module, ref.number), parts
            case "super" if parts:
                return self.classes.inherited(module, ref.number, parts[0]), parts[1:]
            case _:
                return UNKNOWN, parts

    def _global(self, module: Module, name: str) -> Value:
        value = self.name(module, name)
        if value is not None:
            return value
        if name in module.other_names or name in MODULE_ATTRIBUTES:
            return UNKNOWN
        if name in BUILTINS:
            return gone(f"builtins.{name}")
        for index in reversed(module.stars):
            base, dotted = self.base(module, module.facts.imports[index])
            if base is None:
                return gone(f"{dotted}.{name}")
        return gone(f"{module.id}.{name}", module=module)

    def step(self, importer: Module, value: Value, name: str) -> Value:
        """The attribute ``name`` of ``value``."""
        module = value.module
        if value.kind == "gone":
            return self._step_beyond(importer, value, name)
        if module is None:
            return UNKNOWN
        if value.kind == "module":
            found = self.name(module, name)
            if found is not None:
                return found._replace(via=value.via + found.via)
            missing = gone(f"{module.id}.{name}", module=module, via=value.via)
            return UNKNOWN if name in module.other_names or name in MODULE_ATTRIBUTES else missing
        if value.kind == "instance" or value.is_class:
            found = self.classes.member(module, value.number, name, value.kind == "instance")
            return found._replace(via=value.via + found.via)
        held = self.held(value)
        return UNKNOWN if held.kind == "unknown" else self.step(importer, held, name)

    def _step_beyond(self, importer: Module, value: Value, name: str) -> Value:
        """An attribute of something outside the tree, or of a name that is missing from it."""
        found = None if value.module is not None else self.find(f"{value.names[0]}.{name}", importer)
        if found is not None:
            return Value("module", found, via=value.via)
        via = value.via + value.names if value.module is not None else value.via
        return gone(*(f"{known}.{name}" for known in value.names), via=via)

    # Types

    def type_value(self, module: Module, index: int) -> Value:
        """The value of a variable that has type ``index``; unknown while it is being found out."""
        key = (module.id, index)
        known = self._types.get(key)
        if known is not None:
            return known
        if self._depth > _MAX_DEPTH:
            return UNKNOWN
        self._types[key] = UNKNOWN
        self._depth += 1
        source, ref, *_ = module.facts.types[index]
        value = self.ref(module, ref)
        if source == "call":
            value = self.result(value)
        elif source == "annotation":
            value = self.instance(value)
        elif source != "value":
            value = UNKNOWN
        self._depth -= 1
        self._types[key] = value
        return value

    def chase(self, value: Value) -> Value:
        """Follow ``a = b`` from variable to variable; ``via`` gains the variables."""
        for _ in range(_MAX_HOPS):
            definition, module = value.definition, value.module
            if value.kind != "definition" or definition is None or module is None or definition.type < 0:
                return value
            if definition.kind != "variable" or module.facts.types[definition.type].source != "value":
                return value
            held = self.type_value(module, definition.type)
            if held.kind not in ("definition", "module"):
                return value
            value = held._replace(via=(*value.via, value.id, *held.via))
        return value

    def held(self, value: Value) -> Value:
        """What a variable holds or a property returns; unknown when that cannot be told."""
        value = self.chase(value)
        definition, module = value.definition, value.module
        if value.kind != "definition" or definition is None or module is None:
            return value
        if definition.kind == "class":
            return value
        if definition.kind == "variable" and definition.type >= 0:
            held = self.type_value(module, definition.type)
            return UNKNOWN if held.id == value.id else held
        return self._returned(value) if definition.role == "property" else UNKNOWN

    def result(self, value: Value) -> Value:
        """What calling ``value`` gives."""
        value = self.chase(value)
        if value.is_class or value.kind == "gone":
            return self.instance(value)
        definition = value.definition
        if value.kind != "definition" or definition is None or definition.signature is None:
            return UNKNOWN
        return UNKNOWN if definition.signature.is_async else self._returned(value)

    def _returned(self, value: Value) -> Value:
        """An instance of the class that the return annotation names."""
        definition, module = value.definition, value.module
        signature = definition.signature if definition is not None else None
        match = _DOTTED.match((signature.returns if signature is not None else None) or "")
        if match is None or module is None:
            return UNKNOWN
        return self.instance(self.ref(module, Ref("global", -1, match.group(1))))

    def instance(self, value: Value) -> Value:
        """An instance of the class ``value``; a capitalized name outside the tree passes for a class."""
        value = self.chase(value)
        if value.is_class:
            return value._replace(kind="instance", via=(), unbound=False)
        if value.kind == "gone":
            last = value.names[0].rpartition(".")[2]
            known = last[:1].isupper() or value.names[0] in BUILTIN_TYPES
            return value._replace(via=()) if known else UNKNOWN
        return UNKNOWN
