"""The probes that look around: uses, imports, scripts, and tests that the repository has.

Each keeps one entry in the ledger. Uses, imports and scripts show where to look and are never evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anyio import to_thread

from repo_guardian.errors import AdmissionError, SandboxError
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.probes import (
    CallSite,
    CallSites,
    ImportCheck,
    ImportResult,
    ProbeEntry,
    ProbeTool,
    ScriptResult,
)
from repo_guardian.server.contract.wire import Location
from repo_guardian.server.session.findings_text import call_sites_text, imports_text, scripts_text
from repo_guardian.server.session.session import CycleSession
from repo_guardian.tools.execution import Limits
from repo_guardian.tools.execution.bench import Bench
from repo_guardian.tools.git.grep import files_with_word
from repo_guardian.tools.probes.call_sites import CallSiteLimits, find_call_sites
from repo_guardian.tools.probes.imports import Imported, ImportLimits, import_modules, touched_modules
from repo_guardian.tools.probes.script import check_script, run_script
from repo_guardian.tools.probes.type_check import check_types, new_errors, prepare_checker
from repo_guardian.tools.views.gather import path_text
from repo_guardian.vocabulary import EvidenceStatus, Side

ERRORS_LISTED = 50
"""Lines of a type checker that are kept."""
OUTPUT_CHARS = 4000
"""How much of each stream of a script is kept: its end."""
_NAME = re.compile(r"[^\s.\0]+(\.[^\s.\0]+)*")
_WORD = re.compile(r"[\w.]+")


@dataclass(frozen=True, slots=True)
class Examiner:
    """Carries these probes out for one hypothesis of one cycle."""

    session: CycleSession
    hypothesis: Hypothesis

    async def call_sites(self, symbol: str, side: Side, listed: int, parent: str | None = None) -> ProbeEntry:
        """Who uses ``symbol`` on one side, by the graph and by the text.

        Raises:
            AdmissionError: it is no name.
        """
        if not _NAME.fullmatch(symbol):
            raise AdmissionError(
                f"{symbol[:100]!r} is no name", hint="name a symbol, dotted or its last part"
            )
        sides = self.session.need_sides()
        tree, graph = sides.tree(side), sides.graph(side)

        def find() -> CallSites:
            paths = files_with_word(tree.git, tree.treeish, symbol.rpartition(".")[2])
            found = find_call_sites(
                graph, symbol, [path_text(path) for path in paths], tree.read, CallSiteLimits(listed=listed)
            )
            sites = tuple(
                CallSite(
                    location=Location(path=s.path, start_line=s.start_line, end_line=s.end_line, text=s.text),
                    symbol=s.symbol,
                    how=s.how,
                    reason=s.kind,
                )
                for s in found.sites
            )
            return CallSites(symbol=found.symbol, sites=sites, total=found.total, text_total=found.text_total)

        found = await to_thread.run_sync(find)
        reason = "uses as graph and text show them; nothing was run"
        return self.append(
            ProbeTool.GREP_CALL_SITES,
            side,
            parent=parent,
            reason=reason,
            call_sites=found,
            output=call_sites_text(found),
        )

    async def script(
        self, bench: Bench, source: str, sides: Sequence[Side], limits: Limits, parent: str | None = None
    ) -> ProbeEntry:
        """Run ``source`` on each of ``sides``.

        Raises:
            AdmissionError: it is no script that can be run.
        """
        check_script(source)
        results: list[ScriptResult] = []
        failure = ""
        for side in sides:
            checkout = await to_thread.run_sync(self.session.checkout, side)
            try:
                ran = await run_script(bench, checkout, source, limits)
            except SandboxError as error:
                failure = str(error)
                break
            results.append(
                ScriptResult(
                    side=side,
                    process_status=ran.status.value,
                    exit_code=ran.exit_code,
                    stdout=_tail(ran.stdout),
                    stderr=_tail(ran.stderr),
                    duration_s=round(ran.duration_s, 3),
                )
            )
        return self.append(
            ProbeTool.RUN_SCRIPT,
            sides[-1],
            parent=parent,
            reason="what a script prints is a clue, and never evidence",
            failure=failure,
            scripts=tuple(results),
            test_source=source,
            output=scripts_text(results),
            duration_s=sum(result.duration_s for result in results),
        )

    async def imports(
        self,
        bench: Bench,
        limits: ImportLimits,
        modules: Sequence[str] = (),
        parent: str | None = None,
        *,
        types: bool = False,
    ) -> ProbeEntry:
        """Import the touched modules and those that import them, or ``modules``, on both trees.

        Args:
            types: have a type checker look at them as well.

        Raises:
            AdmissionError: neither commit has one of ``modules``.
        """
        sides, session = self.session.need_sides(), self.session
        changed = session.current.differs_from(session.base)
        known = await to_thread.run_sync(touched_modules, sides.base_graph, sides.current_graph, changed)
        chosen = {name: known.get(name) or self._path_of(name) for name in modules} if modules else known
        answers: dict[Side, dict[str, Imported]] = {}
        failure, seconds = "", 0.0
        for side in (Side.BASE, Side.CURRENT):
            tree = sides.tree(side)
            there = [name for name, path in chosen.items() if path in tree][: limits.modules]
            checkout = await to_thread.run_sync(session.checkout, side)
            try:
                found, result = await import_modules(bench, checkout, there, limits, bench.limits)
            except SandboxError as error:
                failure = str(error)
                break
            answers[side] = {answer.module: answer for answer in found}
            seconds += result.duration_s
        results = [self._import_result(name, path, answers) for name, path in chosen.items()]
        told = [one for one in results if one.base is not None or one.current is not None]
        told.sort(key=lambda one: not (one.current and not one.base))
        bounded = dict(list(chosen.items())[: limits.modules])
        checker, note = await self._types(bench, bounded) if types and not failure else ((), "")
        check = ImportCheck(
            modules=tuple(told[: limits.modules]),
            total=len(chosen),
            checker=checker[:ERRORS_LISTED],
            checker_note=note,
        )
        return self.append(
            ProbeTool.CHECK_IMPORTS,
            Side.CURRENT,
            parent=parent,
            reason="imports as the repository's own code reported them; a test of one is evidence",
            failure=failure,
            imports=check,
            output=imports_text(check),
            duration_s=round(seconds, 3),
        )

    async def _types(self, bench: Bench, modules: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
        """What the type checker says of the current tree and not of the base, and why it says nothing."""
        reports = []
        try:
            checker = await prepare_checker(bench, self.session.state.harness)
            for side in (Side.BASE, Side.CURRENT):
                tree = self.session.need_sides().tree(side)
                there = [name for name, path in modules.items() if path in tree]
                checkout = await to_thread.run_sync(self.session.checkout, side)
                reports.append(await check_types(bench, checker, checkout, there))
        except SandboxError as error:
            return (), str(error)
        problem = next((report.problem for report in reports if report.problem), "")
        return (() if problem else new_errors(*reports)), problem

    def append(
        self,
        tool: ProbeTool,
        side: Side,
        *,
        reason: str,
        parent: str | None = None,
        failure: str = "",
        **more: Any,
    ) -> ProbeEntry:
        """Keep one entry: ``source`` unless ``more`` says otherwise, ``environment`` if the call failed."""
        status = EvidenceStatus.ENVIRONMENT if failure else more.pop("evidence", EvidenceStatus.SOURCE)
        entry = ProbeEntry(
            id=self.session.ledger.next_id(),
            tool=tool,
            hypothesis_id=self.hypothesis.id,
            parent=parent,
            side=side,
            commit=self.session.need_sides().tree(side).commit,
            evidence=status,
            evidence_reason=failure or reason,
            failure=failure,
            **more,
        )
        return self.session.ledger.append(entry)

    def _path_of(self, module: str) -> str:
        sides = self.session.need_sides()
        symbols = (graph.symbols.get(module) for graph in (sides.current_graph, sides.base_graph))
        found = next((symbol.path for symbol in symbols if symbol is not None), "")
        if not found:
            raise AdmissionError(
                f"there is no module {module!r} at either commit", hint="name modules by their import names"
            )
        return found

    def _import_result(self, name: str, path: str, answers: dict[Side, dict[str, Imported]]) -> ImportResult:
        base, current = (answers.get(side, {}).get(name) for side in (Side.BASE, Side.CURRENT))
        return ImportResult(
            module=name,
            path=path,
            base=base.error if base is not None else None,
            current=current.error if current is not None else None,
            names_locus=current is not None and self._names_locus(current),
        )

    def _names_locus(self, answer: Imported) -> bool:
        """Whether an error speaks of the claim's locus, or of a module of the repository."""
        symbols = self.hypothesis.draft.locus.symbols
        names = {*symbols, *(symbol.rpartition(".")[2] for symbol in symbols)}
        own = answer.module.partition(".")[0]
        words = {word.strip(".") for word in _WORD.findall(answer.error)}
        missing = answer.name or ""
        return bool(names & words) or own in {
            missing.partition(".")[0],
            *(w.partition(".")[0] for w in words),
        }


def _tail(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")[-OUTPUT_CHARS:]
