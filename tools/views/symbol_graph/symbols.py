"""The symbols of one module: definitions and import bindings, with what is public and what is certain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, Import, Region
from repo_guardian.tools.views.symbol_graph.constructors import bound_signature, constructor
from repo_guardian.tools.views.symbol_graph.model import Span, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.pynames import PRESERVING_DECORATORS
from repo_guardian.tools.views.symbol_graph.queries import FUEL
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.signature import Signature
from repo_guardian.tools.views.symbol_graph.values import Values


def span_of(region: Region) -> Span:
    """A region as a span."""
    return Span(*region)


def module_symbol(module: Module) -> Symbol:
    """The symbol of the module itself, over the whole file."""
    public = not module.file.auxiliary and _is_plain(module.id)
    return Symbol(module.id, SymbolKind.MODULE, module.file.path, span_of(module.facts.region), public)


class SymbolMaker:
    """Makes the symbols of one module."""

    def __init__(self, module: Module, resolver: Resolver) -> None:
        self._module = module
        self._resolver = resolver
        self._exports = resolver.names.exported.names(module)

    def symbols(self) -> Iterator[Symbol]:
        """All symbols, the module first.

        Of several definitions of one id the last in the file wins, except that an import from outside the
        tree does not hide a definition.
        """
        module = self._module
        yield module_symbol(module)
        found: dict[str, list[tuple[bool, int, Symbol]]] = {}
        for inside, symbol in self._bound():
            found.setdefault(symbol.id, []).append((inside, symbol.span.start_byte, symbol))
        for several in found.values():
            winner = max(several, key=lambda entry: entry[:2])[2]
            yield winner if len(several) == 1 else replace(winner, definitions=len(several))
        for name, star in self._resolver.names.exported.star_names(module).items():
            values = self._resolver.names.name(module, name)
            record = module.facts.imports[star]
            inside, symbol = self._alias(record._replace(name=name, alias=""), values, 1)
            if inside:
                yield symbol

    def _bound(self) -> Iterator[tuple[bool, Symbol]]:
        """Every binding as a symbol, and whether it stands for something in the tree."""
        module = self._module
        for scope, names in module.scopes.items():
            for bound in (bound for bounds in names.values() for bound in bounds):
                if not bound.is_import:
                    yield True, self._definition(bound.number)
                elif scope == MODULE_SCOPE or module.facts.definitions[scope].kind == "class":
                    record = module.facts.imports[bound.number]
                    yield self._alias(record, self._resolver.names.imported(module, record), 0)

    def _alias(self, record: Import, values: Values, skip: int) -> tuple[bool, Symbol]:
        """An import binding, and whether it stands for something in the tree.

        ``skip`` is the number of aliases in ``values`` that are the binding itself.
        """
        module = self._module
        value = values[0] if values else None
        identity = module.child_id(record.scope, record.bound)
        inside = value is not None and value.inside
        target = record.module
        if value is not None:
            via = value.via[skip:]
            target = (via[0] if via else value.id) or next(iter(value.names), record.module)
        public = self._is_public_alias(record, identity, inside)
        span = span_of(record.region)
        return inside, Symbol(identity, SymbolKind.ALIAS, module.file.path, span, public, target=target)

    def _is_public_alias(self, record: Import, identity: str, inside: bool) -> bool:
        """Listed in ``__all__``; without one, a package's re-export of its own, or ``import a as a``."""
        if record.scope != MODULE_SCOPE or self._module.file.auxiliary:
            return False
        if self._exports is not None:
            return record.bound in self._exports
        explicit = record.alias != "" and record.alias == record.name
        return (explicit or (inside and self._module.file.is_package)) and _is_plain(identity)

    def _definition(self, index: int) -> Symbol:
        module = self._module
        definition = module.facts.definitions[index]
        signature, certain = self._signature(index, definition)
        return Symbol(
            module.ids[index],
            self._kind(definition),
            module.file.path,
            span_of(definition.region),
            self._is_public(index),
            signature,
            definition.bases,
            definition.decorators,
            value=definition.value,
            signature_certain=certain,
            overloads=self._overloads(definition),
        )

    def _overloads(self, definition: Definition) -> tuple[Signature, ...]:
        """The ``@overload`` signatures of a function, as its callers see them."""
        if definition.kind != "function" or definition.role == "overload":
            return ()
        module = self._module
        bounds = module.scopes[definition.parent].get(definition.name, ())
        others = [module.facts.definitions[bound.number] for bound in bounds if not bound.is_import]
        found = [self._seen(other) for other in others if other.role == "overload"]
        return tuple([signature for signature in found if signature is not None])

    def _seen(self, definition: Definition) -> Signature | None:
        """A function's signature as its callers see it."""
        in_class = self._kind(definition) in (SymbolKind.METHOD, SymbolKind.PROPERTY)
        return bound_signature(definition) if in_class else definition.signature

    def _kind(self, definition: Definition) -> SymbolKind:
        if definition.kind == "class":
            return SymbolKind.CLASS
        if definition.kind == "variable":
            return SymbolKind.CONSTANT
        if definition.kind == "type":
            return SymbolKind.TYPE
        parent, is_lambda = definition.parent, definition.name.startswith("<")
        if parent == MODULE_SCOPE or is_lambda or self._module.facts.definitions[parent].kind != "class":
            return SymbolKind.FUNCTION
        return SymbolKind.PROPERTY if definition.role in ("property", "setter") else SymbolKind.METHOD

    def _signature(self, index: int, definition: Definition) -> tuple[Signature | None, bool]:
        """What calling the definition takes, and whether that is certain."""
        certain = definition.role != "overload" and self._keeps_signature(self._module, definition)
        if definition.kind == "class":
            signature, init = constructor(self._resolver, self._module, index)
            made_by = init.definition if init is not None else None
            if init is not None and init.module is not None and made_by is not None:
                certain = certain and made_by.role != "overload"
                certain = certain and self._keeps_signature(init.module, made_by)
            return signature, certain
        return self._seen(definition), certain

    def _keeps_signature(self, module: Module, definition: Definition) -> bool:
        """True when no decorator may have replaced the parameters."""
        for text, ref in zip(definition.decorators, definition.decorator_refs, strict=True):
            last = text.partition("(")[0].rpartition(".")[2]
            if definition.role in ("property", "setter") and last in ("setter", "getter", "deleter"):
                continue
            values = self._resolver.ref(module, ref, FUEL)
            if not any(v.kind == "gone" and v.names[0] in PRESERVING_DECORATORS for v in values):
                return False
        return True

    def _is_public(self, index: int) -> bool:
        """By ``__all__`` for the module-level name where there is one, else by leading underscores."""
        module = self._module
        definitions = module.facts.definitions
        if module.file.auxiliary:
            return False
        names = [definitions[index].name]
        parent = definitions[index].parent
        while parent != MODULE_SCOPE:
            if definitions[parent].kind == "function":
                return False
            names.append(definitions[parent].name)
            parent = definitions[parent].parent
        if self._exports is None:
            return _is_plain(module.ids[index])
        return names[-1] in self._exports and not any(name.startswith("_") for name in names[:-1])


def _is_plain(identity: str) -> bool:
    """True when no part of a dotted name begins with an underscore, and none is a lambda."""
    return not any(part.startswith(("_", "<")) for part in re.split(r"[.:]", identity))
