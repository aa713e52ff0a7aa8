"""The entry: what a tree depends on, looked up in a database, judged and put into one report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from anyio import to_thread

from repo_guardian.sandbox.interface import Backend
from repo_guardian.sandbox.toolchain.index import Offers, index_offers
from repo_guardian.tools.advisories.database import OpenDatabase
from repo_guardian.tools.advisories.interface import AdvisoryReport, Declarations, Judgement
from repo_guardian.tools.advisories.judge import Grounds, judge
from repo_guardian.tools.advisories.scanner import Scan, facts_of, prepare_scanner, run_scanner

MAX_AGE = timedelta(days=7)
"""How old a database may be for "nothing was found" to count. Grype, which faces the same question, stops at
five days (``db.max-allowed-built-age: 120h``, https://oss.anchore.com/docs/reference/grype/configuration/);
here the age is that of the last commit, which may be some days older than the clone."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked at: the repository as named, the commit, and when it was committed."""

    repository: str
    commit: str
    committed_at: datetime


@dataclass(frozen=True, slots=True)
class Policy:
    """What is asked.

    Attributes:
        as_of: the moment of which is spoken.
        max_age: of a database that may prove that nothing is known.
        offline: ask no package index.
    """

    as_of: datetime
    max_age: timedelta = MAX_AGE
    offline: bool = False

    @classmethod
    def today(cls) -> Policy:
        """As of now."""
        return cls(datetime.now(UTC))


async def assess(
    target: Target,
    declarations: Declarations,
    database: OpenDatabase,
    policy: Policy,
    *,
    backend: Backend,
    scanners: Path,
    narrate: Callable[[str], None] = lambda _: None,
) -> AdvisoryReport:
    """Scan what is pinned, ask the index what there is instead, and judge every package.

    Args:
        scanners: the folder that the pinned scanner is kept in.
        narrate: told what is being done.

    Raises:
        ToolchainError: the scanner cannot be had.
        SandboxError: the sandbox could not be opened.
    """
    pins = list(dict.fromkeys((one.name, one.version) for one in declarations.subjects if one.version))
    narrate("providing the scanner")
    scanner = await prepare_scanner(backend, scanners)
    narrate(f"looking {len(pins)} packages up")
    scan = await run_scanner(backend, scanner, database, pins)
    offers = await _offers(pins, policy, narrate)
    facts = facts_of(database, scan.answer)
    failure = f"the scanner failed: {scan.failure}" if scan.failure else ""
    grounds = Grounds(facts, policy.as_of, policy.max_age, offers, failure)
    return AdvisoryReport(
        repository=target.repository,
        commit=target.commit,
        committed_at=target.committed_at,
        as_of=policy.as_of,
        database=facts,
        judgements=_judged(declarations, scan, grounds),
        scanner=scan.answer.scanner if scan.answer is not None else "",
        sandbox=backend.name,
        index="not asked (--offline)" if offers is None else offers.problem,
        failure=failure,
        problems=(*declarations.problems, *_unanswered(offers)),
        unread=declarations.unread,
    )


async def _offers(
    pins: list[tuple[str, str]], policy: Policy, narrate: Callable[[str], None]
) -> Offers | None:
    if policy.offline:
        return None
    narrate("asking the package index")
    return await to_thread.run_sync(index_offers, dict.fromkeys(name for name, _ in pins))


def _judged(declarations: Declarations, scan: Scan, grounds: Grounds) -> tuple[Judgement, ...]:
    entries = {(e.name, e.version): e for e in scan.answer.packages} if scan.answer is not None else {}
    return tuple(judge(one, entries.get((one.name, one.version)), grounds) for one in declarations.subjects)


def _unanswered(offers: Offers | None) -> list[str]:
    if offers is None or offers.problem:
        return []
    return [f"{name}: {problem}" for name, problem in offers.problems.items()]
