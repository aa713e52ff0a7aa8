"""What a signal is: the record that every detector emits and every policy reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from repo_guardian.tools.views.symbol_graph.model import Span
from repo_guardian.tools.views.symbol_graph.signature import CallShape


class SignalKind(StrEnum):
    """What was measured."""

    CONTRACT_CHANGED = "contract_changed"
    """A public callable's parameters changed in a way that some earlier call no longer fits."""
    SYMBOL_REMOVED = "symbol_removed"
    SYMBOL_MOVED = "symbol_moved"
    """Removed under one id and defined, with the same text or name and signature, under another."""
    CHURN = "churn"


@dataclass(frozen=True, slots=True)
class Dependent:
    """One use of the changed symbol at the current commit.

    ``lagging`` is True when the use no longer fits; ``reason`` then says how (which argument).
    ``shape`` is set for calls.
    """

    symbol: str
    path: str
    span: Span
    text: str
    lagging: bool
    reason: str = ""
    shape: CallShape | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """One measurement between ``base`` and ``commit``.

    Attributes:
        key: stable identity across cycles: the kind, the symbol and both shapes, hashed; the same
            change seen again has the same key.
        line: one plain-English sentence.
        symbols: ids of the locus, the changed symbol first.
        paths: files of the locus at the current commit, else at the base.
        before, after: the two signatures or definitions as text, empty when absent.
        dependents: uses at the current commit, lagging ones first.
        score: rank, higher first; the formula is in ``ranking.py``.
        parameters: kind-specific detail, JSON-able (e.g. ``{"change": "parameter_removed", ...}``).
    """

    key: str
    kind: SignalKind
    line: str
    symbols: tuple[str, ...]
    paths: tuple[str, ...]
    before: str = ""
    after: str = ""
    public: bool = True
    dependents: tuple[Dependent, ...] = ()
    score: float = 0.0
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def lagging(self) -> tuple[Dependent, ...]:
        """The dependents that still use the old shape."""
        return tuple(d for d in self.dependents if d.lagging)
