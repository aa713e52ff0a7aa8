"""Which changed tests are consequences of what is proven already: one cause is told once."""

from __future__ import annotations

from collections.abc import Mapping

from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.contract.wire import Locus


def explained_by(signal: SignalItem, proven: Mapping[str, Locus]) -> str:
    """The id of the finding that a changed test follows from; empty when there is none.

    It follows when findings are about every changed definition that the test reaches: then nothing is left
    that it could fail for on its own.

    Args:
        signal: any signal; only one of kind ``test_changed`` can follow from something.
        proven: what each finding is about, by its id.
    """
    suspects = {name for name in signal.detail.get("suspects", "").split(",") if name}
    if signal.kind != "test_changed" or not suspects:
        return ""
    reached = {finding: suspects.intersection(locus.symbols) for finding, locus in proven.items()}
    if suspects - set().union(*reached.values()):
        return ""
    return next(finding for finding, symbols in reached.items() if symbols)
