"""The end of a pass: the first name of every chain is looked up, and what was collected is frozen."""

from __future__ import annotations

from repo_guardian.tools.views.facts.interface import (
    Attribute,
    Definition,
    Exports,
    FileFacts,
    Ref,
    TypeFact,
    Use,
)
from repo_guardian.tools.views.facts.treesitter.records import Draft, PendingUse
from repo_guardian.tools.views.facts.treesitter.scopes import (
    CALLED,
    LITERAL,
    SUPER,
    THIS,
    UNKNOWN,
    Binding,
    Chain,
    Hint,
)
from repo_guardian.tools.views.facts.treesitter.walk import Walk

_CONTAINERS = ("class", "interface", "type", "module", "variable", "function")
_HINT_DEPTH = 40


class Finisher:
    """Turns one finished pass into facts."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._types: dict[tuple[str, Ref], int] = {}
        self._facts: list[TypeFact] = []
        self._owners: dict[str, int] = {}
        for index, draft in enumerate(walk.drafts):
            if draft.parent < 0 and not draft.owner and draft.kind in _CONTAINERS:
                known = self._owners.get(draft.name)
                if known is None or walk.drafts[known].kind in ("variable", "function"):
                    self._owners[draft.name] = index

    def facts(self, extractor: str, problem: str) -> FileFacts:
        """The facts of the whole file."""
        walk = self._walk
        definitions = tuple(self._definition(draft) for draft in walk.drafts)
        uses = self._uses()
        attributes = tuple(
            Attribute(owner, name, self._type(hint)) for owner, name, hint in walk.attributes if owner >= 0
        )
        numbers = {use.region[0] for use in uses} | {record.region[0] for record in walk.imports}
        return FileFacts(
            extractor,
            walk.source.region,
            definitions,
            tuple(walk.imports),
            Exports(tuple(dict.fromkeys(walk.exports))) if walk.exports else None,
            uses,
            tuple(self._facts),
            attributes,
            lines={number: walk.source.line_text(number) for number in sorted(numbers)},
            problem=problem,
            package=walk.package,
        )

    def ref(self, chain: Chain, *, own: bool = False, depth: int = 0) -> Ref:
        """``chain`` as seen from its scope."""
        rest = ".".join(chain.path)
        if chain.root in (UNKNOWN, LITERAL):
            return Ref("unknown" if chain.root == UNKNOWN else "literal", -1, rest)
        if chain.root == CALLED:
            return self._typed(chain.hint, rest, depth)
        if chain.root in (THIS, SUPER):
            scope = chain.scope
            this = scope.this if scope.this >= 0 else self._owners.get(scope.this_name, -1)
            if this < 0:
                return Ref("unknown", -1, rest)
            return Ref("self" if chain.root == THIS else "super", this, rest)
        grammar = self._walk.grammar
        # Where variables are not hoisted, those that count were found when the name was met.
        found = chain.scope.lookup(chain.root, members=grammar.class_members, variables=grammar.hoists)
        whole = ".".join((chain.root, *chain.path))
        if found is None:
            this = chain.scope.enclosing("class").owner if own else -1
            return Ref("self", this, whole) if this >= 0 else Ref("global", -1, whole)
        return self._bound(found[1], whole if found[0].kind == "module" else "", rest, depth)

    def _bound(self, binding: Binding, whole: str, rest: str, depth: int) -> Ref:
        """``whole`` is the dotted name when it is bound at module level."""
        if binding.kind == "variable":
            return self._typed(binding.hint, rest, depth)
        if whole:
            return Ref("global", -1, whole)
        return Ref("local" if binding.kind == "definition" else "import", binding.number, rest)

    def _typed(self, hint: Hint | None, rest: str, depth: int) -> Ref:
        index = self._type(hint, depth + 1)
        return Ref("unknown", -1, rest) if index < 0 else Ref("typed", index, rest)

    def _type(self, hint: Hint | None, depth: int = 0) -> int:
        """The index of a type fact, -1 when nothing is known."""
        if hint is None or depth > _HINT_DEPTH:
            return -1
        ref = self.ref(hint.chain, own=hint.source == "call" and not hint.chain.path, depth=depth)
        if ref.root in ("unknown", "literal"):
            return -1
        key = (hint.source, ref)
        index = self._types.get(key)
        if index is None:
            index = self._types[key] = len(self._facts)
            self._facts.append(TypeFact(hint.source, ref))
        return index

    def _definition(self, draft: Draft) -> Definition:
        walk, parent, name = self._walk, draft.parent, draft.name
        if draft.owner:
            parent = self._owners.get(draft.owner, -1)
            parent = parent if parent < 0 or walk.drafts[parent] is not draft else -1
            name = draft.name if parent >= 0 else f"{draft.owner}.{draft.name}"
        bases, base_chains = draft.bases, draft.base_chains
        if draft.parent < 0 and draft.kind == "class":
            more = [(text, chain) for owner, text, chain in walk.implements if owner == draft.name]
            bases = (*bases, *(text for text, _ in more))
            base_chains = (*base_chains, *(chain for _, chain in more))
        return Definition(
            draft.kind,
            parent,
            name,
            walk.source.locate(draft.start, draft.end),
            draft.role,
            draft.decorators,
            signature=draft.signature,
            bases=bases,
            base_refs=tuple(self.ref(chain) for chain in base_chains),
            value=draft.value,
            type=self._type(draft.hint),
            annotation=draft.annotation,
            returns=self._type(draft.returns),
            modifiers=draft.modifiers,
        )

    def _uses(self) -> tuple[Use, ...]:
        """Every call that has a name, and every other use of something that is no local variable."""
        locate = self._walk.source.locate
        uses: list[Use] = []
        for pending in self._walk.uses:
            ref = self.ref(pending.chain, own=pending.own)
            if _says_nothing(pending, ref):
                continue
            region, scope = locate(pending.start, pending.end), pending.scope
            owner = scope.owner
            if pending.kind == "inherit" and scope.this_name:
                owner = self._owners.get(scope.this_name, owner)
            uses.append(Use(pending.kind, owner, ref, region, pending.shape))
        uses.sort(key=lambda use: (use.region[2], -use.region[3], use.kind))
        return tuple(uses)


def _says_nothing(pending: PendingUse, ref: Ref) -> bool:
    """True for a read of a local variable, of ``this``, or of a member of something unknown."""
    if ref.root in ("unknown", "literal"):
        return pending.kind != "call" or not ref.path
    if ref.path:
        return False
    return ref.root == "self" or (ref.root in ("typed", "super") and pending.kind != "call")
