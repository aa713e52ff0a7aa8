"""``probe_*`` that look around: uses, imports, a script, the repository's own tests."""

from __future__ import annotations

from typing import Annotated, Literal

from fastmcp import Context, FastMCP
from pydantic import Field

from repo_guardian.server.contract.probes import ProbeEntry
from repo_guardian.server.session.capability import need_suite_bench
from repo_guardian.server.session.examining import Examiner
from repo_guardian.server.session.own_suite import run_own_tests, run_own_tests_at_base
from repo_guardian.server.surface.context import EXECUTES, WRITES, ServerContext, told
from repo_guardian.tools.probes.imports import ImportLimits
from repo_guardian.vocabulary import Side

Name = Annotated[str, Field(min_length=1, max_length=500)]
Where = Literal["current", "base", "both"]


def register(server: FastMCP, context: ServerContext) -> None:
    """Add the tools to ``server``."""
    _register_sources(server, context)
    _register_runs(server, context)


def _examiner(context: ServerContext, cycle_id: str, hypothesis_id: str) -> Examiner:
    session = context.sessions.get(cycle_id)
    return Examiner(session, session.hypotheses.get(hypothesis_id))


def _register_sources(server: FastMCP, context: ServerContext) -> None:
    @server.tool(name="probe_call_sites", title="Find the uses of a symbol", annotations=WRITES)
    @told
    async def probe_call_sites(
        cycle_id: str,
        hypothesis_id: str,
        symbol: Name,
        *,
        side: Literal["current", "base"] = "current",
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        parent: str | None = None,
    ) -> ProbeEntry:
        """List who uses a symbol: what the graph resolves to it, what may mean it, and mentions of its name
        that the graph knows nothing about (strings, documents). Nothing is run; it is never evidence.
        """
        return await _examiner(context, cycle_id, hypothesis_id).call_sites(symbol, Side(side), limit, parent)

    @server.tool(name="probe_check_imports", title="Import what the change touched", annotations=EXECUTES)
    @told
    async def probe_check_imports(
        cycle_id: str,
        hypothesis_id: str,
        ctx: Context,
        *,
        modules: Annotated[list[Name], Field(max_length=100)] | None = None,
        types: bool = False,
        parent: str | None = None,
    ) -> ProbeEntry:
        """Import every module that the change touched and every one that imports those (or `modules`), each
        in a process of its own, on both commits, in a sandbox without a network; with `types` mypy checks
        them too, and what it says of this commit alone is told. It is never evidence.
        """
        await ctx.report_progress(0, message="importing modules on both commits")
        session = context.sessions.get(cycle_id)
        bench = await need_suite_bench(session, context.settings)
        return await _examiner(context, cycle_id, hypothesis_id).imports(
            bench, ImportLimits(), modules or (), parent, types=types
        )


def _register_runs(server: FastMCP, context: ServerContext) -> None:
    @server.tool(name="probe_run_script", title="Run a script", annotations=EXECUTES)
    @told
    async def probe_run_script(
        cycle_id: str,
        hypothesis_id: str,
        source: str,
        ctx: Context,
        *,
        where: Where = "current",
        parent: str | None = None,
    ) -> ProbeEntry:
        """Run a small Python script that can import the repository's packages, on the cycle's commit, the
        base or both, in a sandbox without a network. Print what you want to know. It is never evidence.
        """
        await ctx.report_progress(0, message="running the script")
        session = context.sessions.get(cycle_id)
        bench = await need_suite_bench(session, context.settings)
        sides = (Side.BASE, Side.CURRENT) if where == "both" else (Side(where),)
        limits = context.settings.probes.run
        return await _examiner(context, cycle_id, hypothesis_id).script(bench, source, sides, limits, parent)

    @server.tool(name="probe_existing_tests", title="Run tests of the repository", annotations=EXECUTES)
    @told
    async def probe_existing_tests(
        cycle_id: str,
        hypothesis_id: str,
        ctx: Context,
        *,
        tests: Annotated[list[Name], Field(max_length=200)] | None = None,
        symbol: Name | None = None,
        parent: str | None = None,
    ) -> ProbeEntry:
        """Run tests that the repository has, under its own configuration: `tests` by pytest id, or those that
        reach `symbol`, at the cycle's commit; with `parent` (such an entry) the same tests at the base. Those
        that fail run repeatedly.
        """
        await ctx.report_progress(0, message="running tests of the repository")
        session = context.sessions.get(cycle_id)
        probe = _examiner(context, cycle_id, hypothesis_id)
        bench = await need_suite_bench(session, context.settings)
        repetitions = context.settings.probes.repetitions
        if parent is not None:
            return await run_own_tests_at_base(probe, bench, parent, repetitions=repetitions)
        return await run_own_tests(probe, bench, tests or (), symbol, repetitions=repetitions)
