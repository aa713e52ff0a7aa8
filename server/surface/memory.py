"""``memory_*``: bounded reads of what earlier cycles wrote; every row names its cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.memory_store.answers import HypothesisState, RecallRow
from repo_guardian.memory_store.records import SignalRecord, SymbolEvent
from repo_guardian.server.contract.hypotheses import HumanWord
from repo_guardian.server.contract.memory import MemoryRow, MemorySummary, RecallPage
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.words import Words
from repo_guardian.server.surface.context import READS, ServerContext, told

Names = Annotated[list[str], Field(max_length=100)]


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="memory_summary", title="Summarise the memory", annotations=READS)
    @told
    async def memory_summary(cycle_id: str) -> MemorySummary:
        """How many cycles this repository has seen, and how many hypotheses stand at which grade."""
        session = context.sessions.get(cycle_id)
        summary = await to_thread.run_sync(lambda: session.memory.summary(before_cycle=session.before_cycle))
        last = summary.last_cycle
        return MemorySummary(
            cycles=summary.cycles,
            hypotheses_by_grade={grade.value: count for grade, count in summary.by_grade.items() if count},
            last_cycle=last.number if last is not None else None,
            last_commit=last.commit if last is not None else None,
        )

    @server.tool(name="memory_findings", title="Read the open findings", annotations=READS)
    @told
    async def memory_findings(
        cycle_id: str, limit: Annotated[int, Field(ge=1, le=100)] = 20, cursor: str | None = None
    ) -> RecallPage:
        """The findings of earlier cycles that still stand, the latest first."""
        session = context.sessions.get(cycle_id)
        page = await to_thread.run_sync(
            lambda: session.memory.findings(limit=limit, cursor=cursor, before_cycle=session.before_cycle)
        )
        rows = await to_thread.run_sync(_rows, session, page.items)
        return RecallPage(rows=rows, total=page.total, next_cursor=page.next_cursor)

    @server.tool(name="memory_recall", title="Recall a locus", annotations=READS)
    @told
    async def memory_recall(
        cycle_id: str,
        symbols: Names,
        files: Names,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        cursor: str | None = None,
    ) -> RecallPage:
        """What earlier cycles wrote about any of these symbols and files: hypotheses first."""
        session = context.sessions.get(cycle_id)
        page = await to_thread.run_sync(
            lambda: session.memory.recall_locus(
                symbols, files, limit_rows=limit, cursor=cursor, before_cycle=session.before_cycle
            )
        )
        rows = await to_thread.run_sync(_rows, session, page.items)
        return RecallPage(rows=rows, total=page.total, next_cursor=page.next_cursor)


def _rows(session: CycleSession, items: Sequence[RecallRow]) -> tuple[MemoryRow, ...]:
    """The rows; a hypothesis that a human has a word on says so, and whether the word still holds."""
    keys = [row.record.record.key for row in items if isinstance(row.record, HypothesisState)]
    words = Words(session.memory, session.current.oid).of(keys, before_cycle=session.before_cycle)
    return tuple(_with_word(_row(row), words) for row in items)


def _with_word(row: MemoryRow, words: Mapping[str, HumanWord]) -> MemoryRow:
    word = words.get(row.key) if row.kind == "hypothesis" else None
    if word is None:
        return row
    said = {"word": word.word.value, "word_reason": word.reason, "word_holds": str(word.current).lower()}
    return row.model_copy(update={"detail": {**row.detail, **said}})


def _row(row: RecallRow) -> MemoryRow:
    record = row.record
    if isinstance(record, HypothesisState):
        detail = {"grade": record.grade.value, "first_cycle": str(record.first_cycle)}
        if record.recurrences:
            detail["recurrences"] = str(record.recurrences)
        return _labelled(row, "hypothesis", record.record.key, record.record.claim, detail)
    if isinstance(record, SignalRecord):
        return _labelled(row, "signal", record.key, record.line, {"kind": record.kind})
    return _labelled(row, "symbol", record.symbol, _symbol_text(record), {"path": record.path})


def _labelled(row: RecallRow, kind: str, key: str, text: str, detail: dict[str, str]) -> MemoryRow:
    return MemoryRow(cycle=row.cycle, commit=row.commit, kind=kind, key=key, text=text, detail=detail)


def _symbol_text(event: SymbolEvent) -> str:
    origin = f" from {event.moved_from}" if event.moved_from is not None else ""
    return f"{event.kind} {event.symbol} {event.event.value}{origin}"
