"""Reading outside of a cycle: one commit of a watched repository, its views, and its files.

Blocking, without FastMCP: the tools call it in threads, the command line directly. It takes no cycle's lock:
syncing a mirror and publishing a view lock for themselves, so that a search works while a cycle runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from repo_guardian.errors import EmptyRepositoryError, RevisionError, UsageError
from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.session.state_dir import StateDir, refuse_state_inside
from repo_guardian.server.session.trees import MirrorSource, Tree
from repo_guardian.tools.git.commits import CommitInfo
from repo_guardian.tools.git.dirtiness import Dirtiness, dirtiness
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.source import Source, locate

Narrate = Callable[[str], None]
"""Told what is being done, one short line."""

SUBJECT_CHARS = 200


@dataclass(frozen=True)
class Repository:
    """A watched repository whose mirror is up to date.

    Attributes:
        named: how the caller named it.
        head: full id of HEAD's commit, None when it has none.
    """

    named: str
    source: Source
    state: StateDir
    mirror: Mirror
    head: str | None

    def at(self, revision: str | None = None) -> Reading:
        """One commit of it; HEAD unless named.

        Raises:
            EmptyRepositoryError, RevisionError: there is no such commit.
        """
        return Reading(self, self.mirror.commit_info(self.mirror.resolve(revision or "HEAD")))

    @cached_property
    def work_tree(self) -> Dirtiness | None:
        """How the work tree stands to HEAD; None when that cannot be known."""
        if self.head is None:
            return None
        return dirtiness(Path(self.named), self.source, self.mirror.git)


@dataclass(frozen=True)
class Reading:
    """One commit of a repository."""

    repository: Repository
    info: CommitInfo

    @property
    def commit(self) -> str:
        """Its full id."""
        return self.info.id

    @cached_property
    def tree(self) -> Tree:
        """Its files."""
        return Tree(self.repository.mirror.git, self.commit, self.info.tree)

    @cached_property
    def as_of(self) -> AsOf:
        """What every answer says of itself."""
        work_tree = self.repository.work_tree
        return AsOf(
            repository=self.repository.source.location,
            commit=self.commit,
            subject=self.info.subject[:SUBJECT_CHARS],
            head=self.repository.head,
            dirty=None if work_tree is None else work_tree.dirty,
            changed_paths=0 if work_tree is None else work_tree.changed,
            untracked_paths=0 if work_tree is None else work_tree.untracked,
        )

    def source(self) -> MirrorSource:
        """The commit as the views want it."""
        return MirrorSource(self.repository.mirror.git, self.tree)


def open_repository(home: Path, named: str) -> Repository:
    """Bring the mirror of a repository up to date, and find its HEAD.

    Args:
        home: the state directory of all repositories.
        named: a path or an address.

    Raises:
        UsageError: it is no repository, or the state directory lies inside it.
        EnvironmentFault: git, the network or the state directory cannot be used.
    """
    source = locate(named)
    refuse_state_inside(home, source, named)
    state = StateDir(home, source.repository_id)
    mirror = Mirror.sync(source, state.mirror)
    try:
        head = mirror.resolve("HEAD")
    except (EmptyRepositoryError, RevisionError):
        head = None
    return Repository(named, source, state, mirror, head)


def watched(repositories: tuple[str, ...], named: str | None) -> str:
    """Which of a server's repositories is meant: the one named, or the only one.

    Raises:
        UsageError: it is not watched, or none is named and there are several.
    """
    known = ", ".join(repositories) or "nothing"
    if named is None and len(repositories) == 1:
        return repositories[0]
    if named is None:
        raise UsageError("this server watches several repositories", hint=f"name one of: {known}")
    if named not in repositories:
        raise UsageError(f"this server does not watch {named!r}", hint=f"it watches: {known}")
    return named
