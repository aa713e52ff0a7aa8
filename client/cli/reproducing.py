"""From an id to a proof made again: which report told it, by which test, and where to make it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from repo_guardian.client.cli.progress import Progress
from repo_guardian.client.cli.told import Told, find_told
from repo_guardian.client.loop.repro import Place, Proven, Reproduction, reproduce
from repo_guardian.errors import UsageError
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.server.session.reading import Repository, open_repository
from repo_guardian.server.session.uncommitted import SUBJECTS, take_uncommitted


@dataclass(frozen=True, slots=True)
class Asked:
    """A finding that is to be proven again, with its repository."""

    repository: Repository
    told: Told
    proven: Proven


def asked_for(home: Path, named: str, identifier: str) -> Asked:
    """What an id names, and the test that proved it. Blocking.

    Args:
        named: the repository, an absolute path or an address.

    Raises:
        UsageError: it names nothing, or what no test was written for.
        EnvironmentFault: the repository or the state directory cannot be read.
    """
    repository = open_repository(home, named)
    told = find_told(repository.state, identifier, with_test=True)
    if not told.tests:
        raise UsageError(
            f"no test was written for {told.key} by {told.where}",
            hint="guardian check without --fast and --no-investigate tries to prove it",
        )
    # The last one counts: a test that did not do is followed by the next candidate.
    test = told.tests[-1]
    kinds = tuple(signal.kind for signal in told.hypothesis.signals) if told.hypothesis is not None else ()
    return Asked(repository, told, Proven(told.draft, test.test_source, test.test_id, kinds))


def prove_again(asked: Asked, sandbox: str) -> Reproduction:
    """Prove it where it was proven, and where the repository stands now. Blocking.

    Raises:
        GuardianError: a place cannot be looked at, or the sandbox fails.
    """
    import anyio

    with Progress() as progress:
        return anyio.run(_run, asked, _places(asked), sandbox, progress)


def _places(asked: Asked) -> list[Place]:
    """Where it was proven; HEAD, and for a check what is not committed now, where they are something else."""
    cycle, repository = asked.told.report.cycle, asked.repository
    first = "as it was checked" if cycle.scope is not Scope.COMMIT else f"at {cycle.commit[:12]}"
    places = [Place(first, cycle.commit, cycle.base)]
    if repository.head is not None and repository.head not in (cycle.commit, cycle.base):
        places.append(Place(f"at HEAD, {repository.head[:12]}", repository.head, cycle.base))
    if cycle.scope is not Scope.COMMIT and repository.head is not None:
        now = take_uncommitted(
            cycle.scope,
            Path(repository.named),
            repository.source,
            repository.mirror,
            state=repository.state.root,
        )
        if now.is_dirty and now.commit != cycle.commit:
            places.append(Place(f"{SUBJECTS[cycle.scope]} as it is now", None, cycle.base, cycle.scope))
    return places


async def _run(asked: Asked, places: list[Place], sandbox: str, progress: Progress) -> Reproduction:
    from fastmcp import Client

    from repo_guardian.client.cli.progress import quiet_libraries
    from repo_guardian.client.toolbox import Toolbox
    from repo_guardian.server.app import build_server
    from repo_guardian.server.settings import ServerSettings

    quiet_libraries()
    repository = asked.repository
    settings = ServerSettings(home=repository.state.home, repositories=(repository.named,), sandbox=sandbox)
    async with Client(build_server(settings)) as client:
        toolbox = Toolbox(client, progress.observe)
        return await reproduce(toolbox, repository.named, asked.proven, places, progress.narrate)
