"""Runs every drift detector over two linked graphs. A new kind of drift is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from repo_guardian.tools.signals.drift import (
    abstract,
    altered,
    contract,
    exports,
    moved,
    overrides,
    reach,
    removed,
)
from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.drift.sources import Read
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
    abstract.detect,
    reach.detect,
)
"""One detector per kind; none depends on another's signals, so their order does not matter."""


def detect_drift(
    base: Graph,
    current: Graph,
    read_base: Read | None = None,
    read_current: Read | None = None,
    edited: Collection[str] | None = None,
) -> tuple[Signal, ...]:
    """All drift between two commits of one repository, unranked (``score`` is 0), in order of key.

    Args:
        base: the linked graph of the commit to compare with.
        current: the linked graph of the commit under observation.
        read_base, read_current: the text of a file at either commit. Without them nothing is told of
            setters, and of attributes and properties that are gone only what some use shows.
        edited: the files whose content differs, where that is known; it only spares work.

    Returns:
        Signals with unique keys; equal graphs give none, and the result depends on nothing else.
    """
    if base is current:
        return ()
    comparison = Comparison(base, current, read_base, read_current, edited)
    found = {signal.key: signal for detector in DETECTORS for signal in detector(comparison)}
    return tuple(found[key] for key in sorted(found))
