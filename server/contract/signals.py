"""Signals on the wire: measurements, with who has not followed a change."""

from __future__ import annotations

from pydantic import Field

from repo_guardian.server.contract.wire import Location, Wire


class DependentItem(Wire):
    """One use of the changed symbol; ``lagging`` ones no longer fit and ``reason`` says how."""

    symbol: str
    location: Location
    lagging: bool
    reason: str = ""


class SignalItem(Wire):
    """One measurement between the cycle's base and its commit.

    ``provable`` says that a template test exists for it. ``key`` is stable across cycles.
    """

    key: str
    kind: str
    line: str
    symbols: tuple[str, ...]
    paths: tuple[str, ...]
    before: str
    after: str
    public: bool
    score: float
    provable: bool
    lagging_total: int
    dependents_total: int
    dependents: tuple[DependentItem, ...]
    detail: dict[str, str] = Field(default_factory=dict)


class SignalPage(Wire):
    """A page of ranked signals; ``next_offset`` is None on the last one."""

    total: int
    totals_by_kind: dict[str, int]
    items: tuple[SignalItem, ...]
    next_offset: int | None = None
