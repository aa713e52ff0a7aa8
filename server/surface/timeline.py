"""``memory_timeline``: the past at a glance, for whoever draws it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from anyio import to_thread
from fastmcp import FastMCP
from pydantic import Field

from repo_guardian.memory_store.timeline import TimelineClaim, TimelineCycle
from repo_guardian.server.contract.hypotheses import HumanWord
from repo_guardian.server.contract.memory import ClaimEvent, MemoryTimeline, PastClaim, PastCycle
from repo_guardian.server.session.words import Words
from repo_guardian.server.surface.context import READS, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tool to ``server``."""

    @server.tool(name="memory_timeline", title="Draw the past", annotations=READS)
    @told
    async def memory_timeline(
        cycle_id: str,
        cycles: Annotated[int, Field(ge=1, le=100)] = 30,
        claims: Annotated[int, Field(ge=1, le=100)] = 50,
    ) -> MemoryTimeline:
        """The latest cycles before this one in numbers, and what became of the findings touched last."""
        session = context.sessions.get(cycle_id)
        past = await to_thread.run_sync(
            lambda: session.memory.timeline(
                limit_cycles=cycles, limit_claims=claims, before_cycle=session.before_cycle
            )
        )
        keys = [claim.state.record.key for claim in past.claims]
        words = await to_thread.run_sync(
            lambda: Words(session.memory, session.current.oid).of(keys, before_cycle=session.before_cycle)
        )
        return MemoryTimeline(
            cycles=tuple(_cycle(cycle) for cycle in past.cycles),
            cycles_total=past.cycles_total,
            claims=tuple(_claim(claim, words) for claim in past.claims),
            claims_total=past.claims_total,
        )


def _cycle(cycle: TimelineCycle) -> PastCycle:
    record = cycle.record
    return PastCycle(
        number=record.number,
        commit=record.commit,
        base=record.base,
        policy=record.policy,
        exit_reason=record.exit_reason,
        degraded=record.degraded,
        wall_s=round(record.wall_s, 3),
        tokens_used=record.tokens_used,
        signals=cycle.signals,
        probes=cycle.probes,
        grades={grade.value: number for grade, number in cycle.grades.items()},
        recurred=cycle.recurred,
    )


def _claim(claim: TimelineClaim, words: Mapping[str, HumanWord]) -> PastClaim:
    state = claim.state
    return PastClaim(
        key=state.record.key,
        claim=state.record.claim,
        grade=state.grade.value,
        first_cycle=state.first_cycle,
        events=tuple(ClaimEvent(cycle=cycle, what=what) for cycle, what in claim.events),
        word=words.get(state.record.key),
    )
