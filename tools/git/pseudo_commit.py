"""What is not committed, as a commit in an object store of ours: the store, and what every snapshot says.

The store is a bare repository that borrows the mirror's objects. ``worktree.py`` fills it from what is on
disk, ``staged.py`` from what is in the index. The watched repository is only read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISREG

from repo_guardian.errors import NotARepositoryError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.faults import state_fault
from repo_guardian.tools.git.lock import exclusive
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.objects import Change, changed_paths
from repo_guardian.tools.git.source import Source

_LOCAL_FILES = ("info/exclude", "info/attributes")
_LOCAL_FILE_BYTES = 1024**2
_SAMPLED_FOLDER = "17"
_SAMPLE_FULL = 27
"""git's own measure of too many loose objects: 6,700 of them, judged by one of the 256 folders."""
_KEPT_FOR = "14.days.ago"
_SHA1_DIGITS = 40


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path (raw bytes) that differs or may differ from HEAD and was taken as it is there, and why."""

    path: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class WorktreeSnapshot:
    """The work tree, or the index, of one moment.

    Attributes:
        git: reads its objects, and the mirror's.
        root: the work tree on disk.
        head: full id of the commit that it is compared with.
        commit: full id of the pseudo-commit, the same for equal content on the same HEAD.
        tree: full id of its tree.
        changes: what differs from HEAD, by path; end-of-line-only differences are none.
        not_comparable: paths whose content could not be told apart from HEAD's without running something.
    """

    git: Git
    root: Path
    head: str
    commit: str
    tree: str
    changes: tuple[Change, ...]
    not_comparable: tuple[LeftOut, ...]

    @property
    def is_dirty(self) -> bool:
        """Whether anything differs from HEAD."""
        return bool(self.changes or self.not_comparable)


def worktree_root(path: Path, source: Source) -> Path:
    """The work tree that ``path`` lies in.

    Found by its ``.git`` entry and not by asking git, whose answer ``core.worktree`` could send anywhere.

    Raises:
        NotARepositoryError: the source is remote or bare, so that there is no work tree.
    """
    start = path.resolve()
    for folder in (start, *start.parents) if source.local else ():
        entry = folder / ".git"
        if entry.is_dir() or entry.is_file():
            if _git_directory(entry) != Path(source.url).resolve():
                break
            return folder
    raise NotARepositoryError(
        f"{source.location} has no work tree here", hint="give a path inside the work tree, or name a commit"
    )


def _git_directory(entry: Path) -> Path:
    """What a ``.git`` entry stands for: itself, or the directory that a linked worktree's file names."""
    if entry.is_dir():
        return entry.resolve()
    target = small_file(entry).removeprefix(b"gitdir:").strip().decode(errors="surrogateescape")
    return (entry.parent / target).resolve()


@contextmanager
def opened_store(store: Path, mirror: Mirror, watched: Path, head: str) -> Iterator[Git]:
    """The store, made or taken over from an earlier snapshot, held alone for the length of the block.

    Args:
        store: where it is, or shall be.
        watched: the git directory, whose local excludes and attributes come along as data.
        head: full id of a commit of the mirror: the store has objects of the same format.

    Raises:
        GitError: git failed.
        StateDirError, DiskFullError, StateLockedError: the store cannot be written.
    """
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(store.with_name(store.name + ".lock"), wait_s=60.0):
            _prepare(store, mirror, watched, "sha1" if len(head) == _SHA1_DIGITS else "sha256")
            yield Git(store, mirror.git.timeout_s)
    except OSError as error:
        raise state_fault(error, store) from error


def _prepare(store: Path, mirror: Mirror, watched: Path, kind: str) -> None:
    git = Git(store, mirror.git.timeout_s)
    if git.attempt("rev-parse", "--show-object-format").stdout.decode().strip() != kind:
        shutil.rmtree(store, ignore_errors=True)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={kind}")
    for leftover in (*store.glob("*.lock"), *store.glob("sharedindex.*")):
        leftover.unlink(missing_ok=True)
    (store / "info").mkdir(exist_ok=True)
    (store / "objects/info").mkdir(exist_ok=True)
    (store / "objects/info/alternates").write_bytes(bytes(mirror.path / "objects") + b"\n")
    _cut_where(store, mirror)
    for name in _LOCAL_FILES:
        (store / name).write_bytes(small_file(common_directory(watched) / name))
    sample = store / "objects" / _SAMPLED_FOLDER
    if sample.is_dir() and sum(1 for _ in sample.iterdir()) > _SAMPLE_FULL:
        git.attempt("prune", f"--expire={_KEPT_FOR}")


def _cut_where(store: Path, mirror: Mirror) -> None:
    """The history ends where the mirror's does."""
    cut = store / "shallow"
    if mirror.is_shallow:
        shutil.copyfile(mirror.path / "shallow", cut)
    else:
        cut.unlink(missing_ok=True)


def common_directory(watched: Path) -> Path:
    """The git directory that linked worktrees share."""
    pointer = small_file(watched / "commondir").strip()
    return watched / pointer.decode(errors="surrogateescape") if pointer else watched


def small_file(path: Path) -> bytes:
    """A regular file's content; empty when it is missing, unreadable, too large or something else."""
    try:
        status = path.lstat()
        usable = S_ISREG(status.st_mode) and status.st_size <= _LOCAL_FILE_BYTES
        return path.read_bytes() if usable else b""
    except OSError:
        return b""


def copied_index(git: Git, watched: Path, index: Path | None = None) -> Git | None:
    """The store with a copy of the watched index in place of its own; None when there is none to be read.

    Args:
        watched: the git directory, which a split index is completed from.
        index: the index file; the one in ``watched`` when None.
    """
    try:
        copy = git.git_dir / "watched-index"
        shutil.copyfile(index or watched / "index", copy)
        for shared in watched.glob("sharedindex.*"):
            shutil.copyfile(shared, git.git_dir / shared.name)
    except OSError:
        return None
    return replace(git, work_tree=None, index=copy)


def taken(
    git: Git, root: Path, head: str, tree: str, *, head_tree: str, left_out: Iterable[LeftOut]
) -> WorktreeSnapshot:
    """The snapshot of ``tree`` on top of ``head``. Its commit has HEAD's time: equal content, one name."""
    plain = replace(git, work_tree=None, index=None)
    header = plain.run("cat-file", "commit", head).partition(b"\n\n")[0]
    committer = next((x for x in header.split(b"\n") if x.startswith(b"committer ")), b"0 +0000")
    who = b"work tree <work-tree@localhost> " + b" ".join(committer.split(b" ")[-2:])
    lines = (b"tree " + tree.encode(), b"parent " + head.encode(), b"author " + who, b"committer " + who)
    text = b"\n".join((*lines, b"", b"-\n"))  # a message with words in it would speak for intent
    commit = plain.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text).decode().strip()
    changes = changed_paths(plain, head_tree, tree)
    kept = tuple(sorted(left_out, key=lambda entry: entry.path))
    return WorktreeSnapshot(plain, root, head, commit, tree, changes, kept)
