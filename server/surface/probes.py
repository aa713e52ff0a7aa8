"""``probe_*``: gather evidence. Each call keeps one entry in the ledger and returns it."""

from __future__ import annotations

from typing import Annotated

from fastmcp import Context, FastMCP
from pydantic import Field

from repo_guardian.server.contract.probes import ProbeEntry, Proof
from repo_guardian.server.session.capability import need_bench
from repo_guardian.server.session.proving import prove
from repo_guardian.server.surface.context import EXECUTES, WRITES, ServerContext, told


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""

    @server.tool(name="probe_synthesize_test", title="Write the test", annotations=WRITES)
    @told
    async def probe_synthesize_test(
        cycle_id: str, hypothesis_id: str, variant: Annotated[int, Field(ge=0)] = 0
    ) -> ProbeEntry:
        """Write the template test for a hypothesis that rests on a signal. Nothing is run.

        Where there are several, variant 0 is the most telling.
        """
        session = context.sessions.get(cycle_id)
        return session.need_prober().synthesize(session.hypotheses.get(hypothesis_id), variant=variant)

    @server.tool(name="probe_run_test", title="Run the test now", annotations=EXECUTES)
    @told
    async def probe_run_test(cycle_id: str, probe_id: str, ctx: Context) -> ProbeEntry:
        """Run a written test (the id of its probe_synthesize_test entry) at the cycle's commit, in a
        sandbox without a network, repeatedly.
        """
        await ctx.report_progress(0, message="running the test at this commit")
        session = context.sessions.get(cycle_id)
        bench = await need_bench(session, context.settings)
        return await session.need_prober().run(bench, probe_id)

    @server.tool(name="probe_differential_run", title="Run the test at the base", annotations=EXECUTES)
    @told
    async def probe_differential_run(cycle_id: str, probe_id: str, ctx: Context) -> ProbeEntry:
        """Run the same test (the id of its probe_run_test entry) at the base: a test that passes there
        and fails now shows what the change did.
        """
        await ctx.report_progress(0, message="running the same test at the base")
        session = context.sessions.get(cycle_id)
        bench = await need_bench(session, context.settings)
        return await session.need_prober().differential(bench, probe_id)

    @server.tool(name="probe_fix", title="Run the test with the cause reverted", annotations=EXECUTES)
    @told
    async def probe_fix(cycle_id: str, probe_id: str, ctx: Context) -> ProbeEntry:
        """Restore base text at the suspected cause, in a throwaway overlay and as little as possible, and
        run the same failing test (the id of its probe_run_test entry) again.
        """
        await ctx.report_progress(0, message="running it with the suspected cause reverted")
        session = context.sessions.get(cycle_id)
        bench = await need_bench(session, context.settings)
        return await session.need_prober().fix(bench, probe_id)

    @server.tool(name="probe_prove", title="Prove a hypothesis", annotations=EXECUTES)
    @told
    async def probe_prove(cycle_id: str, hypothesis_id: str, ctx: Context) -> Proof:
        """Test, run, differential run, fix-probe and grade in one call, for a hypothesis that rests on a
        signal. Returns every probe that was made and the grade that the rules admit.
        """
        session = context.sessions.get(cycle_id)

        async def narrate(step: str) -> None:
            await ctx.report_progress(0, message=step)

        hypothesis = session.hypotheses.get(hypothesis_id)
        return await prove(session, context.settings, hypothesis, narrate=narrate)
