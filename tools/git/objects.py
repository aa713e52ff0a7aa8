"""Trees, blobs, and the difference between two trees, read from the mirror.

Trees are parsed here rather than by ``ls-tree``, which rewrites historical modes (``100664`` becomes
``100644``) and dies on malformed entries: a checkout is verified against what is really in the object.
Tree format: git's Documentation/technical/pack-format and ``tree-walk.c``: ``<octal mode> SP <name> NUL
<raw object id>``, repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from stat import S_IFDIR, S_IFLNK, S_IFMT, S_IFREG

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.reader import OBJECT_ID, ObjectReader, missing

GITLINK = 0o160000
"""The file type of a submodule's entry."""

MAX_ENTRIES = 1_000_000
MAX_TREE_BYTES = 64 * 1024**2
MAX_BLOB_BYTES = 16 * 1024**2
_TYPES = {S_IFREG: "blob", S_IFLNK: "blob", S_IFDIR: "tree", GITLINK: "commit"}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree.

    Attributes:
        mode: six octal digits as git shows them: 100644, 100755, 120000 (symbolic link), 160000
            (submodule) or 040000 (tree).
        type: blob, commit (a submodule) or tree.
        oid: object name, full.
        path: from the root of the tree, raw bytes, separated by ``/``.
        name: the last component of ``path`` as it stands in the tree object. A malformed tree may hold a
            name with a slash in it, which ``path`` alone would not show.
        raw_mode: the digits as they stand in the tree object; old trees hold others, e.g. ``100664``.
    """

    mode: str
    type: str
    oid: str
    path: bytes
    name: bytes
    raw_mode: bytes

    @property
    def is_file(self) -> bool:
        """True for a regular file: neither link, submodule nor tree."""
        return self.mode in ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Blob:
    """One blob's content; ``data`` is None when ``size`` (bytes) was above the limit that was asked for."""

    oid: str
    size: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs between two trees.

    ``status`` is A, D, M, T (type changed), R or C; modes are six octal digits and object names full,
    all zeros on the side where the path is absent. ``old_path`` and ``similarity`` (percent) are set for
    R and C only; for every other status the path is the same on both sides.
    """

    status: str
    old_mode: str
    new_mode: str
    old_oid: str
    new_oid: str
    path: bytes
    old_path: bytes | None = None
    similarity: int | None = None


@dataclass(frozen=True, slots=True)
class FileStat:
    """Lines added and deleted at one path; both None for a file that git takes for binary."""

    path: bytes
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True)
class DiffStat:
    """Line counts per path, sorted by path, and ``hunks``: contiguous runs of changed lines in all files.

    A hunk is counted without context lines. Binary files, and changes of mode alone, have none.
    """

    files: tuple[FileStat, ...]
    hunks: int

    @property
    def added(self) -> int:
        """Lines added in all text files."""
        return sum(f.added or 0 for f in self.files)

    @property
    def deleted(self) -> int:
        """Lines deleted in all text files."""
        return sum(f.deleted or 0 for f in self.files)


def object_format(git: Git) -> str:
    """``sha1`` or ``sha256``: the hash that names the objects of this repository."""
    return git.run("rev-parse", "--show-object-format").decode().strip()


def tree_id(git: Git, treeish: str) -> str:
    """The object name of the tree that ``treeish`` (an object name or ``HEAD``-like expression) peels to.

    Raises:
        GitError: it names no tree in the mirror.
    """
    with ObjectReader(git) as reader:
        header = reader.header(treeish + "^{tree}")
    if header is None:
        raise missing(repr(treeish))
    return header.oid


def parse_tree(data: bytes, hash_bytes: int, prefix: bytes = b"") -> Iterator[TreeEntry]:
    """The entries of one raw tree object, in its order; ``prefix`` (with its slash) precedes each path.

    Raises:
        GitError: the object is malformed, or an entry has a mode that git never writes.
    """
    position = 0
    while position < len(data):
        space = data.find(b" ", position)
        end = data.find(b"\0", space)
        if space < 0 or end < 0 or end + 1 + hash_bytes > len(data):
            raise GitError("a tree object is truncated or malformed")
        raw_mode = data[position:space]
        if not raw_mode.isdigit() or b"8" in raw_mode or b"9" in raw_mode or len(raw_mode) > 8:
            raise GitError(f"a tree entry has the mode {raw_mode!r}")
        mode = int(raw_mode, 8)
        kind = S_IFMT(mode)
        if kind not in _TYPES or mode > 0o177777:
            raise GitError(f"a tree entry has the mode {raw_mode.decode()}")
        position = end + 1 + hash_bytes
        oid = data[end + 1 : position].hex()
        name = data[space + 1 : end]
        yield TreeEntry(_canonical(mode), _TYPES[kind], oid, prefix + name, name, raw_mode)


def walk_tree(
    git: Git, treeish: str, *, max_entries: int = MAX_ENTRIES, seen: dict[str, bytes] | None = None
) -> Iterator[TreeEntry]:
    """All entries below ``treeish``, trees included and each before its content, in tree order.

    Args:
        seen: contents of trees by object name, as far as they are known; those that are read are added.

    Raises:
        GitError: no such tree, a malformed or missing one, or more than ``max_entries`` entries.
    """
    count = 0
    with ObjectReader(git) as reader:
        header = reader.header(treeish + "^{tree}")
        if header is None:
            raise missing(repr(treeish))
        hash_bytes = len(header.oid) // 2
        pending = [parse_tree(_tree_content(reader, header.oid, seen), hash_bytes)]
        while pending:
            entry = next(pending[-1], None)
            if entry is None:
                pending.pop()
                continue
            count += 1
            if count > max_entries:
                raise GitError(
                    f"tree {header.oid} has more than {max_entries} entries", hint="it may be a tree bomb"
                )
            yield entry
            if entry.type == "tree":
                data = _tree_content(reader, entry.oid, seen)
                pending.append(parse_tree(data, hash_bytes, entry.path + b"/"))


def _tree_content(reader: ObjectReader, oid: str, seen: dict[str, bytes] | None) -> bytes:
    data = seen.get(oid) if seen is not None else None
    if data is None:
        data = reader.read(oid, "tree", limit_bytes=MAX_TREE_BYTES)
        if seen is not None:
            seen[oid] = data
    return data


def list_tree(
    git: Git, treeish: str, *, max_entries: int = MAX_ENTRIES, seen: dict[str, bytes] | None = None
) -> tuple[TreeEntry, ...]:
    """Files, links and submodules of a tree, all levels, in tree order; the trees themselves left out.

    Args:
        seen: see ``walk_tree``.

    Raises:
        GitError: see ``walk_tree``.
    """
    entries = walk_tree(git, treeish, max_entries=max_entries, seen=seen)
    return tuple(entry for entry in entries if entry.type != "tree")


def read_blobs(git: Git, oids: Iterable[str], *, max_blob_bytes: int = MAX_BLOB_BYTES) -> Iterator[Blob]:
    """The blobs in the order asked for; holds one at a time, and never one above ``max_blob_bytes``.

    Raises:
        GitError: one of them is missing or not a blob.
    """
    with ObjectReader(git) as reader:
        for oid in oids:
            header = reader.header(oid) if OBJECT_ID.fullmatch(oid) else None
            if header is None:
                raise missing(oid)
            if header.type != "blob":
                raise GitError(f"object {oid} is a {header.type}, not a blob")
            large = header.size > max_blob_bytes
            yield Blob(oid, header.size, None if large else b"".join(reader.stream(oid)[1]))


def changed_paths(git: Git, base_tree: str, tree: str, *, renames: bool = False) -> tuple[Change, ...]:
    """What differs between two trees, all levels, sorted by path.

    Args:
        base_tree, tree: full object names of trees or commits; the empty tree's name works.
        renames: pair deletions with additions of at least 50 % similar content (``-M``).

    Raises:
        GitError: one of the trees is missing.
    """
    detection = "--find-renames=50%" if renames else "--no-renames"
    return parse_changes(_diff(git, base_tree, tree, "--raw", "-z", "--no-abbrev", detection))


def parse_changes(raw: bytes) -> tuple[Change, ...]:
    """What a git command printed with ``--raw -z --no-abbrev``, sorted by path."""
    fields = iter(raw.split(b"\0"))
    changes = []
    for head in fields:
        if not head:
            break
        old_mode, new_mode, old_oid, new_oid, status = head.decode("ascii").removeprefix(":").split(" ")
        path = next(fields)
        two_sided = status[0] in "RC"
        changes.append(
            Change(
                status=status[0],
                old_mode=old_mode,
                new_mode=new_mode,
                old_oid=old_oid,
                new_oid=new_oid,
                path=next(fields) if two_sided else path,
                old_path=path if two_sided else None,
                similarity=int(status[1:]) if two_sided else None,
            )
        )
    return tuple(sorted(changes, key=lambda c: c.path))


def diff_stat(git: Git, base_tree: str, tree: str) -> DiffStat:
    """Lines added and deleted per path, and the hunks of the whole difference; renames not followed.

    Raises:
        GitError: one of the trees is missing.
    """
    files = []
    for record in _diff(git, base_tree, tree, "--numstat", "-z", "--no-renames").split(b"\0")[:-1]:
        added, deleted, path = record.split(b"\t", 2)
        files.append(FileStat(path, _count(added), _count(deleted)))
    with git.stream(*_diff_arguments(base_tree, tree, "--patch", "--unified=0", "--no-renames")) as stream:
        # Content lines of a patch begin with '+', '-', ' ' or '\', so only a hunk's head begins with '@@'.
        hunks = sum(head == b"@@ " for head in stream.line_heads(3))
    return DiffStat(tuple(sorted(files, key=lambda f: f.path)), hunks)


def patch_bytes(git: Git, base_tree: str, tree: str, max_bytes: int) -> bytes | None:
    """The difference as ``git apply`` takes it, binary files included; None for more than ``max_bytes``.

    Raises:
        GitError: one of the trees is missing.
    """
    options = ("--patch", "--binary", "--full-index", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")
    found, size = [], 0
    with git.stream(*_diff_arguments(base_tree, tree, *options)) as stream:
        for chunk in stream.chunks_to_end():
            size += len(chunk)
            if size <= max_bytes:
                found.append(chunk)
    return b"".join(found) if size <= max_bytes else None


def _diff(git: Git, base_tree: str, tree: str, *options: str) -> bytes:
    return git.run(*_diff_arguments(base_tree, tree, *options))


def _diff_arguments(base_tree: str, tree: str, *options: str) -> tuple[str, ...]:
    for name in (base_tree, tree):
        if OBJECT_ID.fullmatch(name) is None:
            raise GitError(f"{name!r} is not a full object name")
    fixed = ("-r", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--no-color")
    return ("diff-tree", *fixed, *options, "--end-of-options", base_tree, tree)


def _count(field: bytes) -> int | None:
    return None if field == b"-" else int(field)


def _canonical(mode: int) -> str:
    if S_IFMT(mode) == S_IFREG:
        return "100755" if mode & 0o100 else "100644"
    return f"{S_IFMT(mode):06o}"
