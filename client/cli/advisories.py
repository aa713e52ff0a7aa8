"""What ``guardian advisories`` puts together: the repository's commit, the user's database, the sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from repo_guardian.errors import SandboxUnavailableError

if TYPE_CHECKING:
    from repo_guardian.tools.advisories.interface import AdvisoryReport


@dataclass(frozen=True, slots=True)
class Wanted:
    """One call; see the command's help. ``home`` is absolute, ``as_of`` has a time zone."""

    repository: str
    revision: str | None
    database: Path
    home: Path
    sandbox: str
    resolve: bool
    everywhere: bool
    offline: bool
    max_age: timedelta
    as_of: datetime


async def look_up(wanted: Wanted, narrate: Callable[[str], None]) -> AdvisoryReport:
    """Read the commit's declarations, open the database, run the scanner, judge.

    Raises:
        UsageError: the repository, the revision or the database is none.
        SandboxUnavailableError: there is nowhere to run the scanner.
        EnvironmentFault: git, the disk, or the scanner's own toolchain cannot be used.
    """
    from anyio import to_thread

    from repo_guardian.server.session.reading import open_repository
    from repo_guardian.tools.advisories.assess import Policy, Target, assess
    from repo_guardian.tools.advisories.database import open_database
    from repo_guardian.tools.advisories.declared import gather_declarations
    from repo_guardian.tools.advisories.resolve import Resolved, resolve_versions
    from repo_guardian.tools.execution.capability import find_capability

    capability = await find_capability(wanted.sandbox)
    if capability.backend is None:
        raise SandboxUnavailableError(capability.note, hint="see guardian sandbox selftest")
    narrate("bringing the mirror up to date")
    repository = await to_thread.run_sync(open_repository, wanted.home, wanted.repository)
    reading = repository.at(wanted.revision)
    committed_at = datetime.fromtimestamp(reading.info.committer_time, UTC)
    resolved = Resolved(None)
    if wanted.resolve:
        narrate("resolving what is not pinned")
        resolved = await resolve_versions(
            reading.tree.read,
            capability.backend,
            as_of=committed_at,
            harness_root=repository.state.harness,
            site_root=repository.state.toolchain,
        )
    declarations = gather_declarations(
        reading.tree.read,
        list(reading.tree.entries),
        resolved=resolved.versions,
        everywhere=wanted.everywhere,
        problems=resolved.problems,
    )
    narrate("opening the database")
    with open_database(wanted.database, wanted.home) as database:
        return await assess(
            Target(repository.source.location, reading.commit, committed_at),
            declarations,
            database,
            Policy(wanted.as_of, wanted.max_age, wanted.offline),
            backend=capability.backend,
            scanners=repository.state.harness,
            narrate=narrate,
        )
