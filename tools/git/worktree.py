"""The uncommitted work tree as a pseudo-commit in an object store of our own.

What is on disk counts: staged, unstaged and untracked files alike. The watched repository is only read: its
index is copied, and everything else happens in ``worktree.git``, a bare repository of ours that borrows the
mirror's objects. No filter of the watched repository can run, since no driver is configured here that an
attribute could name, and no submodule is looked into, since git would start itself there under the
submodule's own configuration. Paths whose content on disk is not what git would store (``filter``, ``ident``
and ``working-tree-encoding`` attributes) cannot be compared without running such a filter, and are listed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from repo_guardian.errors import GitError, NotARepositoryError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.faults import shown, state_fault
from repo_guardian.tools.git.lock import exclusive
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.objects import Change, changed_paths, read_blobs, tree_id
from repo_guardian.tools.git.source import Source

_ATTRIBUTES = ("filter", "ident", "working-tree-encoding")
_UNSET = (b"unspecified", b"unset")
_GITLINK = b"160000"
_LOCAL_FILES = ("info/exclude", "info/attributes")
_LOCAL_FILE_BYTES = 1024**2


@dataclass(frozen=True, slots=True)
class WorktreeLimits:
    """Bounds of one snapshot: larger untracked files are listed instead of read, more of them refused."""

    untracked_bytes: int = 16 * 1024**2
    untracked_files: int = 50_000


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path (raw bytes) that differs or may differ from HEAD and was taken as it is there, and why."""

    path: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class WorktreeSnapshot:
    """The work tree of one moment.

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
        """Whether anything on disk differs from HEAD."""
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
    target = _small_file(entry).removeprefix(b"gitdir:").strip().decode(errors="surrogateescape")
    return (entry.parent / target).resolve()


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
    bounds = limits or WorktreeLimits()
    head = mirror.resolve("HEAD")
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(store.with_name(store.name + ".lock"), wait_s=60.0):
            _prepare(store, mirror, Path(source.url))
            return _Taking(Git(store, mirror.git.timeout_s, root), head, Path(source.url), bounds).take()
    except OSError as error:
        raise state_fault(error, store) from error


def _prepare(store: Path, mirror: Mirror, watched: Path) -> None:
    """Make the store, or take it over from an earlier snapshot; local excludes and attributes come along."""
    kind = mirror.git.run("rev-parse", "--show-object-format").decode().strip()
    git = Git(store, mirror.git.timeout_s)
    if git.attempt("rev-parse", "--show-object-format").stdout.decode().strip() != kind:
        shutil.rmtree(store, ignore_errors=True)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={kind}")
    for leftover in (*store.glob("*.lock"), *store.glob("sharedindex.*")):
        leftover.unlink(missing_ok=True)
    (store / "info").mkdir(exist_ok=True)
    (store / "objects/info").mkdir(exist_ok=True)
    (store / "objects/info/alternates").write_bytes(bytes(mirror.path / "objects") + b"\n")
    for name in _LOCAL_FILES:
        data = _small_file(_common_directory(watched) / name)
        (store / name).write_bytes(data)


def _common_directory(watched: Path) -> Path:
    """The git directory that linked worktrees share."""
    pointer = _small_file(watched / "commondir").strip()
    return watched / pointer.decode(errors="surrogateescape") if pointer else watched


def _small_file(path: Path) -> bytes:
    """A regular file's content; empty when it is missing, unreadable, too large or something else."""
    try:
        status = path.lstat()
        usable = S_ISREG(status.st_mode) and status.st_size <= _LOCAL_FILE_BYTES
        return path.read_bytes() if usable else b""
    except OSError:
        return b""


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
        changes = changed_paths(self._plain, self._head_tree, tree)
        left_out = tuple(sorted(self._left_out, key=lambda entry: entry.path))
        return WorktreeSnapshot(
            self._plain, self._root, self._head, self._commit(tree), tree, changes, left_out
        )

    def _watched_index(self) -> tuple[list[bytes], list[bytes]]:
        """Skip-worktree paths that are absent on disk, and files tracked beyond HEAD; from a copy."""
        try:
            copy = self._git.git_dir / "watched-index"
            shutil.copyfile(self._watched / "index", copy)
            for shared in self._watched.glob("sharedindex.*"):
                shutil.copyfile(shared, self._git.git_dir / shared.name)
        except OSError:
            return [], []  # no index yet, or none that we may read: what is on disk counts
        listed = replace(self._plain, index=copy).attempt("ls-files", "-z", "-t", "--stage")
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
        return [path for path in listed.split(b"\0") if path]

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
        """Take paths over from disk; one that cannot be read is left out by itself."""
        options = ("-z", "--add", "--remove", "--replace", "--stdin")
        if not paths or self._git.attempt("update-index", *options, stdin=_lines(paths)).code == 0:
            return
        for path in paths:
            outcome = self._git.attempt("update-index", *options, stdin=_lines([path]))
            if outcome.code != 0:
                self._left_out.append(LeftOut(path, f"git cannot read it: {_first_line(outcome.stderr)}"))

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

    def _commit(self, tree: str) -> str:
        """The time is HEAD's: one content on one HEAD has one name."""
        header = self._plain.run("cat-file", "commit", self._head).partition(b"\n\n")[0]
        committer = next((x for x in header.split(b"\n") if x.startswith(b"committer ")), b"0 +0000")
        when = b" ".join(committer.split(b" ")[-2:])
        who = b"work tree <work-tree@localhost> " + when
        lines = (b"tree " + tree.encode(), b"parent " + self._head.encode())
        text = b"\n".join((*lines, b"author " + who, b"committer " + who, b"", b"The work tree\n"))
        return self._plain.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text).decode().strip()

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
