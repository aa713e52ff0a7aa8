"""Memory on the wire: bounded reads, each row labelled with the cycle that wrote it."""

from __future__ import annotations

from pydantic import Field

from repo_guardian.server.contract.wire import Wire


class MemorySummary(Wire):
    """How much past there is: counts only, whatever the length of the history."""

    cycles: int
    hypotheses_by_grade: dict[str, int]
    last_cycle: int | None
    last_commit: str | None


class MemoryRow(Wire):
    """One remembered row. ``kind`` is hypothesis, signal or test; ``detail`` is small and textual."""

    cycle: int
    commit: str
    kind: str
    key: str
    text: str
    detail: dict[str, str] = Field(default_factory=dict)


class RecallPage(Wire):
    """A page of rows with the number there are in all; ``next_cursor`` is None on the last page."""

    rows: tuple[MemoryRow, ...]
    total: int
    next_cursor: str | None = None
