"""The symbols of one file: its module, its definitions, and the names that it passes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition
from repo_guardian.tools.views.symbol_graph.byname.files import Bound, File
from repo_guardian.tools.views.symbol_graph.byname.resolve import HOPS, Resolver
from repo_guardian.tools.views.symbol_graph.model import Span, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import Signature

_KINDS = {
    "class": SymbolKind.CLASS,
    "interface": SymbolKind.INTERFACE,
    "type": SymbolKind.TYPE,
    "module": SymbolKind.MODULE,
    "variable": SymbolKind.CONSTANT,
}
_CONSTRUCTORS = ("constructor", "<init>")
_CERTAIN = frozenset({"typescript", "go", "rust", "java"})
"""Languages in which a call has to fit the signature; JavaScript takes any arguments."""


class SymbolMaker:
    """Makes the symbols of one file."""

    def __init__(self, file: File, resolver: Resolver) -> None:
        self._file = file
        self._resolver = resolver

    def symbols(self) -> Iterator[Symbol]:
        """All symbols, the module first; of several definitions of one id the last in the file wins."""
        file = self._file
        public = not file.auxiliary
        yield Symbol(file.id, SymbolKind.MODULE, file.path, Span(*file.facts.region), public)
        groups: dict[str, list[int]] = {}
        for index in range(len(file.facts.definitions)):
            groups.setdefault(file.symbol_id(index), []).append(index)
        for identity, indexes in groups.items():
            yield self._definition(identity, indexes)
        if self._resolver.rules.aliases:
            for name, bounds in file.names.items():
                identity = f"{file.id}.{name}"
                if identity not in groups:
                    yield self._alias(identity, name, bounds[-1])

    def _definition(self, identity: str, indexes: list[int]) -> Symbol:
        file = self._file
        definitions = [file.facts.definitions[index] for index in indexes]
        winner, index = definitions[-1], indexes[-1]
        signature, overloads = self._signature(winner, index)
        several = tuple(d.signature for d in definitions if d.kind == "function" and d.signature is not None)
        if len(several) > 1:
            overloads = several if definitions[-1].role == "overload" or file.language == "java" else tuple(
                d.signature for d in definitions if d.role == "overload" and d.signature is not None
            )  # fmt: skip
        return Symbol(
            identity,
            self._kind(winner),
            file.path,
            Span(*winner.region),
            not file.auxiliary and self._resolver.rules.is_public(file, index),
            signature,
            winner.bases,
            winner.decorators,
            value=winner.value,
            definitions=len(indexes),
            signature_certain=file.language in _CERTAIN and len(indexes) == 1 and not overloads,
            overloads=overloads,
        )

    def _kind(self, definition: Definition) -> SymbolKind:
        if definition.kind != "function":
            return _KINDS[definition.kind]
        definitions, parent = self._file.facts.definitions, definition.parent
        member = "." in definition.name or "member" in definition.modifiers
        member = member or (
            parent != MODULE_SCOPE and definitions[parent].kind in ("class", "interface", "type", "variable")
        )
        if definition.role in ("property", "setter"):
            return SymbolKind.PROPERTY
        return SymbolKind.METHOD if member else SymbolKind.FUNCTION

    def _signature(
        self, definition: Definition, index: int
    ) -> tuple[Signature | None, tuple[Signature, ...]]:
        """A function's signature; a class's is that of its constructor (the last, and all when several)."""
        if definition.kind != "class":
            return definition.signature, ()
        scope = self._file.scopes.get(index, {})
        bounds: list[Bound] = [b for name in _CONSTRUCTORS for b in scope.get(name, ())]
        found = [self._file.facts.definitions[b.number].signature for b in bounds if not b.is_import]
        signatures = tuple(replace(signature, returns=None) for signature in found if signature is not None)
        if not signatures:
            return definition.signature, ()
        return signatures[-1], signatures if len(signatures) > 1 else ()

    def _alias(self, identity: str, name: str, bound: Bound) -> Symbol:
        """An import binding or a re-export."""
        file = self._file
        record = file.facts.imports[bound.number]
        value = self._resolver.rules.imported(self._resolver, file, record, HOPS)
        target = value.via[0] if value.via else self._resolver.target_id(value)
        exports = file.facts.exports
        public = not file.auxiliary and exports is not None and name in exports.names
        span = Span(*record.region)
        return Symbol(identity, SymbolKind.ALIAS, file.path, span, public, target=target or record.module)
