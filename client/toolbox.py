"""The client's end of MCP: typed calls, typed errors, and the decision log.

One method per tool of the server that a cycle uses. Every call becomes one ``Decision``; nothing that
is specific to a run (times, host paths) enters it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, TypeVar

from repo_guardian.server.contract.cycles import (
    CycleClose,
    CycleInfo,
    CycleState,
    Decision,
    Persisted,
    Refreshed,
    Scope,
)
from repo_guardian.server.contract.errors import decode_error
from repo_guardian.server.contract.executed import ExecutedSignals
from repo_guardian.server.contract.hypotheses import (
    GradeDecision,
    GradeProposal,
    Hypothesis,
    HypothesisDraft,
)
from repo_guardian.server.contract.memory import MemorySummary, MemoryTimeline, RecallPage
from repo_guardian.server.contract.probes import ProbeEntry, Proof
from repo_guardian.server.contract.signals import SignalPage
from repo_guardian.server.contract.wire import Wire

if TYPE_CHECKING:
    from fastmcp import Client
    from fastmcp.client.progress import ProgressHandler

Model = TypeVar("Model", bound=Wire)

OBSERVATION_CHARS = 400


class Toolbox:
    """Calls the server's tools for one cycle and keeps the decision log.

    Args:
        client: a connected FastMCP client; in memory, stdio or HTTP makes no difference.
        progress: receives the server's progress notifications, if anyone is watching.
    """

    def __init__(self, client: Client[Any], progress: ProgressHandler | None = None) -> None:
        self._client = client
        self._progress = progress
        self._decisions: list[Decision] = []
        self._state = hashlib.sha256()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The log so far, one record per tool call."""
        return tuple(self._decisions)

    async def begin(
        self,
        repository: str,
        commit: str | None,
        since: str | None,
        scope: Scope = Scope.COMMIT,
        *,
        keep: bool = True,
    ) -> CycleInfo:
        """Sync, fix commit and base, and open a cycle; or a check of what is not committed or not to be kept.

        Args:
            keep: False for a commit that is only looked at again: it takes no number and no lock.
        """
        arguments: dict[str, Any] = {"repository": repository, "commit": commit, "since": since}
        if scope is not Scope.COMMIT:
            arguments["scope"] = scope.value
        if not keep:
            arguments["keep"] = False
        return await self._call(CycleInfo, "cycle_begin", arguments)

    async def refresh(self, cycle: CycleInfo) -> Refreshed:
        """Make the views of both commits available."""
        return await self._call(Refreshed, "cycle_refresh", {"cycle_id": cycle.cycle_id})

    async def signals(self, cycle: CycleInfo, *, offset: int = 0, limit: int = 20) -> SignalPage:
        """A page of ranked signals."""
        arguments = {"cycle_id": cycle.cycle_id, "offset": offset, "limit": limit}
        return await self._call(SignalPage, "signals_observe", arguments)

    async def execute_signals(
        self, cycle: CycleInfo, *, whole_suite: bool = False, wall_s: float | None = None
    ) -> ExecutedSignals:
        """Measure by running both commits: changed behaviour, changed test outcomes.

        Args:
            whole_suite: compare all tests, not only those that the change can reach.
            wall_s: seconds for running; what is not done by then is given up. None for no bound.
        """
        arguments: dict[str, Any] = {"cycle_id": cycle.cycle_id, "whole_suite": whole_suite}
        if wall_s is not None:
            arguments["wall_s"] = wall_s
        return await self._call(ExecutedSignals, "signals_execute", arguments)

    async def memory_summary(self, cycle: CycleInfo) -> MemorySummary:
        """How much past there is."""
        return await self._call(MemorySummary, "memory_summary", {"cycle_id": cycle.cycle_id})

    async def open_findings(self, cycle: CycleInfo, *, limit: int = 20) -> RecallPage:
        """The findings of earlier cycles that still stand, the latest first."""
        arguments = {"cycle_id": cycle.cycle_id, "limit": limit}
        return await self._call(RecallPage, "memory_findings", arguments)

    async def memory_timeline(self, cycle: CycleInfo) -> MemoryTimeline:
        """The latest cycles, and what became of the findings that were touched last."""
        return await self._call(MemoryTimeline, "memory_timeline", {"cycle_id": cycle.cycle_id})

    async def recall(
        self, cycle: CycleInfo, *, symbols: tuple[str, ...], files: tuple[str, ...], limit: int = 20
    ) -> RecallPage:
        """What earlier cycles wrote about a locus."""
        arguments = {
            "cycle_id": cycle.cycle_id,
            "symbols": list(symbols),
            "files": list(files),
            "limit": limit,
        }
        return await self._call(RecallPage, "memory_recall", arguments)

    async def write_hypothesis(self, cycle: CycleInfo, draft: HypothesisDraft) -> Hypothesis:
        """Write a claim down; the same claim of an earlier cycle comes back as a recurrence."""
        arguments = {"cycle_id": cycle.cycle_id, "draft": draft.model_dump(mode="json")}
        return await self._call(Hypothesis, "hypothesis_write", arguments)

    async def propose_grade(self, cycle: CycleInfo, proposal: GradeProposal) -> GradeDecision:
        """Ask for a grade; the server's rules answer."""
        arguments = {"cycle_id": cycle.cycle_id, "proposal": proposal.model_dump(mode="json")}
        return await self._call(GradeDecision, "hypothesis_grade", arguments)

    async def synthesize_test(self, cycle: CycleInfo, hypothesis: Hypothesis) -> ProbeEntry:
        """Have the template test of the hypothesis' signal written and checked."""
        arguments = {"cycle_id": cycle.cycle_id, "hypothesis_id": hypothesis.id}
        return await self._call(ProbeEntry, "probe_synthesize_test", arguments)

    async def run_test(self, cycle: CycleInfo, source: ProbeEntry) -> ProbeEntry:
        """Run a stored test at the cycle's commit."""
        return await self._probe(cycle, "probe_run_test", source)

    async def differential_run(self, cycle: CycleInfo, source: ProbeEntry) -> ProbeEntry:
        """Run the same stored test at the base."""
        return await self._probe(cycle, "probe_differential_run", source)

    async def fix_probe(self, cycle: CycleInfo, failing: ProbeEntry) -> ProbeEntry:
        """Run the same test with base text restored at the suspected cause."""
        return await self._probe(cycle, "probe_fix", failing)

    async def prove(
        self,
        cycle: CycleInfo,
        hypothesis: Hypothesis,
        *,
        source: str | None = None,
        existing: str | None = None,
        edit: str | None = None,
    ) -> Proof:
        """Test, run, differential run, fix-probe and grade in one call.

        Args:
            source: a test module's text; the template test of the hypothesis' signal when None.
            existing: the id of a test that the repository has, in place of a source.
            edit: a unified diff to try as the fix; the minimal revert when None.
        """
        arguments = {"cycle_id": cycle.cycle_id, "hypothesis_id": hypothesis.id}
        given = {"source": source, "existing": existing, "edit": edit}
        arguments |= {name: value for name, value in given.items() if value is not None}
        return await self._call(Proof, "probe_prove", arguments)

    async def discard(self, cycle: CycleInfo, reason: str) -> None:
        """End a cycle, or a check, without keeping anything of it."""
        arguments = {"cycle_id": cycle.cycle_id, "reason": reason}
        await self._call(Persisted, "cycle_discard", arguments)

    async def state(self, cycle: CycleInfo) -> CycleState:
        """Everything that the cycle holds so far."""
        return await self._call(CycleState, "cycle_state", {"cycle_id": cycle.cycle_id})

    async def persist(self, cycle: CycleInfo, close: CycleClose) -> Persisted:
        """End the cycle: everything becomes part of the memory in one transaction."""
        arguments = {"cycle_id": cycle.cycle_id, "close": close.model_dump(mode="json")}
        return await self._call(Persisted, "cycle_persist", arguments)

    async def _probe(self, cycle: CycleInfo, tool: str, parent: ProbeEntry) -> ProbeEntry:
        arguments = {"cycle_id": cycle.cycle_id, "probe_id": parent.id}
        return await self._call(ProbeEntry, tool, arguments)

    async def _call(self, model: type[Model], tool: str, arguments: dict[str, Any]) -> Model:
        from fastmcp.exceptions import ToolError

        try:
            result = await self._client.call_tool(tool, arguments, progress_handler=self._progress)
        except ToolError as error:
            self._log(tool, arguments, str(error))
            raise decode_error(str(error)) from error
        answer = model.model_validate_json(json.dumps(result.structured_content))
        self._log(tool, arguments, answer.model_dump_json())
        return answer

    def _log(self, tool: str, arguments: dict[str, Any], observation: str) -> None:
        kept = {name: value for name, value in arguments.items() if name not in ("cycle_id", "close")}
        text = json.dumps(kept, sort_keys=True)
        self._decisions.append(
            Decision(
                turn=len(self._decisions) + 1,
                tool=tool,
                arguments=text,
                state_digest=self._state.hexdigest()[:16],
                observation=observation[:OBSERVATION_CHARS],
            )
        )
        self._state.update(f"{tool}\n{text}\n{observation}\n".encode())
