"""``signals_*``: what was measured between base and commit."""

from __future__ import annotations

import math
from typing import Annotated

from anyio import to_thread
from fastmcp import Context, FastMCP
from pydantic import Field

from repo_guardian.server.contract.executed import ExecutedSignals
from repo_guardian.server.contract.signals import SignalPage
from repo_guardian.server.session.executing import execute_signals
from repo_guardian.server.session.observe import observe_signals
from repo_guardian.server.session.translate import signal_page
from repo_guardian.server.surface.context import EXECUTES, READS, ServerContext, told
from repo_guardian.server.surface.narrate import narrated


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="signals_observe", title="Read the signals", annotations=READS)
    @told
    async def signals_observe(
        cycle_id: str,
        offset: Annotated[int, Field(ge=0)] = 0,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> SignalPage:
        """Structural drift and churn between the cycle's base and its commit, ranked, a page at a time.
        A signal measures; it never says that something is wrong. `provable` ones have a template test.
        """
        session = context.sessions.get(cycle_id)
        signals = await to_thread.run_sync(observe_signals, session, context.settings)
        return signal_page(
            signals,
            session.need_sides(),
            offset=offset,
            limit=limit,
            dependents=context.settings.signals.dependents_listed,
            intents=session.intents,
        )

    @server.tool(name="signals_execute", title="Measure by running", annotations=EXECUTES)
    @told
    async def signals_execute(
        cycle_id: str,
        ctx: Context,
        *,
        whole_suite: bool = False,
        wall_s: Annotated[float | None, Field(ge=1)] = None,
    ) -> ExecutedSignals:
        """Run both commits in a sandbox without a network: changed functions with the arguments that tests
        pass and variations of them, and the tests in reach (`whole_suite` for all). What differs becomes
        signals, ranked among the others by signals_observe. It takes as long as those tests, several times,
        and at most `wall_s` seconds once both commits are ready to run.
        """
        session = context.sessions.get(cycle_id)
        return await narrated(
            ctx,
            lambda narrate: execute_signals(
                session, context.settings, whole_suite=whole_suite, wall_s=wall_s or math.inf, narrate=narrate
            ),
        )
