"""What a signal is: the record that every detector emits and every policy reads.

A ``Signal`` says in one line what was measured and, in ``detail``, everything that is needed to prove it
by running something: how to reach the symbol, which call shape tells the two commits apart and what that
call shows. ``SymbolDetail``, ``BehaviourDetail``, ``TestDetail``, ``ChurnDetail`` and ``CoChangeDetail``
list it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from repo_guardian.tools.signals.cochange_detail import CoChangeDetail
from repo_guardian.tools.signals.executed import BehaviourDetail, TestDetail
from repo_guardian.tools.signals.kinds import ChangeKind, Effect, Receiver, SignalKind, WitnessOrigin
from repo_guardian.tools.signals.symbol_detail import ContractChange, SymbolDetail
from repo_guardian.tools.views.symbol_graph.model import (
    GUESSES,
    EdgeKind,
    Resolution,
    Span,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape

__all__ = [
    "BehaviourDetail",
    "ChangeKind",
    "ChurnDetail",
    "CoChangeDetail",
    "ContractChange",
    "Dependent",
    "Effect",
    "Receiver",
    "Signal",
    "SignalKind",
    "SymbolDetail",
    "TestDetail",
    "WitnessOrigin",
    "one_line",
    "signal_key",
]


@dataclass(frozen=True, slots=True)
class ChurnDetail:
    """How much a file has been changing.

    ``commits`` and ``authors`` are counts in the window that the caller chose, ``added`` and ``deleted``
    lines in it, ``age`` commits since the file was last touched (0: by the commit itself), and
    ``intensity`` the churn relative to the most churned file of the window, in 0..1. ``main_share`` is the
    share of the commits that the most frequent author made, in 0..1.
    """

    commits: int
    added: int
    deleted: int
    authors: int
    age: int
    intensity: float
    main_share: float = 1.0

    def flat(self) -> dict[str, str]:
        """All fields as text, for a wire or a table."""
        return {
            "commits": str(self.commits),
            "added": str(self.added),
            "deleted": str(self.deleted),
            "authors": str(self.authors),
            "age": str(self.age),
            "intensity": f"{self.intensity:.3f}",
            "main_share": f"{self.main_share:.3f}",
        }


@dataclass(frozen=True, slots=True)
class Dependent:
    """One use of the changed symbol at the current commit.

    ``lagging`` is True when the use no longer fits; ``reason`` then says how (which argument).
    ``shape`` is set for calls. ``resolution`` says how sure the graph is that the use is one: a use found
    by its name alone is listed, weighs less and proves nothing.
    """

    symbol: str
    path: str
    span: Span
    text: str
    lagging: bool
    reason: str = ""
    shape: CallShape | None = None
    use: EdgeKind = EdgeKind.REFERENCE
    resolution: Resolution = Resolution.UNRESOLVED

    @property
    def guessed(self) -> bool:
        """True when only the name says that this is a use of the symbol."""
        return self.resolution in GUESSES


@dataclass(frozen=True, slots=True)
class Signal:
    """One measurement between ``base`` and ``commit``.

    Attributes:
        key: stable identity across cycles (``signal_key``); the same change seen again has the same key.
        line: one plain-English sentence, never more than one line.
        symbols: ids of the locus, the changed symbol first, then other names it was reached by.
        paths: files of the locus at the current commit, else at the base.
        before, after: the two signatures or definitions as text, empty when absent.
        public: False when only the repository itself is expected to use the symbol.
        dependents: uses at the current commit, lagging ones first; may be cut, the totals are not.
        score: rank, higher first; the formula is in ``ranking.py``.
        detail: what a proof needs; the type follows from ``kind``.
        dependents_total, lagging_total: counts of uses, before any cut.
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
    detail: SymbolDetail | BehaviourDetail | TestDetail | ChurnDetail | CoChangeDetail | None = None
    dependents_total: int = 0
    lagging_total: int = 0

    @property
    def lagging(self) -> tuple[Dependent, ...]:
        """The listed dependents that still use the old shape."""
        return tuple(d for d in self.dependents if d.lagging)


def signal_key(kind: SignalKind, locus: str, before: str, after: str) -> str:
    """The identity of a signal: 16 hex digits of SHA-256 over the four parts.

    Parts are separated by NUL, which occurs in no identifier and no path; lone surrogates (file names
    that are not UTF-8) are hashed as they are.
    """
    text = "\0".join((kind.value, locus, before, after))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def one_line(text: str) -> str:
    """``text`` with every control character and line separator escaped, so that it stays one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
