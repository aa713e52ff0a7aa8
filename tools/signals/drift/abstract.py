"""Abstract members that a class did not have: subclasses that do not define them can no longer be made.

A class asks for a member when it defines an abstract one, and only where ``ABCMeta`` checks (PEP 3119). Those
outside of the repository cannot have followed; those inside that have not are the lagging dependents. A
class that no longer defines what a base asks for can no longer be made either.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator, Sequence

from repo_guardian.tools.signals.drift.audience import is_local, is_public
from repo_guardian.tools.signals.drift.comparison import CALLABLES, Comparison
from repo_guardian.tools.signals.drift.dependents import order, plain_dependent
from repo_guardian.tools.signals.drift.detail import altered_detail
from repo_guardian.tools.signals.drift.hierarchy import Hierarchy
from repo_guardian.tools.signals.drift.protocol import decorator_name
from repo_guardian.tools.signals.drift.wording import abstract_line, definition_text, unfulfilled_line
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Dependent,
    Signal,
    SignalKind,
    signal_key,
)
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind

_ABSTRACT = frozenset({"abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"})
_CHECKED = frozenset(collections.abc.__all__) | {"ABC", "Protocol"}


def detect(comparison: Comparison) -> Iterator[Signal]:
    """``OVERRIDE_MISMATCH`` signals of classes that ask for more, or that lack what they have to define."""
    for name in comparison.ids_now:
        member = comparison.current.symbols[name]
        owner = comparison.base.symbols.get(name.rpartition(".")[0])
        if owner is None or owner.kind is not SymbolKind.CLASS or not _is_abstract(member):
            continue
        if not _is_new(comparison, owner.id, member) or not _is_checked(comparison, owner.id):
            continue
        dependents = _lagging(comparison, owner.id, member)
        if not is_local(comparison, owner) and (is_public(comparison, owner) or dependents):
            yield _signal(comparison, owner, member, dependents, abstract_line)
    for owner, member in _unfulfilled(comparison):
        if is_public(comparison, owner) and _is_checked(comparison, owner.id):
            yield _signal(comparison, owner, member, (), unfulfilled_line)


def _unfulfilled(comparison: Comparison) -> Iterator[tuple[Symbol, Symbol]]:
    """Classes that no longer define what a base asks for, each with that abstract member."""
    for name in comparison.ids_at_base:
        before = comparison.base.symbols[name]
        owner = comparison.current.symbols.get(name.rpartition(".")[0])
        if name in comparison.current.symbols or owner is None or owner.kind is not SymbolKind.CLASS:
            continue
        if before.kind not in CALLABLES or _is_abstract(before) or comparison.misplaced(before):
            continue
        found = comparison.hierarchy.lookup(owner.id, before.name)
        if isinstance(found, Symbol) and _is_abstract(found) and owner.id in comparison.base.symbols:
            yield comparison.base.symbols[owner.id], found


def _is_abstract(symbol: Symbol) -> bool:
    return any(decorator_name(text) in _ABSTRACT for text in symbol.decorators)


def _is_new(comparison: Comparison, owner: str, member: Symbol) -> bool:
    """Whether the class, itself or through a base, did not ask for the member before."""
    if comparison.doubtful(member):
        return False
    found = comparison.base_hierarchy.lookup(owner, member.name)
    return not (isinstance(found, Symbol) and _is_abstract(found))


def _is_checked(comparison: Comparison, class_id: str) -> bool:
    for name in comparison.hierarchy.linearize(class_id):
        if name.removeprefix("?") in _CHECKED:
            return True
        symbol = comparison.current.symbols.get(name)
        if symbol is None:
            continue
        edges = comparison.current.edges_in(symbol.path)
        if any(e.source == name and e.target.endswith("ABCMeta") for e in edges):
            return True
    return False


def _lagging(comparison: Comparison, owner: str, member: Symbol) -> tuple[Dependent, ...]:
    """The subclasses in the repository that could be made before and do not define the member."""
    found = []
    for child in comparison.hierarchy.subclasses(owner):
        still_abstract = comparison.hierarchy.lookup(child, member.name) == member
        if not still_abstract or child not in comparison.base.symbols:
            continue
        if _asks(comparison.base, comparison.base_hierarchy, child):
            continue  # abstract itself: nobody made one
        symbol = comparison.current.symbols[child]
        if any(base.rpartition(".")[2] == "ABC" for base in symbol.bases):
            continue  # says of itself that it is one to derive from
        edges = comparison.current.edges_in(symbol.path)
        inherits = next((e for e in edges if e.source == child and e.kind is EdgeKind.INHERIT), None)
        if inherits is not None:
            found.append(plain_dependent(inherits, f"does not define {member.name}"))
    return order(found)


def _asks(graph: Graph, hierarchy: Hierarchy, class_id: str) -> bool:
    """Whether some abstract member of the class or its bases is not defined."""
    names = {
        symbol.name
        for owner in hierarchy.linearize(class_id)
        if owner in graph.symbols
        for symbol in graph.members(owner)
        if _is_abstract(symbol)
    }
    found = (hierarchy.lookup(class_id, name) for name in names)
    return any(isinstance(symbol, Symbol) and _is_abstract(symbol) for symbol in found)


def _signal(
    comparison: Comparison,
    owner: Symbol,
    member: Symbol,
    dependents: tuple[Dependent, ...],
    line: Callable[[str, str, Sequence[Dependent]], str],
) -> Signal:
    after = comparison.current.symbols[owner.id]
    text = f"asks its subclasses for {member.name}"
    return Signal(
        key=signal_key(SignalKind.OVERRIDE_MISMATCH, f"{owner.id} {member.id}", "", "abstract"),
        kind=SignalKind.OVERRIDE_MISMATCH,
        line=line(owner.id, member.name, dependents),
        symbols=tuple(dict.fromkeys((owner.id, f"{owner.id}.{member.name}", member.id))),
        paths=(member.path,),
        before="",
        after=f"abstract {definition_text(member)}",
        public=is_public(comparison, owner),
        dependents=dependents,
        detail=altered_detail(
            comparison, owner, after, (ContractChange(ChangeKind.ABSTRACT_ADDED, text, member.name),)
        ),
        dependents_total=len(dependents),
        lagging_total=len(dependents),
    )
