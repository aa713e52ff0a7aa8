"""``hypothesis_*``: write a claim down, and ask for its grade."""

from __future__ import annotations

from anyio import to_thread
from fastmcp import FastMCP

from repo_guardian.server.contract.hypotheses import (
    GradeDecision,
    GradeProposal,
    Hypothesis,
    HypothesisDraft,
)
from repo_guardian.server.session.grading import propose
from repo_guardian.server.surface.context import WRITES, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="hypothesis_write", title="Write a hypothesis", annotations=WRITES)
    @told
    async def hypothesis_write(cycle_id: str, draft: HypothesisDraft) -> Hypothesis:
        """Write down a falsifiable claim with its consequence, remedy and locus. The same claim of an
        earlier cycle is recognised and comes back as a recurrence; within a cycle it is written once.
        """
        session = context.sessions.get(cycle_id)
        return await to_thread.run_sync(session.hypotheses.write, draft)

    @server.tool(name="hypothesis_grade", title="Propose a grade", annotations=WRITES)
    @told
    async def hypothesis_grade(cycle_id: str, proposal: GradeProposal) -> GradeDecision:
        """Propose a grade and cite the probes it rests on. supported, refuted and finding need admissible
        evidence; a rejection says what would be admitted.
        """
        return propose(context.sessions.get(cycle_id), proposal)
