"""A proposed grade, decided by the ledger's rules and kept with the hypothesis when they admit it."""

from __future__ import annotations

from repo_guardian.server.contract.hypotheses import GradeDecision, GradeProposal
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.ledger.grades import decide
from repo_guardian.server.session.session import CycleSession


def propose(session: CycleSession, proposal: GradeProposal) -> GradeDecision:
    """Decide, and record what is admitted.

    Raises:
        AdmissionError: the hypothesis or a cited entry does not exist, or the views are not loaded.
    """
    hypothesis = session.hypotheses.get(proposal.hypothesis_id)
    cited = [session.ledger.get(probe_id) for probe_id in proposal.citations]
    decision = decide(
        hypothesis,
        proposal,
        cited,
        exists=lambda locus: exists(session, locus),
        ledger=session.ledger.entries,
    )
    session.hypotheses.record(proposal, decision)
    return decision


def exists(session: CycleSession, locus: Locus) -> bool:
    """True when something is named and every file and symbol named is there at the cycle's commit."""
    sides = session.need_sides()
    named = len(locus.files) + len(locus.symbols)
    files = all(path in sides.current for path in locus.files)
    return bool(named) and files and all(name in sides.current_graph.symbols for name in locus.symbols)
