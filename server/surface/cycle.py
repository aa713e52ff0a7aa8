"""``cycle_*``: open a cycle, load its views, read its state, end it."""

from __future__ import annotations

from anyio import to_thread
from fastmcp import FastMCP

from repo_guardian import __version__
from repo_guardian.errors import AdmissionError
from repo_guardian.server.contract.cycles import (
    CycleClose,
    CycleInfo,
    CycleState,
    Persisted,
    Refreshed,
    Scope,
    ServerStatus,
)
from repo_guardian.server.session.begin import Wanted, begin
from repo_guardian.server.session.capability import envelope
from repo_guardian.server.session.finish import persist
from repo_guardian.server.session.observe import refresh_views
from repo_guardian.server.session.translate import view_status
from repo_guardian.server.surface.context import READS, WRITES, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="cycle_begin", title="Begin a cycle", annotations=WRITES)
    @told
    async def cycle_begin(
        repository: str,
        commit: str | None = None,
        since: str | None = None,
        scope: Scope = Scope.COMMIT,
        keep: bool = True,
    ) -> CycleInfo:
        """Bring the mirror up to date and open a cycle on a commit (HEAD unless named) of a watched
        repository, compared with `since`, else its first parent. One cycle per repository at a time. With
        scope `worktree` or `staged`, or with keep false, it is a check instead: of what is not committed
        against `since`, else HEAD; it may run beside a cycle, and ends with cycle_discard.
        """
        capability = await context.capability()
        wanted = Wanted(commit, since, scope, keep)
        session = await to_thread.run_sync(lambda: begin(context.settings, repository, wanted, capability))
        context.sessions.add(session)
        return session.info

    @server.tool(name="cycle_refresh", title="Load the views", annotations=WRITES)
    @told
    async def cycle_refresh(cycle_id: str) -> Refreshed:
        """Publish, or load, the symbol graphs of the cycle's commit and of its base."""
        session = context.sessions.get(cycle_id)
        current, base = await to_thread.run_sync(refresh_views, session)
        sides = session.need_sides()
        return Refreshed(
            current=view_status(current, sides.current_graph), base=view_status(base, sides.base_graph)
        )

    @server.tool(name="cycle_state", title="Read a cycle's state", annotations=READS)
    @told
    async def cycle_state(cycle_id: str) -> CycleState:
        """Everything the cycle holds so far: hypotheses, the probe ledger, and the environment."""
        session = context.sessions.get(cycle_id)
        return CycleState(
            info=session.info,
            envelope=envelope(session, context.settings),
            hypotheses=session.hypotheses.all,
            probes=session.ledger.entries,
        )

    @server.tool(name="cycle_persist", title="End a cycle", annotations=WRITES)
    @told
    async def cycle_persist(cycle_id: str, close: CycleClose) -> Persisted:
        """End the cycle: all that it holds becomes part of the memory in one transaction."""
        session = context.sessions.get(cycle_id)
        if session.before_cycle is None:
            raise AdmissionError("a check is not kept", hint="end it with cycle_discard")
        environment = envelope(session, context.settings)
        persisted = await to_thread.run_sync(persist, session, close, environment)
        context.sessions.remove(cycle_id)
        return persisted

    @server.tool(name="cycle_discard", title="Discard a cycle", annotations=WRITES)
    @told
    async def cycle_discard(cycle_id: str, reason: str) -> Persisted:
        """End the cycle without keeping anything of it but the mark that it was discarded, and why. Of a
        check not even that is kept.
        """
        session = context.sessions.get(cycle_id)
        await to_thread.run_sync(session.discard, reason)
        context.sessions.remove(cycle_id)
        return Persisted(number=session.info.number, rows={})

    @server.tool(name="status", title="Server status", annotations=READS)
    @told
    async def status() -> ServerStatus:
        """Which repositories this server watches, which cycles are open, and whether it can run code."""
        capability = await context.capability()
        return ServerStatus(
            version=__version__,
            repositories=context.settings.repositories,
            open_cycles=context.sessions.ids,
            sandbox=capability.name or f"none: {capability.note}",
        )
