"""The edges of one file: its imports, every use that the extractor saw, and the members that it overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import Import, Ref, Region, Use
from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.byname.names import COMMON_METHODS
from repo_guardian.tools.views.symbol_graph.byname.resolve import HOPS, Resolver
from repo_guardian.tools.views.symbol_graph.byname.values import Value
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Resolution, Span
from repo_guardian.tools.views.symbol_graph.signature import Binding, CallShape

_KINDS = {
    "call": EdgeKind.CALL,
    "reference": EdgeKind.REFERENCE,
    "inherit": EdgeKind.INHERIT,
    "decorate": EdgeKind.DECORATE,
}
_CLASSES = ("class", "interface", "type")


class _Found(NamedTuple):
    """What a reference resolves to, and the definitions that its path leads through."""

    value: Value
    through: tuple[Value, ...]


class EdgeMaker:
    """Makes the edges of one file."""

    def __init__(self, file: File, resolver: Resolver) -> None:
        self._file = file
        self._resolver = resolver
        self._found: dict[Ref, _Found] = {}

    def edges(self) -> list[Edge]:
        """All edges, sorted as ``LinkedFile`` wants them, each once."""
        found: dict[tuple[int, int, str, str, str], Edge] = {}
        for edge in self._all():
            span = edge.span
            found.setdefault((span.start_byte, span.end_byte, edge.kind, edge.target, edge.source), edge)
        return [found[key] for key in sorted(found)]

    def _all(self) -> Iterator[Edge]:
        for record in self._file.facts.imports:
            yield from self._import(record)
        for use in self._file.facts.uses:
            yield from self._use(use)
        yield from self._overrides()

    def _edge(
        self,
        scope: int,
        region: Region,
        target: str,
        kind: EdgeKind,
        how: Resolution,
        *,
        shape: CallShape | None = None,
        via: tuple[str, ...] = (),
    ) -> Edge:
        file = self._file
        text = file.facts.lines.get(region[0], "")
        return Edge(file.symbol_id(scope), target, kind, file.path, Span(*region), how, shape, text, via)

    def _import(self, record: Import) -> Iterator[Edge]:
        """One edge to the module that is imported (from), and one to the name."""
        resolver, file = self._resolver, self._file
        module = resolver.rules.target(resolver, file, record, HOPS)
        target = resolver.target_id(module)
        at = record.scope, record.region
        if target and target != file.id:
            how = Resolution.UNRESOLVED if module.kind in ("external", "gone") else Resolution.IMPORT
            yield self._edge(*at, target, EdgeKind.IMPORT, how)
        if record.name in ("", "*"):
            return
        value = resolver.rules.imported(resolver, file, record, HOPS)
        named = resolver.target_id(value)
        if named and named != target:
            inside = value.kind in ("definition", "module", "instance")
            how = Resolution.IMPORT if inside else Resolution.UNRESOLVED
            yield self._edge(*at, named, EdgeKind.IMPORT, how, via=value.via)

    def _use(self, use: Use) -> Iterator[Edge]:
        found = self._found.get(use.ref)
        if found is None:
            found = self._found[use.ref] = self._resolve(use.ref)
        for value in found.through:
            identity = self._resolver.target_id(value)
            yield self._edge(use.scope, use.region, identity, EdgeKind.REFERENCE, value.how, via=value.via)
        if use.kind == "call":
            yield from self._call(use, found.value)
            return
        value = self._resolver.plain(found.value, HOPS) if use.kind == "inherit" else found.value
        target = self._resolver.target_id(value)
        gone = value.kind in ("external", "gone")
        if target and not (gone and self._is_noise(target, use)):
            how = Resolution.UNRESOLVED if gone else value.how
            yield self._edge(use.scope, use.region, target, _KINDS[use.kind], how, via=value.via)

    def _is_noise(self, target: str, use: Use) -> bool:
        """A read of a builtin, of an external name, or of a bare name that nothing binds (a global)."""
        if target.startswith("builtins.") or "://" in target:
            return use.kind == "reference" or target.startswith("builtins.")
        return use.kind == "reference" and use.ref.root == "global" and "." not in use.ref.path

    def _resolve(self, ref: Ref) -> _Found:
        """``A.f()`` refers to the class ``A`` too, where a use names it."""
        value = self._resolver.resolve(self._file, ref)
        through: tuple[Value, ...] = ()
        if ref.root == "global" and "." in ref.path:
            head = self._resolver.resolve(self._file, Ref("global", -1, ref.path.partition(".")[0]))
            if head.kind == "definition" and self._kind_of(head) in _CLASSES:
                through = (head,)
        return _Found(value, through)

    def _kind_of(self, value: Value) -> str:
        return self._resolver.definition(value).kind

    def _call(self, use: Use, found: Value) -> Iterator[Edge]:
        resolver, at = self._resolver, (use.scope, use.region)
        value = resolver.plain(found, HOPS)
        target = resolver.target_id(value)
        constructs = value.kind == "instance" and use.ref.root == "super" and not use.ref.path
        if (value.kind == "definition" or constructs) and target:
            definition = resolver.definition(value)
            how, shape = value.how, use.shape
            if definition.kind in _CLASSES:
                how = Resolution.CONSTRUCTOR
            elif self._passes_self(use, value):
                shape = None if shape is None else replace(shape, positional=max(shape.positional - 1, 0))
            kind = EdgeKind.CALL if self._is_called(value) else EdgeKind.REFERENCE
            yield self._edge(*at, target, kind, how, shape=shape if kind is EdgeKind.CALL else None,
                             via=value.via)  # fmt: skip
            if kind is EdgeKind.CALL:
                return
            value = Value("external")
        if value.kind == "module":
            yield self._edge(*at, target, EdgeKind.CALL, value.how, shape=use.shape, via=value.via)
        elif value.kind in ("external", "gone") and value.name:
            unique = self._unique(use, value)
            yield unique or self._edge(
                *at, value.name, EdgeKind.CALL, Resolution.UNRESOLVED, shape=use.shape, via=value.via
            )
        else:
            unique = self._unique(use, value)
            name = use.ref.path.rpartition(".")[2]
            if unique is not None or name:
                yield unique or self._edge(
                    *at, f"?.{name}", EdgeKind.CALL, Resolution.UNRESOLVED, shape=use.shape
                )

    def _is_called(self, value: Value) -> bool:
        """Whether a call of a value is a call of its definition, and not of what a field holds."""
        definition = self._resolver.definition(value)
        if definition.kind != "variable":
            return definition.role != "property"
        return definition.annotation is None and definition.value is None and definition.parent >= 0

    def _passes_self(self, use: Use, value: Value) -> bool:
        """``Type::method(&x, 1)`` passes the receiver as its first argument (Rust)."""
        definition = self._resolver.definition(value)
        if self._file.family != "rust" or definition.kind != "function" or definition.role == "staticmethod":
            return False
        by_path = use.ref.root in ("global", "import", "local") and "." in f".{use.ref.path}"
        member = definition.parent >= 0 or "." in definition.name
        return member and by_path and self._is_method_of_type(use)

    def _is_method_of_type(self, use: Use) -> bool:
        owner = use.ref.path.rpartition(".")[0].rpartition(".")[2]
        return owner[:1].isupper()

    def _unique(self, use: Use, value: Value) -> Edge | None:
        """The one method of the tree that a call of something unknown may mean."""
        path, family = use.ref.path, self._file.family
        name = path.rpartition(".")[2]
        macro = name.endswith("!") and value.kind == "gone"
        if not macro and (value.kind != "unknown" or not path or name.lower() in COMMON_METHODS):
            return None
        reader = self._resolver.reader
        paths = reader.mentions(f"name:{family}", name)
        if len(paths) != 1 or (use.shape is not None and use.ref.root == "literal"):
            return None
        file = reader.facts_of_mentioned(paths[0])
        several = [n for n, d in enumerate(file.facts.definitions) if self._has_name(file, n, name)]
        if len(several) != 1:
            return None
        definition = file.facts.definitions[several[0]]
        signature = definition.signature
        if use.shape is None or signature is None or file.language == "javascript":
            fits = True
        else:
            fits = signature.bind(use.shape).binding is not Binding.FAILS
        if not fits:
            return None
        target = file.symbol_id(several[0])
        how = Resolution.UNIQUE_NAME
        return self._edge(use.scope, use.region, target, EdgeKind.CALL, how, shape=use.shape)

    def _has_name(self, file: File, number: int, name: str) -> bool:
        dotted = file.qualified[number]
        is_function = file.facts.definitions[number].kind == "function"
        return is_function and ("." in dotted or name.endswith("!")) and dotted.rpartition(".")[2] == name

    def _overrides(self) -> Iterator[Edge]:
        """From each method to the one of a base that it replaces."""
        file, resolver = self._file, self._resolver
        for number, definition in enumerate(file.facts.definitions):
            parent = definition.parent
            if definition.kind != "function" or parent < 0 or not file.facts.definitions[parent].base_refs:
                continue
            if definition.name in ("constructor", "<init>") or "private" in definition.modifiers:
                continue
            for base in resolver.bases(file, parent, HOPS):
                member = resolver.member(base, definition.name, HOPS) if base.kind == "definition" else None
                if member is not None and member.kind == "definition":
                    target = resolver.target_id(member)
                    how = Resolution.MRO
                    yield self._edge(number, definition.region, target, EdgeKind.OVERRIDE, how)
                    break
