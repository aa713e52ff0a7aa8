"""Whether a directory on disk is exactly a given tree: its object id, rebuilt from the disk bottom-up.

The tree's own entries supply only what a file system cannot hold: the order and the octal digits of the
modes as they were written (old trees say ``100664``), and the commits that submodules name. Everything else
is read back: names, kinds, the executable bit, contents, link targets. Object ids: git's
Documentation/technical/hash-function-transition; ``hash(type SP size NUL content)``.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from repo_guardian.errors import MaterializeError
from repo_guardian.tools.git.objects import TreeEntry

_CHUNK_BYTES = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def verify_tree(root: Path, tree: str, entries: Iterable[TreeEntry]) -> None:
    """Compare the directory ``root`` with the tree whose object id is ``tree``.

    Args:
        entries: the tree's, at all levels, trees included and before their content (``walk_tree``).

    Raises:
        MaterializeError: they differ; the message names the first path that does.
        OSError: something could not be read.
    """
    children: dict[bytes, list[TreeEntry]] = {b"": []}
    for entry in entries:
        children[entry.path.rpartition(b"/")[0]].append(entry)
        if entry.type == "tree":
            children[entry.path] = []
    base = os.fsencode(root)
    found: dict[bytes, str] = {}
    # A directory is met before its content, so that in reverse every tree's parts are known before it.
    for directory in reversed(children):
        found[directory] = _tree_id(base, directory, children[directory], found, tree)
    if found[b""] != tree:
        raise _differs(b".", f"the whole is {found[b'']}, not {tree}")


def _tree_id(base: bytes, path: bytes, entries: list[TreeEntry], found: dict[bytes, str], like: str) -> str:
    directory = os.path.join(base, path)  # noqa: PTH118 - bytes
    expected = {entry.name for entry in entries}
    if extra := set(os.listdir(directory)) ^ expected:  # noqa: PTH208 - bytes
        raise _differs(os.path.join(path, min(extra)), "it is not in both")  # noqa: PTH118 - bytes
    content = b"".join(
        b"%s %s\0%s"
        % (
            entry.raw_mode,
            entry.name,
            bytes.fromhex(_entry_id(base, entry, found, like)),
        )
        for entry in entries
    )
    return _object_id("tree", content, like)


def _entry_id(base: bytes, entry: TreeEntry, found: dict[bytes, str], like: str) -> str:
    path = os.path.join(base, entry.path)  # noqa: PTH118 - bytes
    status = os.lstat(path)
    mode = status.st_mode
    if entry.mode == "040000" and stat.S_ISDIR(mode):
        return found[entry.path]
    if entry.mode == "160000" and stat.S_ISDIR(mode) and not os.listdir(path):  # noqa: PTH208 - bytes
        return entry.oid
    if entry.mode == "120000" and stat.S_ISLNK(mode):
        return _object_id("blob", os.readlink(path), like)  # noqa: PTH115 - bytes
    if entry.is_file and stat.S_ISREG(mode) and stat.S_IMODE(mode) == int(entry.mode, 8) & 0o777:
        return _file_id(path, status.st_size, like)
    raise _differs(entry.path, f"mode {mode:06o} on disk, {entry.mode} in the tree")


def _file_id(path: bytes, size: int, like: str) -> str:
    digest = _hash(like)
    digest.update(b"blob %d\0" % size)
    with os.fdopen(os.open(path, _READ), "rb", buffering=0) as file:
        while data := file.read(_CHUNK_BYTES):
            digest.update(data)
    return digest.hexdigest()


def _object_id(kind: str, content: bytes, like: str) -> str:
    digest = _hash(like)
    digest.update(b"%s %d\0" % (kind.encode(), len(content)))
    digest.update(content)
    return digest.hexdigest()


def _hash(like: str) -> hashlib._Hash:
    """The hash that made the object id ``like``; identifies content here and protects nothing."""
    return hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)


def _differs(path: bytes, why: str) -> MaterializeError:
    shown = ascii(path.decode("utf-8", "backslashreplace"))
    return MaterializeError(
        f"the checkout is not the tree: {shown}: {why}",
        hint="the file system may change names or modes (case, Unicode, mount options); use another one",
    )
