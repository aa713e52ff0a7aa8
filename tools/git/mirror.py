"""The mirror: a bare copy of the watched repository, made so that nothing of it can run, and its commits.

The mirror is filled by a real pack transfer: no hard links, no alternates, none of the configuration,
hooks or attributes of the watched repository. Its refs keep their names; the watched HEAD, which may be on
no ref at all, becomes ``refs/guardian/HEAD``, and the mirror's own HEAD points there.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import EmptyRepositoryError, GitError, NoBaseError, RevisionError
from repo_guardian.tools.git.command import Git, fetch, list_remote
from repo_guardian.tools.git.commits import CommitInfo, parse_commit
from repo_guardian.tools.git.faults import read_fault, state_fault, write_fault
from repo_guardian.tools.git.lock import exclusive
from repo_guardian.tools.git.reader import OBJECT_ID, ObjectReader, parse_header
from repo_guardian.tools.git.source import Source, locate

__all__ = ["Base", "CommitInfo", "Mirror", "Source", "locate"]

HEAD_REF = "refs/guardian/HEAD"
MAX_COMMIT_BYTES = 4 * 1024**2
_HEAD_REFSPEC = f"+HEAD:{HEAD_REF}"
_REFSPECS = ("+refs/*:refs/*", "^refs/guardian/*", "^refs/replace/*")
# Code hosts publish every change request as a ref; they would multiply what is transferred.
_HOST_REFS = ("^refs/pull/*", "^refs/merge-requests/*", "^refs/keep-around/*", "^refs/changes/*")
_STALE = ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/tmp_*", "shallow_*")


@dataclass(frozen=True, slots=True)
class Base:
    """What a cycle compares with: a commit and its tree, or the empty tree (``commit`` is then None)."""

    commit: str | None
    tree: str


@dataclass(frozen=True, slots=True)
class _Remote:
    """What a source says about itself: the format of its objects and whether its HEAD has a commit."""

    object_format: str
    has_head: bool


class Mirror:
    """One mirror on disk; every method reads it only.

    Args:
        path: the bare repository.
        location: how error messages name the watched repository.
    """

    def __init__(self, path: Path, location: str = "the repository", *, timeout_s: float = 300.0) -> None:
        self.path = path.absolute()
        self.location = location
        self.git = Git(self.path, timeout_s)

    @classmethod
    def sync(
        cls, source: Source, mirror_dir: Path, *, timeout_s: float = 3600.0, lock_wait_s: float = 60.0
    ) -> Mirror:
        """Create the mirror, or bring it up to date: new, moved, forced and deleted refs.

        A new mirror is built beside its place and renamed, so that a killed first sync leaves none; a
        mirror that git can no longer use is built anew. The watched repository is only read.

        Args:
            mirror_dir: where the mirror is, or shall be; missing parents are created.
            timeout_s: limit of one transfer.
            lock_wait_s: how long to wait for another sync of the same mirror.

        Raises:
            TransportError, NotARepositoryError, RepositoryOwnershipError: the source cannot be read.
            GitError: it is damaged or a partial clone, or git failed.
            StateDirError, DiskFullError, StateLockedError: the mirror cannot be written.
        """
        mirror_dir = mirror_dir.absolute()
        remote = _ask(source, min(timeout_s, 120.0))
        try:
            mirror_dir.parent.mkdir(parents=True, exist_ok=True)
            with exclusive(mirror_dir.with_name(mirror_dir.name + ".lock"), wait_s=lock_wait_s) as lock_fd:
                _remove_leftovers(mirror_dir)
                if not _update(source, remote, Git(mirror_dir, timeout_s), lock_fd):
                    _create(source, remote, mirror_dir, timeout_s, lock_fd)
        except OSError as error:
            raise state_fault(error, mirror_dir) from error
        return cls(mirror_dir, source.location)

    @property
    def is_shallow(self) -> bool:
        """True when the history was cut off: commits beyond the cut are unknown."""
        return (self.path / "shallow").exists()

    def resolve(self, revision: str) -> str:
        """The full id of the commit that ``revision`` names; tags are peeled.

        Raises:
            EmptyRepositoryError: it rests on HEAD, and HEAD has no commit yet.
            RevisionError: it names no commit, more than one, or is not a revision.
        """
        asked = ascii(revision if len(revision) <= 100 else revision[:100] + "...")
        if not revision or revision[0] in "-^" or any(c in revision for c in "\0\n\r"):
            raise RevisionError(f"{asked} is not a revision", hint="name a commit, a branch or a tag")
        if commit := self._commit_named(revision):
            return commit
        if revision.startswith(("HEAD", "@")) and self._commit_named(HEAD_REF) is None:
            raise EmptyRepositoryError(
                f"{self.location} has no commit yet on its current branch",
                hint="commit something first, or name a commit of another branch",
            )
        raise RevisionError(f"{asked} names no single commit of {self.location}", hint=self._revision_hint())

    def base_of(self, commit: str, since: str | None = None) -> Base:
        """The commit that ``commit`` (a full id) is compared with: ``since``, else its first parent.

        A root commit is compared with the empty tree.

        Raises:
            NoBaseError: the parent lies beyond the cut of a shallow history.
            RevisionError: ``since`` names no commit.
        """
        if since is not None:
            base = self.resolve(since)
            return Base(base, self.commit_info(base).tree)
        parents = self.commit_info(commit).parents
        if not parents:
            return Base(None, self.empty_tree)
        with ObjectReader(self.git) as reader:
            header = reader.header(parents[0] + "^{tree}")
        if header is None:
            raise NoBaseError(
                f"the parent of {commit[:12]} is not in this shallow history",
                hint="run git fetch --unshallow (or --deepen=1) there, or name a base with --since",
            )
        return Base(parents[0], header.oid)

    def commit_info(self, commit: str) -> CommitInfo:
        """Author, times and subject of a commit given by its full id.

        Raises:
            GitError: the mirror has no such commit.
        """
        with ObjectReader(self.git) as reader:
            return parse_commit(commit, reader.read(commit, "commit", limit_bytes=MAX_COMMIT_BYTES))

    @property
    def empty_tree(self) -> str:
        """The name of the tree without entries, in this repository's object format."""
        return self.git.run("hash-object", "-t", "tree", "--stdin").decode().strip()

    def _commit_named(self, revision: str) -> str | None:
        name = revision.encode("utf-8", "surrogateescape")
        # Peeling also tells an abbreviated commit from a blob; the name alone is for ``:/text``, which
        # would swallow the suffix. Some names (``@{upstream}``) make git exit instead of answering.
        answer = self.git.attempt("cat-file", "--batch-check", stdin=b"%s^{commit}\n%s\n" % (name, name))
        headers = (parse_header(line) for line in answer.stdout.split(b"\n"))
        return next((header.oid for header in headers if header and header.type == "commit"), None)

    def _revision_hint(self) -> str:
        if self.is_shallow:
            return "the history is shallow: git fetch --unshallow there brings the rest"
        return "check the spelling; git log lists commits, git branch -a branches"


def _ask(source: Source, timeout_s: float) -> _Remote:
    """One round trip for the common case, two for a source whose HEAD has no commit."""
    for pattern in (("HEAD",), ()):
        outcome = list_remote(source.url, *pattern, local=source.local, timeout_s=timeout_s)
        if outcome.code != 0:
            raise read_fault(source.scrub(outcome.stderr), source.location)
        oid = outcome.stdout.partition(b"\t")[0].decode("ascii", "replace")
        if OBJECT_ID.fullmatch(oid):
            return _Remote("sha256" if len(oid) == 64 else "sha1", has_head=bool(pattern))
    return _Remote("sha1", has_head=False)


def _create(source: Source, remote: _Remote, mirror_dir: Path, timeout_s: float, lock_fd: int) -> None:
    temporary = Path(tempfile.mkdtemp(prefix=f".{mirror_dir.name}.new-", dir=mirror_dir.parent))
    try:
        git = Git(temporary, timeout_s)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={remote.object_format}")
        git.run("symbolic-ref", "HEAD", HEAD_REF)
        try:
            _transfer(source, remote, git, lock_fd)
        except _DamagedMirrorError as error:
            # A mirror that was empty a moment ago cannot be what is wrong.
            raise GitError(error.message, hint=error.hint) from error
        if mirror_dir.is_symlink() or mirror_dir.is_file():
            mirror_dir.unlink()
        elif mirror_dir.exists():
            mirror_dir.rename(temporary.with_name(temporary.name.replace(".new-", ".old-")))
        temporary.rename(mirror_dir)
    finally:
        _remove_leftovers(mirror_dir)


def _update(source: Source, remote: _Remote, git: Git, lock_fd: int) -> bool:
    """Fetch into an existing mirror; False when there is none, or it has to be built anew."""
    if not (git.git_dir / "HEAD").is_file():
        return False
    state = git.attempt("rev-parse", "--show-object-format")
    if state.code != 0 or state.stdout.decode().strip() != remote.object_format:
        return False
    for pattern in _STALE:
        for path in git.git_dir.glob(pattern):
            path.unlink(missing_ok=True)
    try:
        _transfer(source, remote, git, lock_fd)
    except _DamagedMirrorError:
        return False
    return True


class _DamagedMirrorError(GitError):
    """git failed on the mirror for a reason that a fresh mirror would not have."""


def _transfer(source: Source, remote: _Remote, git: Git, lock_fd: int) -> None:
    refspecs: Sequence[str] = _REFSPECS if source.local else _REFSPECS + _HOST_REFS
    if remote.has_head:
        refspecs = (_HEAD_REFSPEC, *refspecs)
    deepen = (git.git_dir / "shallow").exists()
    outcome = fetch(git, source.url, refspecs, local=source.local, deepen=deepen, lock_fd=lock_fd)
    if outcome.code != 0:
        raise _transfer_fault(source.scrub(outcome.stderr), source, git)
    if not remote.has_head:
        git.run("update-ref", "-d", HEAD_REF)
    # Loads the object behind every ref: a pack that was cut off or lost shows here, not cycles later.
    if git.attempt("for-each-ref", "--format=%(objecttype)").code != 0:
        raise _DamagedMirrorError("the mirror misses objects that its refs name")


def _transfer_fault(stderr: str, source: Source, git: Git) -> Exception:
    fault = write_fault(stderr, git.git_dir)
    if not isinstance(fault, GitError):
        return fault
    read = read_fault(stderr, source.location)
    return read if not isinstance(read, GitError) else _DamagedMirrorError(read.message, hint=read.hint)


def _remove_leftovers(mirror_dir: Path) -> None:
    """Delete what a killed sync left beside the mirror; call under the lock only."""
    for kind in ("new", "old"):
        for path in mirror_dir.parent.glob(f".{mirror_dir.name}.{kind}-*"):
            shutil.rmtree(path, ignore_errors=True)
