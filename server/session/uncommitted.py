"""What is not committed, where a revision is asked for: the work tree, or what is staged."""

from __future__ import annotations

from pathlib import Path

from repo_guardian.errors import UsageError
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.pseudo_commit import WorktreeSnapshot, worktree_root
from repo_guardian.tools.git.source import Source
from repo_guardian.tools.git.staged import staged_snapshot
from repo_guardian.tools.git.worktree import snapshot

WORKTREE = "WORKTREE"
"""What names the uncommitted work tree where a revision is asked for."""

STAGED = "STAGED"
"""What names the index: what a commit made now would hold."""

SCOPES = {WORKTREE: Scope.WORKTREE, STAGED: Scope.STAGED}
SUBJECTS = {Scope.WORKTREE: "the work tree", Scope.STAGED: "what is staged"}
STORE = "worktree.git"
"""The object store of pseudo-commits, in a repository's state directory."""


def holding(mirror: Mirror, state: Path, source: Source, revision: str) -> Mirror:
    """The mirror; or the store of pseudo-commits, where ``revision`` is that of an earlier check.

    Raises:
        UsageError: ``revision`` is in neither: it names nothing, or what was checked is too long ago.
        EnvironmentFault: git failed.
    """
    try:
        mirror.resolve(revision)
    except UsageError:
        if not (state / STORE).is_dir():
            raise
        pseudo = Mirror(state / STORE, source.location)
        pseudo.resolve(revision)
        return pseudo
    return mirror


def take_uncommitted(
    scope: Scope, named: Path, source: Source, mirror: Mirror, *, state: Path, index: Path | None = None
) -> WorktreeSnapshot:
    """The work tree or the index of the repository at ``named``, as a pseudo-commit on HEAD. Blocking.

    Args:
        mirror: the repository's, after a sync.
        state: the repository's state directory.
        index: the index that git is about to commit, when a hook says so; only for ``STAGED``.

    Raises:
        UsageError: there is no work tree, HEAD has no commit, or ``scope`` is a commit.
        EnvironmentFault: git or the state directory cannot be used.
    """
    if scope is Scope.COMMIT:
        raise UsageError("a commit is committed", hint="name the work tree or what is staged")
    root = worktree_root(named, source)
    if scope is Scope.STAGED:
        return staged_snapshot(root, source, mirror, state / STORE, index=index)
    return snapshot(root, source, mirror, state / STORE)
