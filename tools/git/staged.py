"""What would be committed: the index as a pseudo-commit in an object store of ours.

The watched index is copied, compared with HEAD's tree by object names, and the blobs that only the watched
repository has are taken over as a pack. Nothing on disk is looked at, so no attribute and no filter can have
a say: the index holds what git would store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.objects import Change, parse_changes, tree_id
from repo_guardian.tools.git.pseudo_commit import (
    LeftOut,
    WorktreeSnapshot,
    common_directory,
    copied_index,
    opened_store,
    taken,
)
from repo_guardian.tools.git.source import Source

_GITLINK = "160000"


@dataclass(frozen=True, slots=True)
class StagedLimits:
    """Bounds of one snapshot: bytes in one blob, and in all blobs that have to be taken over."""

    blob_bytes: int = 16 * 1024**2
    total_bytes: int = 256 * 1024**2


def staged_snapshot(
    root: Path,
    source: Source,
    mirror: Mirror,
    store: Path,
    *,
    index: Path | None = None,
    limits: StagedLimits | None = None,
) -> WorktreeSnapshot:
    """Take the index of the work tree at ``root`` as a pseudo-commit on top of HEAD.

    Paths with a merge conflict, and blobs that are too large or missing, are listed and taken from HEAD.

    Args:
        root: from ``worktree_root``.
        source, mirror: the repository, and its mirror after a sync.
        store: where the object store is, or shall be.
        index: the index file that git is about to commit (a hook's ``GIT_INDEX_FILE``); one outside of the
            git directory belongs to another repository and is ignored.

    Raises:
        EmptyRepositoryError: HEAD has no commit.
        GitError: git failed, or the index cannot be read.
        StateDirError, DiskFullError, StateLockedError: the store cannot be written.
    """
    head = mirror.resolve("HEAD")
    watched = Path(source.url)
    with opened_store(store, mirror, watched, head) as git:
        chosen = index if index is not None and _lies_in(index, watched) else None
        return _Staging(git, root, head, watched, limits or StagedLimits()).take(chosen)


def _lies_in(index: Path, watched: Path) -> bool:
    try:
        return index.is_file() and index.resolve().is_relative_to(watched.resolve())
    except OSError:
        return False


class _Staging:
    """One snapshot while it is taken."""

    def __init__(self, git: Git, root: Path, head: str, watched: Path, limits: StagedLimits) -> None:
        self._git = git
        self._root = root
        self._head = head
        self._tree = tree_id(git, head)
        self._objects = common_directory(watched) / "objects"
        self._watched = watched
        self._limits = limits
        self._left_out: list[LeftOut] = []

    def take(self, index: Path | None) -> WorktreeSnapshot:
        copy = copied_index(self._git, self._watched, index)
        changes = self._changes(copy) if copy is not None else ()
        kept = self._readable(changes)
        ours = replace(self._git, index=self._git.git_dir / "staged-index")
        (self._git.git_dir / "staged-index").unlink(missing_ok=True)
        ours.run("read-tree", self._tree)
        ours.run("update-index", "-z", "--index-info", stdin=b"".join(map(_entry, kept)))
        tree = ours.run("write-tree").decode().strip()
        return taken(self._git, self._root, self._head, tree, head_tree=self._tree, left_out=self._left_out)

    def _changes(self, copy: Git) -> list[Change]:
        """What the index says differently from HEAD: conflicts are listed, entries to be added later none."""
        raw = copy.run(
            *("diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames"),
            *("--ignore-submodules=none", "--ita-invisible-in-index", self._tree, "--"),
        )
        conflicts: dict[bytes, LeftOut] = {}
        changes = []
        for change in parse_changes(raw):
            if change.status == "U":
                conflicts[change.path] = LeftOut(change.path, "it has a merge conflict")
            else:
                changes.append(change)
        self._left_out += conflicts.values()
        return [change for change in changes if change.path not in conflicts]

    def _readable(self, changes: Sequence[Change]) -> list[Change]:
        """The changes whose content can be had; their blobs are in the store then."""
        blobs = [c for c in changes if c.status != "D" and c.new_mode != _GITLINK]
        reasons = self._take_over([change.new_oid for change in blobs])
        refused = {change.path: reasons[change.new_oid] for change in blobs if change.new_oid in reasons}
        self._left_out += [LeftOut(path, reason) for path, reason in refused.items()]
        return [change for change in changes if change.path not in refused]

    def _take_over(self, oids: Sequence[str]) -> dict[str, str]:
        """Copy blobs that only the watched repository has; gives a reason for each that is left out."""
        known = self._sizes(self._git, oids)
        lacking = [oid for oid in dict.fromkeys(oids) if known[oid] is None]
        borrowing = replace(self._git, borrowed=self._objects)
        sizes = self._sizes(borrowing, lacking)
        reasons: dict[str, str] = {}
        wanted, room = [], self._limits.total_bytes
        for oid in lacking:
            size = sizes[oid]
            if size is None:
                reasons[oid] = "the repository has no object for it"
            elif size > min(self._limits.blob_bytes, room):
                reasons[oid] = f"staged and larger than {min(self._limits.blob_bytes, room)} bytes"
            else:
                room -= size
                wanted.append(oid)
        if wanted:
            names = "".join(f"{oid}\n" for oid in wanted).encode()
            pack = borrowing.run("pack-objects", "--stdout", "-q", "--window=0", "--threads=1", stdin=names)
            self._git.run("unpack-objects", "-q", stdin=pack)
        return reasons

    @staticmethod
    def _sizes(git: Git, oids: Sequence[str]) -> dict[str, int | None]:
        """Bytes of each blob, None for one that cannot be had."""
        if not oids:
            return {}
        names = "".join(f"{oid}\n" for oid in oids).encode()
        answer = git.run("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=names)
        sizes: dict[str, int | None] = {}
        for oid, line in zip(oids, answer.decode("ascii", "replace").splitlines(), strict=True):
            kind, _, size = line.partition(" ")
            sizes[oid] = int(size) if kind == "blob" else None
        return sizes


def _entry(change: Change) -> bytes:
    mode = "0" if change.status == "D" else change.new_mode
    return f"{mode} {change.new_oid}\t".encode() + change.path + b"\0"
