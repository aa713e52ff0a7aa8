"""Runs every drift detector over two linked graphs. A new kind of drift is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from repo_guardian.tools.signals.drift import altered, contract, exports, moved, overrides, removed
from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.interface import Signal
from repo_guardian.tools.views.symbol_graph.interface import Graph

Detector = Callable[[Comparison], Iterable[Signal]]

DETECTORS: tuple[Detector, ...] = (
    contract.detect,
    removed.detect,
    moved.detect,
    altered.detect,
    exports.detect,
    overrides.detect,
)
"""One detector per kind; none depends on another's signals, so their order does not matter."""


def detect_drift(base: Graph, current: Graph) -> tuple[Signal, ...]:
    """All drift between two commits of one repository, unranked (``score`` is 0), in order of key.

    Args:
        base: the linked graph of the commit to compare with.
        current: the linked graph of the commit under observation.

    Returns:
        Signals with unique keys; equal graphs give none, and the result depends on nothing else.
    """
    if base is current:
        return ()
    comparison = Comparison(base, current)
    found = {signal.key: signal for detector in DETECTORS for signal in detector(comparison)}
    return tuple(found[key] for key in sorted(found))
