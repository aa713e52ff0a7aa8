"""The uncommitted work tree as a pseudo-commit in an object store of our own.

What is on disk counts: staged, unstaged and untracked files alike. The watched repository is only read: its
index is copied, and everything else happens in ``worktree.git``, a bare repository of ours that borrows the
mirror's objects. No filter of the watched repository can run, since no driver is configured here that an
attribute could name, and no submodule is looked into, since git would start itself there under the
submodule's own configuration. Paths whose content on disk is not what git would store (``filter``, ``ident``
and ``working-tree-encoding`` attributes) cannot be compared without running such a filter, and are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.faults import shown
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.objects import Change, changed_paths, read_blobs, tree_id
from repo_guardian.tools.git.pseudo_commit import (
    LeftOut,
    WorktreeSnapshot,
    copied_index,
    opened_store,
    taken,
    worktree_root,
)
from repo_guardian.tools.git.source import Source

__all__ = ["LeftOut", "WorktreeLimits", "WorktreeSnapshot", "snapshot", "worktree_root"]

_ATTRIBUTES = ("filter", "ident", "working-tree-encoding")
_UNSET = (b"unspecified", b"unset")
_GITLINK = b"160000"


@dataclass(frozen=True, slots=True)
class WorktreeLimits:
    """Bounds of one snapshot: larger files are listed instead of read, more untracked ones refused."""

    untracked_bytes: int = 16 * 1024**2
    untracked_files: int = 50_000
    tracked_bytes: int = 256 * 1024**2


def snapshot(
    root: Path, source: Source, mirror: Mirror, store: Path, limits: WorktreeLimits | None = None
) -> WorktreeSnapshot:
    """Take the work tree at ``root`` as a pseudo-commit on top of HEAD.

    Args:
        root: from ``worktree_root``.
        source, mirror: the repository, and its mirror after a sync.
        store: where ``worktree.git`` is, or shall be.

    Raises:
        EmptyRepositoryError: HEAD has no commit.
        GitError: git failed, or there are more untracked files than the limit.
        StateDirError, DiskFullError, StateLockedError: the store cannot be written.
    """
    head = mirror.resolve("HEAD")
    watched = Path(source.url)
    with opened_store(store, mirror, watched, head) as git:
        return _Taking(replace(git, work_tree=root), head, watched, limits or WorktreeLimits()).take()


class _Taking:
    """One snapshot while it is taken."""

    def __init__(self, git: Git, head: str, watched: Path, limits: WorktreeLimits) -> None:
        self._git = git
        self._plain = replace(git, work_tree=None)
        self._root = git.work_tree or git.git_dir
        self._head = head
        self._head_tree = tree_id(self._plain, head)
        self._watched = watched
        self._limits = limits
        self._left_out: list[LeftOut] = []

    def take(self) -> WorktreeSnapshot:
        hidden, tracked = self._watched_index()
        self._start_index(hidden)
        self._update(self._differing())
        self._update([*self._untracked(), *self._present(tracked)])
        self._restore_what_cannot_be_compared()
        tree = self._write_tree()
        if hidden:  # the next snapshot must not inherit the marks
            (self._git.git_dir / "index").unlink()
        return taken(
            self._plain, self._root, self._head, tree, head_tree=self._head_tree, left_out=self._left_out
        )

    def _watched_index(self) -> tuple[list[bytes], list[bytes]]:
        """Skip-worktree paths that are absent on disk, and files tracked beyond HEAD; from a copy."""
        copy = copied_index(self._git, self._watched)
        if copy is None:
            return [], []  # no index yet, or none that we may read: what is on disk counts
        listed = copy.attempt("ls-files", "-z", "-t", "--stage")
        hidden, tracked = [], []
        for record in listed.stdout.split(b"\0")[:-1]:
            head, _, path = record.partition(b"\t")
            mark, mode = head.split(b" ", 2)[:2]
            if mode == _GITLINK:
                continue
            if mark == b"S" and not self._exists(path):
                hidden.append(path)
            tracked.append(path)
        return hidden, tracked

    def _start_index(self, hidden: Sequence[bytes]) -> None:
        """Our index holds HEAD; it keeps what it knows of files on disk from the snapshot before."""
        if hidden or self._git.attempt("read-tree", "-m", self._head_tree).code != 0:
            (self._git.git_dir / "index").unlink(missing_ok=True)
            self._git.run("read-tree", self._head_tree)
        self._git.attempt("update-index", "-q", "--really-refresh", "--ignore-submodules")
        if hidden:
            known = set(self._git.run("ls-files", "-z").split(b"\0"))
            names = _lines(path for path in hidden if path in known)
            self._git.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=names)

    def _differing(self) -> list[bytes]:
        """Paths of our index whose file on disk differs or is gone."""
        listed = self._git.run("diff-files", "--name-only", "-z", "--ignore-submodules=all", "--no-ext-diff")
        return [path for path in listed.split(b"\0") if path and not self._is_absurd(path)]

    def _is_absurd(self, path: bytes) -> bool:
        """Whether a tracked path has become a file too large to be read for a comparison."""
        try:
            status = self._on_disk(path).lstat()
        except OSError:
            return False
        limit = self._limits.tracked_bytes
        if S_ISREG(status.st_mode) and status.st_size > limit:
            self._left_out.append(LeftOut(path, f"larger than {limit} bytes"))
            return True
        return False

    def _untracked(self) -> list[bytes]:
        listed = self._git.run("ls-files", "-z", "--others", "--exclude-standard", "--exclude=/.git")
        paths = [path for path in listed.split(b"\0") if path and not path.endswith(b"/")]
        if len(paths) > self._limits.untracked_files:
            raise GitError(
                f"the work tree has {len(paths)} untracked files, more than {self._limits.untracked_files}",
                hint="list them in .gitignore, or name a commit instead of the work tree",
            )
        return [path for path in paths if self._is_small(path)]

    def _is_small(self, path: bytes) -> bool:
        try:
            status = self._on_disk(path).lstat()
        except OSError:
            return False
        if S_ISREG(status.st_mode) and status.st_size > self._limits.untracked_bytes:
            limit = self._limits.untracked_bytes
            self._left_out.append(LeftOut(path, f"untracked and larger than {limit} bytes"))
            return False
        return S_ISREG(status.st_mode) or S_ISLNK(status.st_mode)

    def _present(self, tracked: Sequence[bytes]) -> list[bytes]:
        """Tracked files that HEAD does not have: added with ``git add``, ignored ones by force."""
        known = set(self._git.run("ls-files", "-z").split(b"\0"))
        return [path for path in tracked if path not in known and self._is_small(path)]

    def _update(self, paths: Sequence[bytes]) -> None:
        """Take paths over from disk; those that cannot be read are found by halving, and left out."""
        options = ("-z", "--add", "--remove", "--replace", "--stdin")
        if not paths:
            return
        outcome = self._git.attempt("update-index", *options, stdin=_lines(paths))
        if outcome.code == 0:
            return
        if len(paths) == 1:
            self._left_out.append(LeftOut(paths[0], f"git cannot read it: {_first_line(outcome.stderr)}"))
            return
        self._update(paths[: len(paths) // 2])
        self._update(paths[len(paths) // 2 :])

    def _restore_what_cannot_be_compared(self) -> None:
        """Put HEAD's entries back where a difference says nothing."""
        changes = changed_paths(self._plain, self._head_tree, self._write_tree())
        present = [change for change in changes if change.status != "D"]
        reasons = self._attribute_reasons([change.path for change in present])
        self._left_out += [LeftOut(path, reason) for path, reason in reasons.items()]
        same = {c.path for c in present if c.status == "M" and self._differs_in_line_ends_only(c)}
        for change in present:
            if change.path in reasons or change.path in same:
                self._restore(change)

    def _restore(self, change: Change) -> None:
        removed = b"0 %s\t%s\0" % (b"0" * len(change.old_oid), change.path)
        old = b"%s %s\t%s\0" % (change.old_mode.encode(), change.old_oid.encode(), change.path)
        entry = removed if change.status == "A" else old
        self._git.run("update-index", "-z", "--index-info", stdin=entry)

    def _attribute_reasons(self, paths: Sequence[bytes]) -> dict[bytes, str]:
        if not paths:
            return {}
        answer = self._git.run("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=_lines(paths))
        fields = answer.split(b"\0")[:-1]
        found: dict[bytes, str] = {}
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
            if value not in _UNSET:
                text = f"{name.decode()}={shown(Path(value.decode(errors='replace')))}"
                found.setdefault(path, f"the attribute {text} says that git stores it otherwise")
        return found

    def _differs_in_line_ends_only(self, change: Change) -> bool:
        if change.old_oid == change.new_oid:
            return False
        blobs = read_blobs(self._plain, (change.old_oid, change.new_oid))
        old, new = (None if blob.data is None else blob.data.replace(b"\r\n", b"\n") for blob in blobs)
        return old is not None and old == new

    def _write_tree(self) -> str:
        return self._git.run("write-tree").decode().strip()

    def _exists(self, path: bytes) -> bool:
        try:
            return not S_ISDIR(self._on_disk(path).lstat().st_mode)
        except OSError:
            return False

    def _on_disk(self, path: bytes) -> Path:
        return self._root / path.decode(errors="surrogateescape")


def _lines(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]
