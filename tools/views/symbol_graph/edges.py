"""The edges of one module: its imports, and every use that the extractor saw, with what it resolves to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import, Ref, Use
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Resolution
from repo_guardian.tools.views.symbol_graph.namespace import Module, Value
from repo_guardian.tools.views.symbol_graph.pynames import COMMON_METHODS
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.signature import CallShape
from repo_guardian.tools.views.symbol_graph.symbols import span_of

_KINDS = {
    "call": EdgeKind.CALL,
    "reference": EdgeKind.REFERENCE,
    "inherit": EdgeKind.INHERIT,
    "decorate": EdgeKind.DECORATE,
}
_BY_NAME = ("global", "local", "import")


class _Found(NamedTuple):
    """What a reference resolves to, how, and the classes of the tree that its path leads through."""

    value: Value
    how: Resolution
    through: tuple[str, ...]


class EdgeMaker:
    """Makes the edges of one module.

    Args:
        unique_methods: the id of the one method of the tree that has a name, by name.
    """

    def __init__(self, module: Module, resolver: Resolver, unique_methods: Mapping[str, str]) -> None:
        self._module = module
        self._resolver = resolver
        self._unique = unique_methods
        self._found: dict[Ref, _Found] = {}

    def edges(self) -> Iterator[Edge]:
        """All edges, in no particular order."""
        for record in self._module.facts.imports:
            yield from self._import(record)
        for use in self._module.facts.uses:
            yield from self._use(use)

    def _edge(
        self,
        at: Use | Import,
        target: str,
        kind: EdgeKind,
        how: Resolution,
        *,
        shape: CallShape | None = None,
        via: tuple[str, ...] = (),
    ) -> Edge:
        module = self._module
        source = module.id if at.scope == MODULE_SCOPE else module.ids[at.scope]
        text = module.facts.lines.get(at.region[0], "")
        return Edge(source, target, kind, module.file.path, span_of(at.region), how, shape, text, via)

    def _gone(
        self, at: Use | Import, value: Value, kind: EdgeKind, shape: CallShape | None = None
    ) -> Iterator[Edge]:
        """One edge for each class that a missing name may be missing from; none for any other value."""
        for name in value.names:
            yield self._edge(at, name, kind, Resolution.UNRESOLVED, shape=shape, via=value.via)

    def _import(self, record: Import) -> Iterator[Edge]:
        """One edge to the module that is imported (from), and one to the name."""
        resolver, module = self._resolver, self._module
        dotted = record.module
        if record.name or record.level:
            base, dotted = resolver.base(module, record)
        else:
            base = resolver.find(dotted, module)
            dotted = resolver.known_name(dotted, module)
        if dotted.strip("."):
            how = Resolution.UNRESOLVED if base is None else Resolution.IMPORT
            yield self._edge(record, dotted, EdgeKind.IMPORT, how)
        if record.name in ("", "*"):
            return
        value = resolver.imported(module, record)
        yield from self._gone(record, value, EdgeKind.IMPORT)
        if value.id:
            yield self._edge(record, value.id, EdgeKind.IMPORT, Resolution.IMPORT, via=value.via)

    def _use(self, use: Use) -> Iterator[Edge]:
        found = self._found.get(use.ref)
        if found is None:
            found = self._found[use.ref] = self._resolve(use.ref)
        for identity in found.through:
            yield self._edge(use, identity, EdgeKind.REFERENCE, Resolution.LOCAL)
        if use.kind == "call":
            yield from self._call(use, found)
            return
        value = found.value
        if use.kind == "inherit":
            value = self._resolver.chase(value)
        elif value.kind == "gone" and value.names[0].startswith("builtins."):
            return
        yield from self._gone(use, value, _KINDS[use.kind])
        if value.kind in ("definition", "module"):
            yield self._edge(use, value.id, _KINDS[use.kind], found.how, via=value.via)

    def _resolve(self, ref: Ref) -> _Found:
        resolver, module = self._resolver, self._module
        value, rest = resolver.root(module, ref)
        through: list[str] = []
        for name in rest:
            if value.is_class and ref.root in _BY_NAME:
                through.append(value.id)
            value = resolver.step(module, value, name)
        return _Found(value, self._how(ref, value, len(rest)), tuple(through))

    def _how(self, ref: Ref, value: Value, steps: int) -> Resolution:
        if value.kind in ("gone", "unknown"):
            return Resolution.UNRESOLVED
        if ref.root in ("self", "cls"):
            definition = value.definition
            own = value.module is self._module and definition is not None and definition.parent == ref.number
            return Resolution.SELF if own and steps == 1 else Resolution.MRO
        if ref.root in ("super", "typed"):
            return Resolution.MRO
        return Resolution.IMPORT if value.via or value.module is not self._module else Resolution.LOCAL

    def _call(self, use: Use, found: _Found) -> Iterator[Edge]:
        value, how = self._resolver.chase(found.value), found.how
        held = self._resolver.held(value)
        if held.kind == "instance" and not _is_property(value):
            value, how = self._resolver.step(self._module, held, "__call__"), Resolution.MRO
        yield from self._gone(use, value, EdgeKind.CALL, use.shape)
        if value.kind == "unknown":
            yield from self._by_name(use)
        elif value.kind == "module" or _is_property(value):
            yield self._edge(use, value.id, EdgeKind.REFERENCE, how, via=value.via)
        elif value.kind == "definition":
            shape = use.shape
            if value.unbound and shape is not None and shape.positional:
                shape = replace(shape, positional=shape.positional - 1)
            how = Resolution.CONSTRUCTOR if value.is_class else how
            yield self._edge(use, value.id, EdgeKind.CALL, how, shape=shape, via=value.via)

    def _by_name(self, use: Use) -> Iterator[Edge]:
        """A method of something unknown: the one method of that name in the tree, else just the name."""
        root, path = use.ref.root, use.ref.path
        if not path or (root == "global" and "." not in path):
            return
        name = path.rpartition(".")[2]
        target = self._unique.get(name)
        how = Resolution.UNIQUE_NAME
        if target is None or root == "literal" or name in COMMON_METHODS:
            target, how = f"?.{name}", Resolution.UNRESOLVED
        yield self._edge(use, target, EdgeKind.CALL, how, shape=use.shape)


def _is_property(value: Value) -> bool:
    definition = value.definition
    return value.kind == "definition" and definition is not None and definition.role == "property"
