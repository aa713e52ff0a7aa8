"""What a proof needs to know about one symbol at both commits, and the parts of a contract that changed."""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.tools.signals.kinds import ChangeKind, Effect, Receiver, WitnessOrigin
from repo_guardian.tools.views.symbol_graph.model import Span, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape


@dataclass(frozen=True, slots=True)
class ContractChange:
    """One changed part of a contract; ``text`` is a clause such as ``parameter 'x' was removed``.

    ``parameter`` is the name at the base (for an added one, its new name), empty when the change is not
    about one parameter.
    """

    kind: ChangeKind
    text: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class SymbolDetail:
    """What a proof needs to know about a changed, removed or moved symbol.

    Attributes:
        symbol_kind: what it was at the base; a class in ``CONTRACT_CHANGED`` means its constructor.
        module: import name of the module that the symbol is reached through, at the base.
        qualname: attribute path inside ``module``; empty when the symbol is the module itself.
        old_id, new_id: ids at the base and at the current commit; ``new_id`` is empty for a removed
            symbol, and differs from ``old_id`` when the definition moved.
        base_path, current_path: files of the definition; ``current_path`` is empty when it is gone.
        base_span, current_span: the definitions in those files, decorators included.
        effect: what the witness shows.
        changes: the parts that changed, in signature order; empty for removed and moved symbols.
        witness: the call shape that tells the commits apart, as the callee sees it (``receiver`` left
            out); None for ``ACCESS`` and ``UNRESOLVED``.
        witness_origin: where the witness comes from; None when there is no witness.
        receiver: what is passed implicitly.
        was_async, is_async: whether a call has to be awaited, at the base and at the current commit.
        names: public names that went away with a removed or moved module or class, sorted.
    """

    symbol_kind: SymbolKind
    module: str
    qualname: str
    old_id: str
    new_id: str
    base_path: str
    current_path: str
    base_span: Span
    current_span: Span | None
    effect: Effect
    changes: tuple[ContractChange, ...] = ()
    witness: CallShape | None = None
    witness_origin: WitnessOrigin | None = None
    receiver: Receiver = Receiver.NONE
    was_async: bool = False
    is_async: bool = False
    names: tuple[str, ...] = ()

    def flat(self) -> dict[str, str]:
        """The parts that fit in a flat text mapping, for a wire or a table; empty ones left out."""
        values = {
            "symbol_kind": str(self.symbol_kind),
            "module": self.module,
            "qualname": self.qualname,
            "old_id": self.old_id,
            "new_id": self.new_id,
            "base_path": self.base_path,
            "current_path": self.current_path,
            "current_line": str(self.current_span.start_line) if self.current_span is not None else "",
            "effect": str(self.effect),
            "changes": ",".join(change.kind for change in self.changes),
            "witness": self.witness.render() if self.witness is not None else "",
            "witness_origin": str(self.witness_origin or ""),
            "receiver": str(self.receiver),
            "names": ",".join(self.names),
        }
        return {key: value for key, value in values.items() if value}
