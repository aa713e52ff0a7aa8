"""Building, listing, verifying and collecting a repository's views, as ``guardian views`` asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from repo_guardian.memory_store.lock import lock
from repo_guardian.server.contract.views import (
    CommitViews,
    ViewsBuilt,
    ViewsCollected,
    ViewsStatus,
    ViewState,
    ViewsVerified,
)
from repo_guardian.server.session.answers import Page, within
from repo_guardian.server.session.published import Published, described
from repo_guardian.server.session.reading import Narrate, Reading, Repository
from repo_guardian.tools.git.history import first_parents
from repo_guardian.tools.views import maintenance
from repo_guardian.tools.views.capabilities import CAPABILITIES
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.publish import refresh
from repo_guardian.tools.views.published import read_manifest


def build_commits(
    repository: Repository, revisions: Sequence[str], *, last: int, views: Sequence[str], narrate: Narrate
) -> ViewsBuilt:
    """Build the views of commits, the oldest first, each starting from the one before it.

    Args:
        revisions: HEAD when there are none.
        last: how many commits up to each of them, along first parents.

    Raises:
        UsageError: a revision names no commit, or there is no such view.
        EnvironmentFault: the mirror or the state directory cannot be used.
    """
    commits: dict[str, None] = {}
    for revision in revisions or ("HEAD",):
        tip = repository.mirror.resolve(revision)
        commits.update(dict.fromkeys(reversed(first_parents(repository.mirror.git, tip, last))))
    built = []
    for number, commit in enumerate(commits, 1):
        narrate(f"building the views of {commit[:12]} ({number} of {len(commits)})")
        built.append(_build(Reading(repository, repository.mirror.commit_info(commit)), views))
    return ViewsBuilt(repository=repository.source.location, built=tuple(built))


def _build(reading: Reading, views: Sequence[str]) -> CommitViews:
    root = reading.repository.state.root
    made = refresh(reading.source(), root, BuildOptions(views=tuple(views)))
    found = read_manifest(root, reading.commit)
    return described(found, reading.info.subject).model_copy(update={"reused": made.reused})


def views_status(home: Path, named: str, page: Page) -> ViewsStatus:
    """A page of the commits that have views, the latest built first, and what all of them take.

    Args:
        home: the state directory of all repositories.
        named: the repository, a path or an address; it is not contacted.

    Raises:
        UsageError: it is no repository.
        StateDirError: the state directory cannot be read.
    """
    published = Published(home, named)
    status = maintenance.status(published.root)
    commits = [found.commit for found in status.commits]
    wanted = commits[page.offset : page.offset + page.limit]
    items = within([published.described(commit) for commit in wanted], page.chars)
    following = page.offset + len(items)
    return ViewsStatus(
        repository=published.location,
        head=published.head,
        total=len(commits),
        items=items,
        disk_bytes={"packs": status.pack_bytes, "facts": status.facts_bytes},
        unused_bytes=status.unused_bytes,
        capabilities=CAPABILITIES,
        next_offset=following if items and following < len(commits) else None,
    )


def verify_views(home: Path, named: str, revision: str | None, *, narrate: Narrate) -> ViewsVerified:
    """Check every file, shard, table and digest of one commit's views, or of all.

    Raises:
        UsageError: it is no repository, or ``revision`` names no commit.
        StateDirError: the state directory cannot be read.
    """
    published = Published(home, named)
    commits = (
        (published.resolve(revision),) if revision is not None else maintenance.published(published.root)
    )
    found = []
    for number, commit in enumerate(commits, 1):
        narrate(f"verifying the views of {commit[:12]} ({number} of {len(commits)})")
        problems = maintenance.verify(published.root, commit)
        found.append(published.described(commit, [problem.what for problem in problems]))
    whole = all(item.state is not ViewState.DAMAGED for item in found)
    return ViewsVerified(repository=published.location, whole=whole, commits=tuple(found))


def collect_views(home: Path, named: str, *, keep: int) -> ViewsCollected:
    """Remove the views of all but the ``keep`` commits that were built last, and what only they needed.

    Raises:
        UsageError: it is no repository.
        StateLockedError: a cycle of it is running.
        StateDirError: the state directory cannot be used.
    """
    published = Published(home, named)
    if not published.root.is_dir():
        return ViewsCollected(repository=published.location)
    with lock(published.root):
        freed = maintenance.gc(published.root, keep)
    return ViewsCollected(
        repository=published.location,
        kept=maintenance.published(published.root),
        removed=freed.commits,
        packs=freed.packs,
        facts=freed.facts,
        freed_bytes=freed.bytes,
    )
