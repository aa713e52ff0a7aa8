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
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.ledger.grades import decide
from repo_guardian.server.session.session import CycleSession
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
        session = context.sessions.get(cycle_id)
        hypothesis = session.hypotheses.get(proposal.hypothesis_id)
        cited = [session.ledger.get(probe_id) for probe_id in proposal.citations]
        decision = decide(hypothesis, proposal, cited, exists=lambda locus: _exists(session, locus))
        session.hypotheses.record(proposal, decision)
        return decision


def _exists(session: CycleSession, locus: Locus) -> bool:
    """True when something is named and every file and symbol named is there at the cycle's commit."""
    sides = session.need_sides()
    named = len(locus.files) + len(locus.symbols)
    files = all(path in sides.current for path in locus.files)
    return bool(named) and files and all(name in sides.current_graph.symbols for name in locus.symbols)
