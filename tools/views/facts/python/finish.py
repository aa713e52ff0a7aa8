"""The end of a walk: freezes what was collected into the facts of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from repo_guardian.tools.views.facts.interface import (
    NO_REF,
    Attribute,
    Definition,
    Exports,
    FileFacts,
    Ref,
    Store,
    Use,
)
from repo_guardian.tools.views.facts.python.meanings import Meanings
from repo_guardian.tools.views.facts.python.walk import Arguments, Draft, PendingStore, Walk

_new: Callable[[Any, tuple[Any, ...]], Any] = tuple.__new__
"""The constructor that a named tuple's own, a Python function, calls."""


class Finisher:
    """Turns one finished walk into facts."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._meanings = Meanings(walk)

    def facts(self, extractor: str, problem: str) -> FileFacts:
        """The facts of the whole file."""
        walk = self._walk
        definitions = tuple([self._definition(draft) for draft in walk.drafts])
        uses = self._uses()
        attributes, stores = self._stores()
        exports = walk.exports
        extends = tuple(self._meanings.ref(chain, scope) for chain, scope in exports.extends)
        return FileFacts(
            extractor,
            walk.source.region,
            definitions,
            tuple(walk.imports),
            Exports(tuple(exports.names), extends, exports.certain) if exports.seen else None,
            uses,
            self._meanings.types(),
            attributes,
            tuple(sorted(walk.other_names - {d.name for d in definitions if d.parent < 0})),
            self._lines(uses),
            problem,
            stores=stores,
        )

    def _definition(self, draft: Draft) -> Definition:
        ref, number, body = self._meanings.ref, self._meanings.number, draft.body
        signature = draft.signature
        returns = yields = -1
        if body is not None and signature is not None:
            if body.is_generator:
                signature = replace(signature, is_generator=True)
            returns = self._meanings.any_number(body.returns)
            yields = self._meanings.any_number(body.yields)
        return Definition(
            draft.kind,
            draft.parent,
            draft.name,
            draft.region,
            draft.role,
            draft.decorators,
            tuple([ref(chain, scope) for chain, scope in draft.decorator_chains]),
            signature,
            draft.bases,
            tuple([ref(chain, scope) for chain, scope in draft.base_chains]),
            draft.keywords,
            draft.value,
            number(draft.held),
            draft.annotation,
            returns,
            yields,
            self._numbered(draft.defaults),
            conditional=draft.conditional,
        )

    def _numbered(self, values: Arguments) -> Arguments:
        """The types of those values that have one."""
        if not values:
            return ()
        found = [(key, self._meanings.number(value)) for key, value in values]
        return tuple([pair for pair in found if pair[1] >= 0])

    def _uses(self) -> tuple[Use, ...]:
        """Every call of something, and every other use of something that is no local variable."""
        locate, resolve = self._walk.source.locate, self._meanings.ref
        uses: list[Use] = []
        for kind, scope, chain, start, end, shape, arguments in self._walk.uses:
            ref = resolve(chain, scope)
            if (kind == "reference" and not _worth(ref)) or ref == NO_REF:
                continue
            if kind == "implicit" and ref.root in ("unknown", "literal"):
                continue
            passed = self._numbered(arguments) if arguments else arguments
            uses.append(_new(Use, (kind, scope.owner, ref, locate(start, end), shape, passed)))
        uses.sort(key=_place)
        return tuple(uses)

    def _stores(self) -> tuple[tuple[Attribute, ...], tuple[Store, ...]]:
        """Attributes of ``self`` and ``cls`` with all that they are given, and stores to other things."""
        found: dict[tuple[int, str], list[int]] = {}
        added: dict[tuple[int, str], list[int]] = {}
        stores: list[Store] = []
        for store in self._walk.stores:
            ref = self._meanings.ref(store.chain, store.scope)
            if ref.root in ("self", "cls") and not ref.path:
                table = added if store.adds else found
                table.setdefault((ref.number, store.name), []).append(store.value)
            elif (entry := self._store(store, ref)) is not None:
                stores.append(entry)
        attributes = [
            Attribute(owner, name, self._meanings.any_number([*values, *added.get((owner, name), ())]))
            for (owner, name), values in sorted(found.items())
        ]
        return tuple(attributes), tuple(stores)

    def _store(self, store: PendingStore, ref: Ref) -> Store | None:
        number = self._meanings.number(store.value)
        if number < 0 or ref.root in ("unknown", "literal"):
            return None
        return Store(store.scope.owner, ref, store.name, number)

    def _lines(self, uses: tuple[Use, ...]) -> dict[int, str]:
        line_text = self._walk.source.line_text
        numbers = {use.region[0] for use in uses} | {record.region[0] for record in self._walk.imports}
        return {number: line_text(number) for number in sorted(numbers)}


def _place(use: Use) -> tuple[int, int]:
    return use.region[2], -use.region[3]


def _worth(ref: Ref) -> bool:
    """False for a bare variable, ``self`` or ``cls``, which refer to nothing new, and for what is unknown."""
    if ref.root in ("unknown", "literal"):
        return False
    return bool(ref.path) or ref.root not in ("self", "cls", "super", "typed")
