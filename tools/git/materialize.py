"""Exact checkouts: a tree written from its blobs, byte for byte and mode for mode, then verified.

git's own checkout would apply filters, line endings, ``$Id$`` and export rules that a stranger's
``.gitattributes`` names; here no attribute is read. Every directory is opened without following links, every
file is created new, links come last, and the whole appears under its name only after the tree's object id
has been rebuilt from what lies on disk.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import GitError, MaterializeError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.faults import shown, state_fault
from repo_guardian.tools.git.objects import TreeEntry, tree_id, walk_tree
from repo_guardian.tools.git.paths import check_path, leads_outside, refused
from repo_guardian.tools.git.reader import ObjectReader
from repo_guardian.tools.git.verify import verify_tree

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_LINK_BYTES = 4095


@dataclass(frozen=True, slots=True)
class CheckoutLimits:
    """How large a checkout may be: entries (directories included), bytes in all files, bytes in one."""

    max_entries: int = 500_000
    max_total_bytes: int = 8 * 1024**3
    max_file_bytes: int = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class SymbolicLink:
    """A link that was written as it stands. ``escapes``: following it can leave the checkout."""

    path: bytes
    target: bytes
    escapes: bool


@dataclass(frozen=True, slots=True)
class Submodule:
    """A submodule, left as an empty directory; ``commit`` is the one that the tree names."""

    path: bytes
    commit: str


@dataclass(frozen=True, slots=True)
class CheckoutRecord:
    """What was written, and verified.

    Attributes:
        root: the checkout's directory.
        tree: object id of the tree that it equals.
        files: regular files; ``total_bytes`` is their size together.
        links, submodules: in tree order.
    """

    root: Path
    tree: str
    files: int
    total_bytes: int
    links: tuple[SymbolicLink, ...]
    submodules: tuple[Submodule, ...]


def materialize(
    git: Git, treeish: str, destination: Path, limits: CheckoutLimits | None = None
) -> CheckoutRecord:
    """Write the tree of ``treeish`` to ``destination``, which must not exist, and verify it.

    Files get mode 0644 or 0755 and directories 0755, whatever the umask.

    Raises:
        MaterializeError: the tree holds a path that must not be written or is too large, the destination
            exists, or what lies on disk is not the tree; nothing is left behind.
        GitError: an object is missing or malformed.
        StateDirError, DiskFullError: the disk refused.
    """
    destination = destination.absolute()
    limits = limits or CheckoutLimits()
    tree = tree_id(git, treeish)
    try:
        if os.path.lexists(destination):
            raise MaterializeError(f"{shown(destination)} exists already", hint="remove that checkout first")
        with _temporary_sibling(destination) as root:
            entries = _checked_entries(git, tree, limits)
            total_bytes = _write(git, entries, root, limits)
            verify_tree(root, tree, entries)
            root.rename(destination)
    except OSError as error:
        raise state_fault(error, destination) from error
    return _record(destination, tree, entries, total_bytes)


def remove_checkout(path: Path) -> None:
    """Delete a checkout, read-only directories included, following no link; nothing to do if it is gone.

    Raises:
        MaterializeError: ``path`` is not a directory.
        StateDirError: the disk refused.
    """
    try:
        if not os.path.lexists(path):
            return
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise MaterializeError(f"{shown(path)} is not a checkout", hint="remove it by hand")
        pending = [os.fspath(path)]
        while pending:
            directory = pending.pop()
            os.chmod(directory, 0o700)  # noqa: PTH101 - a str may hold any bytes; it was no link just now
            with os.scandir(directory) as children:
                pending += [child.path for child in children if child.is_dir(follow_symlinks=False)]
        shutil.rmtree(path)
    except OSError as error:
        raise state_fault(error, path) from error


@contextmanager
def _temporary_sibling(destination: Path) -> Iterator[Path]:
    """A new directory beside ``destination``, removed unless it was renamed away."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix=f".{destination.name[:40]}.new-", dir=destination.parent))
    try:
        root.chmod(0o755)
        yield root
    finally:
        remove_checkout(root)


def _checked_entries(git: Git, tree: str, limits: CheckoutLimits) -> list[TreeEntry]:
    """The whole tree, after every name in it was found fit to be written and to occur once."""
    entries: list[TreeEntry] = []
    seen: set[bytes] = set()
    for entry in walk_tree(git, tree, max_entries=limits.max_entries):
        check_path(entry.path, entry.name)
        if entry.path in seen:
            raise refused(entry.path, "it occurs twice")
        seen.add(entry.path)
        entries.append(entry)
    return entries


def _write(git: Git, entries: list[TreeEntry], root: Path, limits: CheckoutLimits) -> int:
    """Directories first, then files, then links, so that no link exists while anything is written."""
    for entry in entries:
        if entry.type in ("tree", "commit"):
            with _parent(root, entry.path) as (parent, name):
                os.mkdir(name, 0o755, dir_fd=parent)
                _set_directory_mode(parent, name)
    total_bytes = 0
    with ObjectReader(git) as reader:
        for entry in entries:
            if entry.is_file:
                total_bytes += _write_file(reader, entry, root, limits)
                if total_bytes > limits.max_total_bytes:
                    raise MaterializeError(f"the tree is larger than {limits.max_total_bytes} bytes")
        for entry in entries:
            if entry.mode == "120000":
                _write_link(reader, entry, root)
    return total_bytes


def _write_file(reader: ObjectReader, entry: TreeEntry, root: Path, limits: CheckoutLimits) -> int:
    header = reader.header(entry.oid)
    if header is not None and header.size > limits.max_file_bytes:
        raise refused(entry.path, f"{header.size} bytes, the limit is {limits.max_file_bytes}")
    header, pieces = reader.stream(entry.oid)
    if header.type != "blob":
        raise GitError(f"object {entry.oid} is a {header.type}, not a blob")
    with _parent(root, entry.path) as (parent, name):
        descriptor = os.open(name, _NEW_FILE, 0o600, dir_fd=parent)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)
        os.fchmod(file.fileno(), 0o755 if entry.mode == "100755" else 0o644)
    return header.size


def _write_link(reader: ObjectReader, entry: TreeEntry, root: Path) -> None:
    target = reader.read(entry.oid, "blob", limit_bytes=_MAX_LINK_BYTES)
    if not target or b"\0" in target:
        raise refused(entry.path, "the target of the link is empty or holds a NUL")
    with _parent(root, entry.path) as (parent, name):
        os.symlink(target, name, dir_fd=parent)


@contextmanager
def _parent(root: Path, path: bytes) -> Iterator[tuple[int, bytes]]:
    """A descriptor of the directory that holds ``path``, reached without following a link, and its name."""
    *directories, name = path.split(b"/")
    descriptor = os.open(root, _DIRECTORY)
    try:
        for directory in directories:
            inner = os.open(directory, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)


def _set_directory_mode(parent: int, name: bytes) -> None:
    descriptor = os.open(name, _DIRECTORY, dir_fd=parent)
    try:
        os.fchmod(descriptor, 0o755)
    finally:
        os.close(descriptor)


def _record(root: Path, tree: str, entries: list[TreeEntry], total_bytes: int) -> CheckoutRecord:
    targets = {
        entry.path: os.readlink(os.path.join(os.fsencode(root), entry.path))  # noqa: PTH115, PTH118 - bytes
        for entry in entries
        if entry.mode == "120000"
    }
    return CheckoutRecord(
        root=root,
        tree=tree,
        files=sum(entry.is_file for entry in entries),
        total_bytes=total_bytes,
        links=tuple(
            SymbolicLink(path, target, leads_outside(path, targets)) for path, target in targets.items()
        ),
        submodules=tuple(Submodule(e.path, e.oid) for e in entries if e.type == "commit"),
    )
