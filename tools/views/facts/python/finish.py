"""The end of a walk: looks up the first name of every chain and freezes what was collected."""

from __future__ import annotations

from dataclasses import replace

from repo_guardian.tools.views.facts.interface import (
    Attribute,
    Definition,
    Exports,
    FileFacts,
    Ref,
    TypeFact,
    Use,
)
from repo_guardian.tools.views.facts.python.scopes import (
    CALLED,
    LITERAL,
    SUPER,
    UNKNOWN,
    Binding,
    Chain,
    Scope,
    TypeHint,
)
from repo_guardian.tools.views.facts.python.walk import Draft, Walk

_NOTHING = Ref("unknown", -1, "")


class Finisher:
    """Turns one finished walk into facts."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._types: dict[TypeHint, int] = {}
        self._hints: list[TypeHint] = []

    def facts(self, extractor: str, problem: str) -> FileFacts:
        """The facts of the whole file."""
        walk = self._walk
        definitions = tuple(self._definition(draft) for draft in walk.drafts)
        uses = self._uses()
        attributes = self._attributes()
        exports = walk.exports
        extends = tuple(self.ref(chain, scope) for chain, scope in exports.extends)
        return FileFacts(
            extractor,
            walk.source.region,
            definitions,
            tuple(walk.imports),
            Exports(tuple(exports.names), extends, exports.certain) if exports.seen else None,
            uses,
            self._type_facts(),
            attributes,
            tuple(sorted(walk.other_names - {d.name for d in definitions if d.parent < 0})),
            self._lines(uses),
            problem,
        )

    def ref(self, chain: Chain, scope: Scope) -> Ref:
        """``chain`` as seen from ``scope``."""
        root, path, hint = chain
        rest = ".".join(path)
        if root == UNKNOWN or not root:
            return Ref("unknown", -1, rest)
        if root == LITERAL:
            return Ref("literal", -1, rest)
        if root == CALLED and hint is not None:
            return Ref("typed", self._type(hint), rest)
        if root == SUPER:
            return self._super(scope, rest)
        found = scope.lookup(root)
        if found is None or found.kind == "module":
            return Ref("global", -1, ".".join((root, *path)))
        return self._bound(found.meaning(root), rest)

    def _bound(self, binding: Binding | None, rest: str) -> Ref:
        if binding is None:
            return Ref("unknown", -1, rest)
        if binding.kind == "definition":
            return Ref("local", binding.number, rest)
        if binding.kind in ("import", "self", "cls"):
            return Ref(binding.kind, binding.number, rest)
        if binding.hint is not None:
            return Ref("typed", self._type(binding.hint), rest)
        return Ref("unknown", -1, rest)

    def _super(self, scope: Scope, rest: str) -> Ref:
        step: Scope | None = scope
        while step is not None and step.kind != "class":
            step = step.parent
        return Ref("unknown", -1, rest) if step is None else Ref("super", step.owner, rest)

    def _type(self, hint: TypeHint) -> int:
        index = self._types.get(hint)
        if index is None:
            index = self._types[hint] = len(self._hints)
            self._hints.append(hint)
        return index

    def _type_facts(self) -> tuple[TypeFact, ...]:
        """All types, those that the types themselves lead to included (the list grows while it is read)."""
        facts: list[TypeFact] = []
        while len(facts) < len(self._hints):
            hint = self._hints[len(facts)]
            facts.append(TypeFact(hint.source, self.ref(hint.chain, hint.scope)))
        return tuple(facts)

    def _definition(self, draft: Draft) -> Definition:
        signature = draft.signature
        if signature is not None and draft.body is not None and draft.body.yields:
            signature = replace(signature, is_generator=True)
        return Definition(
            draft.kind,
            draft.parent,
            draft.name,
            draft.region,
            draft.role,
            draft.decorators,
            tuple(self.ref(chain, scope) for chain, scope in draft.decorator_chains),
            signature,
            draft.bases,
            tuple(self.ref(chain, scope) for chain, scope in draft.base_chains),
            draft.keywords,
            draft.value,
            -1 if draft.hint is None else self._type(draft.hint),
            draft.annotation,
        )

    def _uses(self) -> tuple[Use, ...]:
        """Every call with a name, and every other use of something that is no local variable."""
        locate = self._walk.source.locate
        uses: list[Use] = []
        for kind, scope, chain, start, end, shape in self._walk.uses:
            ref = self.ref(chain, scope)
            if kind == "reference" and (ref.root in ("unknown", "literal") or not self._worth(ref)):
                continue
            if ref == _NOTHING or (ref.root == "typed" and not ref.path and kind == "reference"):
                continue
            uses.append(Use(kind, scope.owner, ref, locate(start, end), shape))
        uses.sort(key=lambda use: (use.region[2], -use.region[3]))
        return tuple(uses)

    def _worth(self, ref: Ref) -> bool:
        """False for a bare ``self`` or ``cls``, which refers to nothing new."""
        return bool(ref.path) or ref.root not in ("self", "cls", "super")

    def _attributes(self) -> tuple[Attribute, ...]:
        """Attributes of ``self``, each with the one type that all assignments agree on."""
        found: dict[tuple[int, str], set[int]] = {}
        for scope, chain, name, hint, counts in self._walk.attributes:
            ref = self.ref(chain, scope)
            if ref.root not in ("self", "cls"):
                continue
            types = found.setdefault((ref.number, name), set())
            if counts:
                types.add(-1 if hint is None else self._type(hint))
        return tuple(
            Attribute(owner, name, types.pop() if len(types) == 1 else -1)
            for (owner, name), types in sorted(found.items())
        )

    def _lines(self, uses: tuple[Use, ...]) -> dict[int, str]:
        line_text = self._walk.source.line_text
        numbers = {use.region[0] for use in uses} | {record.region[0] for record in self._walk.imports}
        return {number: line_text(number) for number in sorted(numbers)}
