"""The edges of one module: its imports, and every use that the extractor saw, with what it resolves to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import, Ref, Use
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Resolution
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.queries import FUEL
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.signature import CallShape
from repo_guardian.tools.views.symbol_graph.symbols import span_of
from repo_guardian.tools.views.symbol_graph.values import HOWS, Value, Values

_KINDS: Final = {
    "call": EdgeKind.CALL,
    "reference": EdgeKind.REFERENCE,
    "inherit": EdgeKind.INHERIT,
    "decorate": EdgeKind.DECORATE,
}
_BY_NAME: Final = ("global", "local", "import")


class _Target(NamedTuple):
    """One thing that a reference resolves to, and how."""

    value: Value
    how: Resolution


class _Found(NamedTuple):
    """What a reference resolves to, what calling it calls, and what its path leads through."""

    targets: tuple[_Target, ...]
    callees: tuple[_Target, ...]
    through: tuple[str, ...]


class EdgeMaker:
    """Makes the edges of one module."""

    def __init__(self, module: Module, resolver: Resolver) -> None:
        self._module = module
        self._resolver = resolver
        self._found: dict[Ref, _Found] = {}
        self._texts: dict[int, str] = {}

    def edges(self) -> Iterator[Edge]:
        """All edges, in no particular order."""
        for record in self._module.facts.imports:
            yield from self._import(record)
        for use in self._module.facts.uses:
            yield from self._use(use)
        for index, definition in enumerate(self._module.facts.definitions):
            if definition.kind == "function":
                yield from self._override(index)

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
        line = at.region[0]
        text = self._texts.get(line)
        if text is None:
            text = self._texts[line] = module.facts.lines.get(line, "")
        return Edge(source, target, kind, module.path, span_of(at.region), how, shape, text, via)

    def _gone(
        self, at: Use | Import, value: Value, kind: EdgeKind, shape: CallShape | None = None
    ) -> Iterator[Edge]:
        """One edge for each class that a missing name may be missing from; none for any other value."""
        for name in value.names if value.kind == "gone" else ():
            yield self._edge(at, name, kind, Resolution.UNRESOLVED, shape=shape, via=value.via)

    # Imports and overrides

    def _import(self, record: Import) -> Iterator[Edge]:
        """One edge to the module that is imported (from), and one to the name."""
        names, module = self._resolver.names, self._module
        dotted = record.module
        if record.name or record.level:
            base, dotted = names.base(module, record)
        else:
            base = names.find(dotted, module)
            dotted = names.known_name(dotted, module)
        if dotted.strip("."):
            how = Resolution.UNRESOLVED if base is None else Resolution.IMPORT
            yield self._edge(record, dotted, EdgeKind.IMPORT, how)
        if record.name in ("", "*"):
            return
        for value in names.imported(module, record):
            yield from self._gone(record, value, EdgeKind.IMPORT)
            if value.id:
                yield self._edge(record, value.id, EdgeKind.IMPORT, Resolution.IMPORT, via=value.via)

    def _override(self, index: int) -> Iterator[Edge]:
        """From a method to the nearest one of a base that it replaces."""
        module, classes = self._module, self._resolver.classes
        owner = classes.method_of(module, index)
        definition = module.facts.definitions[index]
        if owner < 0 or definition.role == "setter":
            return
        found = classes.inherited(module, owner, definition.name)
        if found is not None and found.bound is not None and not found.bound.is_import:
            target = found.owner.ids[found.bound.number]
            span = span_of(definition.region)
            yield Edge(module.ids[index], target, EdgeKind.OVERRIDE, module.path, span, Resolution.MRO)

    # Uses

    def _use(self, use: Use) -> Iterator[Edge]:
        found = self._found.get(use.ref)
        if found is None:
            found = self._found[use.ref] = self._resolve(use.ref)
        for identity in found.through:
            yield self._edge(use, identity, EdgeKind.REFERENCE, Resolution.LOCAL)
        if use.kind == "call":
            yield from self._call(use, found)
        elif use.kind == "implicit":
            yield from self._implicit(use, found)
        else:
            yield from self._mention(use, found)

    def _mention(self, use: Use, found: _Found) -> Iterator[Edge]:
        """Edges of a use that is no call."""
        kind = _KINDS[use.kind]
        for target, how in found.targets:
            value = target
            if use.kind == "inherit":
                value = next(iter(self._chased(target)), target)
            elif value.kind == "gone" and value.names[0].startswith("builtins."):
                continue
            yield from self._gone(use, value, kind)
            if value.inside:
                yield self._edge(use, value.id, kind, how, via=value.via)

    def _chased(self, value: Value) -> Values:
        """The classes behind a variable, and names outside of the tree."""
        return tuple([v for v in self._resolver.held(value, FUEL) if v.is_class or v.kind == "gone"])

    def _resolve(self, ref: Ref) -> _Found:
        resolver, module = self._resolver, self._module
        values, rest = resolver.root(module, ref, FUEL)
        through: dict[str, None] = {}
        for name in rest:
            for value in values:
                if value.is_property or (value.is_class and ref.root in _BY_NAME):
                    through[value.id] = None
            values = resolver.step(module, values, name, FUEL)
        if any(value.kind != "gone" for value in values):
            values = tuple([value for value in values if value.kind != "gone"])
        targets = tuple([_Target(value, self._how(ref, value, len(rest))) for value in values])
        return _Found(targets, tuple(self._callees(targets)), tuple(through))

    def _how(self, ref: Ref, value: Value, steps: int) -> Resolution:
        if value.kind == "gone":
            return Resolution.UNRESOLVED
        if value.how:
            return HOWS[value.how]
        if ref.root in ("self", "cls"):
            definition = value.definition
            own = value.module is self._module and definition is not None and definition.parent == ref.number
            return Resolution.SELF if own and steps == 1 else Resolution.MRO
        if ref.root in ("super", "typed") or (value.receiver and value.receiver.kind == "instance"):
            return Resolution.MRO
        return Resolution.IMPORT if value.via or value.module is not self._module else Resolution.LOCAL

    def _callees(self, targets: tuple[_Target, ...]) -> Iterator[_Target]:
        """What a call of a reference calls; names that are missing only when it calls nothing else."""
        found: dict[str, _Target] = {}
        missing: list[_Target] = []
        for target in targets:
            for callee in self._called(target):
                if callee.value.kind == "gone":
                    missing.append(callee)
                elif callee.value.id:
                    found.setdefault(callee.value.id, callee)
                    if callee.how is not Resolution.ARGUMENT:
                        for wrapper in self._resolver.calls.wrappers(callee.value, FUEL):
                            found.setdefault(wrapper.id, _Target(wrapper, Resolution.RETURN))
        yield from found.values() or missing

    def _called(self, target: _Target) -> Iterator[_Target]:
        resolver, value = self._resolver, target.value
        if value.is_property:
            yield target
            for item in resolver.held(value, FUEL):
                if item.kind != "gone":
                    yield from self._through_value(item, target)
        elif value.kind in ("definition", "instance"):
            held = resolver.held(value, FUEL)
            for item in held:
                yield from self._through_value(item, target)
            if not held:
                yield target
        elif value.kind in ("module", "gone"):
            yield target

    def _through_value(self, value: Value, target: _Target) -> Iterator[_Target]:
        """What calling a value that ``target`` is or holds calls."""
        if value.kind == "instance":
            for method in self._resolver.calls.callable(value, FUEL):
                yield _Target(method, HOWS[method.how] if method.how else Resolution.MRO)
        elif value == target.value or not value.how:
            yield _Target(value, target.how)
        else:
            yield _Target(value, HOWS[value.how])

    def _call(self, use: Use, found: _Found) -> Iterator[Edge]:
        if not found.callees:
            yield from self._by_name(use)
        for value, how in found.callees:
            if value.kind == "gone":
                yield from self._gone(use, value, EdgeKind.CALL, use.shape)
            elif value.kind == "module" or value.is_property:
                yield self._edge(use, value.id, EdgeKind.REFERENCE, how, via=value.via)
            else:
                shape = use.shape
                if value.unbound and not value.is_class and shape is not None and shape.positional:
                    shape = replace(shape, positional=shape.positional - 1)
                known = Resolution.CONSTRUCTOR if value.is_class else how
                yield self._edge(use, value.id, EdgeKind.CALL, known, shape=shape, via=value.via)

    def _implicit(self, use: Use, found: _Found) -> Iterator[Edge]:
        """A call that the language makes, if what it calls is a function or class of the tree."""
        for value, how in found.callees:
            if value.kind == "definition" and not value.is_property and not value.is_variable:
                known = Resolution.CONSTRUCTOR if value.is_class else how
                yield self._edge(use, value.id, EdgeKind.CALL, known, shape=use.shape, via=value.via)

    def _by_name(self, use: Use) -> Iterator[Edge]:
        """A method of something unknown: the one method of that name in the tree, else just the name."""
        root, path = use.ref.root, use.ref.path
        if not path or (root == "global" and "." not in path):
            return
        name = path.rpartition(".")[2]
        target = None if root == "literal" else self._resolver.methods.only(name)
        if target is None:
            yield self._edge(use, f"?.{name}", EdgeKind.CALL, Resolution.UNRESOLVED, shape=use.shape)
        else:
            yield self._edge(use, target, EdgeKind.CALL, Resolution.UNIQUE_NAME, shape=use.shape)
