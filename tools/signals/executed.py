"""What signals that come from running both commits carry: a divergence, or a test whose outcome changed.

Both rest on ``SymbolDetail``s, so that a proof finds modules, files and definitions in one way for every
signal. ``symbol_detail`` makes one for any symbol, whatever the claim about it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.tools.behaviour.interface import Divergence
from repo_guardian.tools.deltas.interface import DeltaKind, TestDelta
from repo_guardian.tools.signals.kinds import Effect, Receiver
from repo_guardian.tools.signals.symbol_detail import SymbolDetail
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind


@dataclass(frozen=True, slots=True)
class BehaviourDetail:
    """A function and its smallest diverging call."""

    symbol: SymbolDetail
    divergence: Divergence

    def flat(self) -> dict[str, str]:
        """The parts that fit in a flat text mapping, for a wire or a table; empty ones left out."""
        found = self.divergence
        values = self.symbol.flat() | {
            "call": found.call,
            "arguments": found.arguments,
            "mutation": found.mutation,
            "old_outcome": found.old.render(),
            "new_outcome": found.new.render(),
            "diverging": f"{found.diverging} of {found.compared}",
        }
        return {key: value for key, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class TestDetail:
    """A test whose outcome changed, and the changed definitions that it reaches, the nearest first.

    ``uncollected`` is the error, as one line, for which pytest can no longer collect its file, where that is
    why it is gone; else empty.
    """

    __test__ = False

    delta: TestDelta
    suspects: tuple[SymbolDetail, ...] = ()
    uncollected: str = ""

    @property
    def removed(self) -> bool:
        """Whether the test itself was taken out: no outcome of it is to be had."""
        return self.delta.kind is DeltaKind.VANISHED and not self.uncollected

    def flat(self) -> dict[str, str]:
        """The parts that fit in a flat text mapping, for a wire or a table; empty ones left out."""
        before, after = self.delta.before, self.delta.after
        exception = after.exception if after is not None else None
        values = {
            "test_id": self.delta.test_id,
            "delta": self.delta.kind.value,
            "before": before.outcome.value if before is not None else "",
            "after": after.outcome.value if after is not None else "",
            "exception": exception.line if exception is not None else self.uncollected,
            "suspects": ",".join(suspect.old_id or suspect.new_id for suspect in self.suspects),
        }
        return {key: value for key, value in values.items() if value}


def symbol_detail(symbol_id: str, base: Graph, current: Graph) -> SymbolDetail | None:
    """Where a symbol stands at both commits, as a proof wants it; None when neither graph holds it.

    Nothing is claimed about it: its effect is ``ALTERED``, and it has no witness.
    """
    before, after = base.symbols.get(symbol_id), current.symbols.get(symbol_id)
    known = before or after
    if known is None:
        return None
    graph = base if before is not None else current
    module = known if known.kind is SymbolKind.MODULE else graph.module_of(known.id)
    if module is None:
        return None
    return SymbolDetail(
        symbol_kind=known.kind,
        module=module.id,
        qualname=known.id.removeprefix(module.id).removeprefix("."),
        old_id=symbol_id,
        new_id=symbol_id if after is not None else "",
        base_path=known.path,
        current_path=after.path if after is not None else "",
        base_span=known.span,
        current_span=after.span if after is not None else None,
        effect=Effect.ALTERED,
        receiver=_receiver(known, graph),
    )


def _receiver(symbol: Symbol, graph: Graph) -> Receiver:
    owner = graph.symbols.get(symbol.id.rpartition(".")[0])
    is_method = owner is not None and owner.kind is SymbolKind.CLASS
    return Receiver.INSTANCE if is_method and symbol.kind is not SymbolKind.CLASS else Receiver.NONE
