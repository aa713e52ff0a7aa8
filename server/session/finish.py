"""The last step of a cycle: everything into the memory, in one transaction."""

from __future__ import annotations

from pydantic import ValidationError

from repo_guardian.errors import MemoryStoreError
from repo_guardian.server.contract.cycles import CycleClose, Envelope, Persisted
from repo_guardian.server.session.persist import cycle_record, cycle_write, snapshot
from repo_guardian.server.session.session import CycleSession


def persist(session: CycleSession, close: CycleClose, envelope: Envelope) -> Persisted:
    """Write the cycle. Blocking.

    Raises:
        MemoryStoreError, StateDirError: nothing of the cycle is visible then.
    """
    if session.views is None:
        raise MemoryStoreError(
            "the cycle has no views to keep", hint="call cycle_refresh before cycle_persist"
        )
    current = session.views[0]
    snapshots = (snapshot(session.state, current),)
    try:
        write = cycle_write(
            cycle_record(
                close,
                envelope,
                number=session.info.number,
                commit=session.info.commit,
                base=session.info.base,
                started_at=session.started_at,
            ),
            sides=session.need_sides(),
            signals=session.signals or (),
            hypotheses=session.hypotheses.all,
            probes=session.ledger.entries,
            decisions=close.decisions,
            snapshots=snapshots,
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise MemoryStoreError(
            f"the cycle holds a row that the memory refuses: {place}: {first['msg']}"
        ) from error
    session.memory.commit(write)
    return Persisted(
        number=session.info.number,
        rows={
            "signals": len(write.signals),
            "symbols": len(write.symbols),
            "edges": len(write.edges),
            "hypotheses": len(write.hypotheses),
            "events": len(write.events),
            "probes": len(write.probes),
            "decisions": len(write.decisions),
        },
    )
