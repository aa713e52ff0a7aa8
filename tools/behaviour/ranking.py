"""Which divergence to read first."""

from __future__ import annotations

from repo_guardian.tools.behaviour.interface import Divergence
from repo_guardian.tools.intent.interface import IntentEvidence
from repo_guardian.tools.views.symbol_graph.interface import Graph

_TRUTHY = frozenset({"None", "False", "''", "b''", "0", "[]", "()", "{}"})
"""Values that a caller who only asks whether there is something takes for the same."""

Key = tuple[bool, bool, float, bool, int, float, str]


def rank_key(found: Divergence, evidence: IntentEvidence, base: Graph) -> Key:
    """What divergences are sorted by, ascending.

    What nothing speaks for comes first; among those what also differs for a caller who asks only for
    something or nothing; then the share of the suite's own calls that differ; public functions; those with
    more callers; the share of all calls; and the name, so that the order is one.
    """
    symbol = base.symbols.get(found.target.symbol)
    own = found.recorded_diverging / found.recorded_compared if found.recorded_compared else 0.0
    return (
        evidence.intended,
        same_for_truth(found),
        -own,
        not (symbol is not None and symbol.public),
        -base.used_in(found.target.symbol),
        -found.diverging / found.compared,
        found.target.symbol,
    )


def same_for_truth(found: Divergence) -> bool:
    """Whether a caller sees no difference who only asks whether there is something."""
    return found.old.value in _TRUTHY and found.new.value in _TRUTHY
