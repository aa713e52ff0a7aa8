"""Names from strangers' trees: which may be written to disk, and where a symbolic link really leads."""

from __future__ import annotations

from collections.abc import Mapping

from repo_guardian.errors import MaterializeError

MAX_PATH_BYTES = 4000
MAX_DEPTH = 200
MAX_NAME_BYTES = 255
"""NAME_MAX of every file system in common use."""
_MAX_LINKS = 40
"""As in Linux: a path that crosses more links than this is a loop."""

# Code points that HFS+ ignores in names, as in git's utf8.c, next_hfs_char().
_HFS_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)


def check_path(path: bytes, name: bytes) -> None:
    """Refuse a path whose last component, ``name``, must not be written; its parents are checked before it.

    Refused are the empty name, ``.``, ``..``, a name with a slash in it, what is too long, and every name
    that some file system takes for ``.git`` (as in git's ``verify_path``: any case, HFS+ ignorable
    characters, NTFS trailing dots and spaces, streams and the short name ``git~1``).

    Raises:
        MaterializeError: with the path.
    """
    if name in (b"", b".", b"..") or b"/" in name:
        raise refused(path, "a component is empty, dots only, or holds a slash")
    if is_dot_git(name):
        raise refused(path, "a component stands for .git")
    if len(name) > MAX_NAME_BYTES:
        raise refused(path[:200], f"a component is longer than {MAX_NAME_BYTES} bytes")
    if len(path) > MAX_PATH_BYTES or path.count(b"/") >= MAX_DEPTH:
        raise refused(path[:200], f"it is longer than {MAX_PATH_BYTES} bytes or {MAX_DEPTH} levels")


def is_dot_git(name: bytes) -> bool:
    """True for ``.git`` and whatever HFS+ or NTFS would open in its place."""
    ntfs = name.split(b":", 1)[0].rstrip(b" .").lower()
    hfs = name.decode("utf-8", "surrogateescape").translate(_HFS_IGNORED).lower()
    return ntfs in (b".git", b"git~1") or hfs == ".git"


def refused(path: bytes, why: str) -> MaterializeError:
    """The error for a tree that holds ``path``, which will not be written."""
    shown = path.decode("utf-8", "backslashreplace")
    text = shown if shown.isprintable() else repr(shown)[1:-1]
    return MaterializeError(
        f"the tree holds a path that is not written: {text}: {why}",
        hint="such a tree is not made by git add; look at the commit with git ls-tree",
    )


def leads_outside(link: bytes, links: Mapping[bytes, bytes]) -> bool:
    """Whether following the symbolic link at path ``link`` can leave the tree.

    Resolved as the kernel would, component by component through the other links of the tree, and on names
    alone: nothing on disk is looked at. ``a/b/..`` is not ``a`` when ``b`` is a link, so folding the dots
    away would miss escapes. A loop leads nowhere and so not outside.

    Args:
        links: path of every symbolic link of the tree, to its target.
    """
    where: list[bytes] = link.split(b"/")[:-1]
    pending = links[link].split(b"/")[::-1]
    if links[link].startswith(b"/"):
        return True
    crossed = 1
    while pending:
        name = pending.pop()
        if name in (b"", b"."):
            continue
        if name == b"..":
            if not where:
                return True
            where.pop()
            continue
        where.append(name)
        target = links.get(b"/".join(where))
        if target is None:
            continue
        crossed += 1
        if target.startswith(b"/"):
            return True
        if crossed > _MAX_LINKS:
            return False
        where.pop()
        pending.extend(target.split(b"/")[::-1])
    return False
