"""``probe_*``: gather evidence. Each call keeps one entry in the ledger and returns it."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastmcp import Context, FastMCP
from pydantic import Field

from repo_guardian.errors import UsageError
from repo_guardian.server.contract.hypotheses import Hypothesis, HypothesisDraft
from repo_guardian.server.contract.probes import ProbeEntry, Proof
from repo_guardian.server.session.capability import bench_for
from repo_guardian.server.session.proving import prove
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.sources import Choice
from repo_guardian.server.surface.context import EXECUTES, WRITES, ServerContext, told
from repo_guardian.server.surface.narrate import narrated
from repo_guardian.tools.execution.bench import Bench

TestText = Annotated[
    str | None,
    Field(
        description="Text of a Python module with one function test_… at its top level that imports what the "
        "hypothesis is about, passes at the base and fails now. No network, no processes, files only below "
        "tmp_path. A template writes it when this is left out."
    ),
]
TestId = Annotated[
    str | None,
    Field(description="Id of a test that the repository has, to be the witness: tests/test_x.py::test_y."),
]
Diff = Annotated[
    str | None,
    Field(
        description="Unified diff against the cycle's commit, to try as the fix: --- a/path, +++ b/path and "
        "exact @@ counts. Applied in a throwaway overlay only. The smallest revert to base text is searched "
        "when this is left out."
    ),
]


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""
    _register_steps(server, context)

    @server.tool(name="probe_prove", title="Prove a claim", annotations=EXECUTES)
    @told
    async def probe_prove(  # noqa: PLR0917  the arguments of a tool are passed by name
        cycle_id: str,
        ctx: Context,
        hypothesis_id: str | None = None,
        draft: HypothesisDraft | None = None,
        source: TestText = None,
        existing: TestId = None,
        edit: Diff = None,
    ) -> Proof:
        """Test, run, differential run, fix-probe and grade in one call: for a written hypothesis, or for a
        claim given as `draft`. Returns every probe that was made and the grade that the rules admit.
        """
        session = context.sessions.get(cycle_id)
        hypothesis = await _hypothesis(session, hypothesis_id, draft)
        choice = Choice(source, existing)
        return await narrated(
            ctx, lambda say: prove(session, context.settings, hypothesis, choice, edit=edit, narrate=say)
        )


async def _hypothesis(
    session: CycleSession, hypothesis_id: str | None, draft: HypothesisDraft | None
) -> Hypothesis:
    if (hypothesis_id is None) == (draft is None):
        raise UsageError(
            "one claim is to be proven", hint="pass either the id of a hypothesis or a draft of one"
        )
    if draft is not None:
        session.need_prober()
        return await to_thread.run_sync(session.hypotheses.write, draft)
    return session.hypotheses.get(hypothesis_id or "")


def _register_steps(server: FastMCP, context: ServerContext) -> None:
    async def bench_of(session: CycleSession, probe_id: str) -> Bench:
        in_repository = session.need_prober().in_repository(probe_id)
        return await bench_for(session, context.settings, in_repository=in_repository)

    @server.tool(name="probe_synthesize_test", title="Write the test", annotations=WRITES)
    @told
    async def probe_synthesize_test(
        cycle_id: str,
        hypothesis_id: str,
        source: TestText = None,
        existing: TestId = None,
        variant: Annotated[int, Field(ge=0)] = 0,
    ) -> ProbeEntry:
        """Keep a test for a hypothesis: yours, one that the repository has, or a template's for the signal
        that it rests on. Nothing is run. Of several templates variant 0 is the most telling. `failure`
        says why there is no test.
        """
        session = context.sessions.get(cycle_id)
        prober, hypothesis = session.need_prober(), session.hypotheses.get(hypothesis_id)
        return prober.synthesize(hypothesis, Choice(source, existing, variant))

    @server.tool(name="probe_run_test", title="Run the test now", annotations=EXECUTES)
    @told
    async def probe_run_test(cycle_id: str, probe_id: str, ctx: Context) -> ProbeEntry:
        """Run a written test (the id of its probe_synthesize_test entry) at the cycle's commit, in a
        sandbox without a network, repeatedly.
        """
        await ctx.report_progress(0, message="running the test at this commit")
        session = context.sessions.get(cycle_id)
        return await session.need_prober().run(await bench_of(session, probe_id), probe_id)

    @server.tool(name="probe_differential_run", title="Run the test at the base", annotations=EXECUTES)
    @told
    async def probe_differential_run(cycle_id: str, probe_id: str, ctx: Context) -> ProbeEntry:
        """Run the same test (the id of its probe_run_test entry) at the base: a test that passes there
        and fails now shows what the change did.
        """
        await ctx.report_progress(0, message="running the same test at the base")
        session = context.sessions.get(cycle_id)
        return await session.need_prober().differential(await bench_of(session, probe_id), probe_id)

    @server.tool(name="probe_fix", title="Run the test with the cause reverted", annotations=EXECUTES)
    @told
    async def probe_fix(cycle_id: str, probe_id: str, ctx: Context, edit: Diff = None) -> ProbeEntry:
        """Restore base text at the suspected cause, in a throwaway overlay and as little as possible, and
        run the same failing test (the id of its probe_run_test entry) again. Only base text corroborates;
        any other edit shows what would help.
        """
        await ctx.report_progress(0, message="running it with the suspected cause reverted")
        session = context.sessions.get(cycle_id)
        return await session.need_prober().fix(await bench_of(session, probe_id), probe_id, edit)
