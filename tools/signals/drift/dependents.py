"""Who uses a changed symbol at the current commit, and which of those uses no longer fit.

A call *lags* behind a changed contract when it certainly bound to the base signature and certainly does
not bind to the current one. In a test the call must have stood at the base already (same file, line text
and shape): one that was written since is most likely there to see it fail. Three weaker forms need that
everywhere, because a call that was written or touched since has followed the change:

- it binds to both, but a positional argument now reaches another parameter;
- the function became async and nothing on the line awaits or schedules the call;
- a method became a property (a call) or a property a method (a plain use).

What is there to fail never lags: a call that a test expects to raise a ``TypeError``, or one that its author
marked as not fitting.

A call with ``*x`` or ``**x`` that could still bind never lags. A use that the graph found by its name alone
(``model.GUESSES``) may lag, is marked, weighs a quarter in the ranking, and is never chosen as the witness.
A plain decorator (``@name``) is a call with the one argument that it decorates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.drift.sources import Sources
from repo_guardian.tools.signals.drift.witness import fails, fits, shift
from repo_guardian.tools.signals.interface import ChangeKind, ContractChange, Dependent
from repo_guardian.tools.signals.places import Place, is_production, place
from repo_guardian.tools.views.symbol_graph.model import Edge, EdgeKind, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

_PLAIN_DECORATOR = re.compile(r"@\s*[\w.]+\Z")
_STRUCTURE = (EdgeKind.INHERIT, EdgeKind.OVERRIDE, EdgeKind.CONTAIN)
"""How definitions hang together: none of it calls anything."""
_AWAITED = re.compile(r"\b(await|create_task|ensure_future|gather|wait_for|start_soon|run\w*)\b")

_PLAIN_ARGUMENTS = r"\(((?:\s*\w+\s*,)*\s*\w+\s*)\)"
"""Arguments that are all plain names, as the text of a call shows them."""

Judge = Callable[[Edge], str]
"""Says why a use no longer fits, or "" when it does."""


def order(dependents: Iterable[Dependent]) -> tuple[Dependent, ...]:
    """Lagging first, then certain ones, then production code, then by place in the tree."""
    return tuple(
        sorted(
            dependents,
            key=lambda d: (
                not d.lagging,
                d.guessed,
                not is_production(d.path),
                d.path,
                d.span.start_byte,
                d.symbol,
            ),
        )
    )


def certainly_used(dependents: Iterable[Dependent]) -> bool:
    """Whether any of them is more than a guess by name."""
    return any(not d.guessed for d in dependents)


def of_contract(
    sources: Sources,
    uses: tuple[Iterable[Edge], Iterable[Edge]],
    before: Signature,
    after: Signature,
    changes: Iterable[ContractChange],
) -> tuple[Dependent, ...]:
    """The uses of a callable that is there at both commits, judged call by call.

    Args:
        sources: the files of the current commit.
        uses: at the base and now.
        before, after: what it takes at either commit.
        changes: what is told of it.
    """
    uses_at_base, uses_now = uses
    base_uses = tuple(_as_call(edge) for edge in uses_at_base)
    judge = _contract_judge(base_uses, before, after, {change.kind for change in changes})

    def reason(edge: Edge) -> str:
        found = judge(edge)
        meant = found and not sources.to_fail(edge.path).isdisjoint(_lines(edge))
        return "" if meant else found

    calls = (_as_call(edge) for edge in uses_now if edge.kind not in _STRUCTURE)
    return order(plain_dependent(edge, reason(edge)) for edge in calls)


def of_removed(comparison: Comparison, symbol: Symbol) -> tuple[Dependent, ...]:
    """The uses of a name, or of an alias gone with it, that lead nowhere any more; all of them lag."""
    found: dict[tuple[str, int, int, str], Dependent] = {}
    if _pushed_down(comparison, symbol):
        return ()
    for name in (symbol.id, *comparison.synonyms.get(symbol.id, ())):
        for edge in comparison.dangling(name):
            found[_where(edge)] = plain_dependent(edge, f"{edge.target} no longer exists")
    if symbol.kind is SymbolKind.METHOD:
        for edge in _stranded_calls(comparison, symbol):
            found.setdefault(_where(edge), plain_dependent(edge, f"{symbol.id} no longer exists"))
    return order(found.values())


def _pushed_down(comparison: Comparison, symbol: Symbol) -> bool:
    """Whether subclasses define the member now, as for a template method.

    What the graph takes for an instance of the base, by ``self`` or an annotation, may then be one of
    theirs, so that no use is certain to fail.
    """
    owner, _, name = symbol.id.rpartition(".")
    below = comparison.hierarchy.subclasses(owner) if owner in comparison.current.symbols else ()
    return any(f"{child}.{name}" in comparison.current.symbols for child in below)


def _stranded_calls(comparison: Comparison, method: Symbol) -> list[Edge]:
    """Calls that led to the method at the base, stand unchanged in the same file, and lead nowhere now.

    They keep the base's resolution: it says how sure the link to the method was.
    """
    stranded: list[Edge] = []
    for old in comparison.base.uses(method.id):
        if old.kind is not EdgeKind.CALL:
            continue
        for edge in comparison.unresolved_now(old.path, old.text):
            if edge.target.rpartition(".")[2] == method.name and edge.shape == old.shape:
                stranded.append(
                    Edge(edge.source, edge.target, edge.kind, edge.path, edge.span, old.resolution,
                         edge.shape, edge.text)
                )  # fmt: skip
    return stranded


def _contract_judge(
    base_uses: tuple[Edge, ...], before: Signature, after: Signature, kinds: set[ChangeKind]
) -> Judge:
    stood = {_call(edge) for edge in base_uses}
    called = {(edge.path, edge.text) for edge in base_uses if edge.kind is EdgeKind.CALL}
    read = {(edge.path, edge.text) for edge in base_uses if edge.kind is EdgeKind.REFERENCE}
    awaited_at_base = any(_AWAITED.search(edge.text) for edge in base_uses)

    def judge(edge: Edge) -> str:
        line = (edge.path, edge.text)
        if ChangeKind.BECAME_PROPERTY in kinds:
            return "calls what is a property now" if line in called else ""
        if ChangeKind.BECAME_METHOD in kinds:
            return "reads what is a method now" if line in read and edge.kind is EdgeKind.REFERENCE else ""
        if edge.shape is None or not fits(before, edge.shape):
            return ""
        if fails(after, edge.shape):
            written_to_fail = place(edge.path) is Place.TEST and _call(edge) not in stood
            return "" if written_to_fail else after.bind(edge.shape).reason
        if _call(edge) not in stood:
            return ""
        not_awaited = not awaited_at_base and not _AWAITED.search(edge.text)
        late = ChangeKind.BECAME_ASYNC in kinds and not_awaited
        return _shift_reason(before, after, edge) or ("is not awaited" if late else "")

    return judge


def _lines(edge: Edge) -> range:
    return range(edge.span.start_line, edge.span.end_line + 1)


def _as_call(edge: Edge) -> Edge:
    if edge.kind is EdgeKind.DECORATE and edge.shape is None and _PLAIN_DECORATOR.match(edge.text):
        return replace(edge, shape=CallShape(1))
    return edge


def _shift_reason(before: Signature, after: Signature, edge: Edge) -> str:
    """Which argument arrives elsewhere; none when it is a variable with the name of where it arrives now."""
    moved = shift(before, after, edge.shape) if edge.shape is not None else None
    if moved is None:
        return ""
    index, old, new = moved
    callee = re.escape(edge.target.rpartition(".")[2])
    given = re.search(rf"\b{callee}\s*{_PLAIN_ARGUMENTS}", edge.text)
    names = [part.strip() for part in given[1].split(",")] if given is not None else []
    if index < len(names) and names[index] == new.strip("'"):
        return ""
    return f"argument {index + 1} now reaches {new}; it reached {old}"


def _call(edge: Edge) -> tuple[str, str, str, object]:
    return edge.path, edge.text, edge.kind, edge.shape


def _where(edge: Edge) -> tuple[str, int, int, str]:
    return edge.path, edge.span.start_byte, edge.span.end_byte, edge.kind


def plain_dependent(edge: Edge, reason: str) -> Dependent:
    """One use; it lags when there is a reason."""
    return Dependent(
        symbol=edge.source,
        path=edge.path,
        span=edge.span,
        text=edge.text,
        lagging=bool(reason),
        reason=reason,
        shape=edge.shape,
        use=edge.kind,
        resolution=edge.resolution,
    )
