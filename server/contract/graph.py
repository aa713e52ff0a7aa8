"""The symbol graph on the wire: a definition, and who uses it."""

from __future__ import annotations

from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.wire import Location, Wire


class SymbolItem(Wire):
    """One definition: its dotted id, what it is, where, its signature as source text ("" without one).

    ``location`` is the whole definition, without text.
    """

    id: str
    kind: str
    location: Location
    signature: str
    public: bool


class UseItem(Wire):
    """One place that uses a symbol.

    Attributes:
        symbol: id of the innermost definition around the place; a module's for top-level code.
        kind: call, decorate, …
        location: the place, with its source line.
        resolution: how its target was found (import, self, mro, annotation, …; ``unresolved`` when not).
        guess: the target was found by its name alone.
        via: ids of the aliases and re-exports that it goes through.
    """

    symbol: str
    kind: str
    location: Location
    resolution: str
    guess: bool
    via: tuple[str, ...] = ()


class CallersAnswer(Wire):
    """Who calls a symbol: a page of the callers, followed by the possible ones when these were asked for.

    Attributes:
        symbol: the definition asked about; None when the name means none, or more than one.
        candidates: ids to choose from then; at most a page of ``candidates_total``.
        callers: calls that resolve to it, in file order.
        possible: calls of its last name whose target is not known; each may mean it or not.
        next_offset: where the next page begins, counted over callers and then possible ones; None on the
            last page.
    """

    as_of: AsOf
    name: str
    symbol: SymbolItem | None
    candidates: tuple[str, ...] = ()
    candidates_total: int = 0
    callers_total: int
    callers: tuple[UseItem, ...]
    possible_total: int
    possible: tuple[UseItem, ...] = ()
    next_offset: int | None = None


class CallItem(Wire):
    """One call that a symbol makes: ``target`` is the callee's id, or what is known of an unresolved one."""

    target: str
    location: Location
    resolution: str
    guess: bool


class SymbolAnswer(Wire):
    """One definition: what it is, what it holds, what it calls, and how many use it.

    Attributes:
        symbol: None when the name means no definition, or more than one; then ``candidates`` may help.
        bases, decorators, overloads: as source text.
        value: of a constant, as source text; "" without one.
        members: what it directly contains, by id; at most a page of ``members_total``.
        calls: in source order, one per target; at most a page of ``calls_total``.
        used_by: how many distinct symbols use it.
    """

    as_of: AsOf
    name: str
    symbol: SymbolItem | None
    candidates: tuple[str, ...] = ()
    candidates_total: int = 0
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    overloads: tuple[str, ...] = ()
    value: str = ""
    members_total: int = 0
    members: tuple[SymbolItem, ...] = ()
    calls_total: int = 0
    calls: tuple[CallItem, ...] = ()
    used_by: int = 0
