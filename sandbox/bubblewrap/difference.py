"""Lists what an overlay's upper layer changes: a script run in a keeper's namespaces by ``evidence.py``.

The upper layer was written by strangers, and this runs with the keeper's rights: everything is reached
through directory descriptors without following a link, and only regular files are opened. The result is
by file, as git sees a tree: empty folders do not exist, and a file whose content and executable bit equal
the one below has not changed.

Marks of overlayfs: a deleted name is a character device 0/0, and a folder that hides the one below carries
the attribute ``overlay.opaque`` (Documentation/filesystems/overlayfs.rst in the kernel's source). A stranger
may set attributes of the user class where the overlay uses the trusted one, so only the class that is in
use is believed.

Arguments: LOWER UPPER OVERLAY FILE_BYTES TOTAL_BYTES MAX_PATHS. For each change, a line ``KIND CUT PATH_BYTES
CONTENT_BYTES`` and then both; at the end the line ``end``.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAX_DEPTH = 200
MAX_NAMES = 64 * 1024**2
CHUNK = 1 << 20

Change = tuple[str, bytes, bytes, bool]
"""Kind, path, content, and whether the content is cut."""


class Failed(Exception):
    """The changes cannot be listed; the text goes to the caller."""


class Layers(NamedTuple):
    """One folder as both layers have it.

    ``upper`` and ``lower`` are descriptors; ``lower`` is None where the layer below has no such folder.
    ``opaque`` says that the upper one hides the lower one; ``prefix`` is its path with a slash at the end.
    """

    upper: int
    lower: int | None
    prefix: bytes
    opaque: bool
    depth: int


def _mode(folder: int | None, name: bytes) -> os.stat_result | None:
    if folder is None:
        return None
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _is_whiteout(info: os.stat_result) -> bool:
    return stat.S_ISCHR(info.st_mode) and info.st_rdev == 0


def opaque_mark(mount_point: str) -> str:
    """The attribute by which the overlay at ``mount_point`` marks a folder that hides the one below."""
    with open("/proc/self/mountinfo") as stream:  # noqa: PTH123 - pathlib costs more than all else here
        mounts = [line.split() for line in stream]
    options = [words[-1].split(",") for words in mounts if words[4] == mount_point]
    return "user.overlay.opaque" if options and "userxattr" in options[-1] else "trusted.overlay.opaque"


def _names(folder: int) -> list[bytes]:
    return sorted(os.fsencode(name) for name in os.listdir(folder))


class Difference:
    """One walk over both layers.

    ``total`` bounds the bytes of content that it hands out; ``mark`` is the attribute of an opaque folder.
    """

    def __init__(self, file_limit: int, total: int, mark: str) -> None:
        self.file_limit = file_limit
        self.total = total
        self.mark = mark

    def is_opaque(self, folder: int) -> bool:
        """Whether the folder of the upper layer hides the one below."""
        try:
            return os.getxattr(folder, self.mark) == b"y"
        except OSError:
            return False

    def walk(self, here: Layers) -> Iterator[Change]:
        """Changes at and below one folder."""
        if here.depth > MAX_DEPTH:
            raise Failed(f"folders are nested deeper than {MAX_DEPTH}")
        names = _names(here.upper)
        if here.lower is not None and here.opaque:
            for name in set(_names(here.lower)) - set(names):
                yield from self.removed(here.lower, name, here.prefix + name, here.depth)
        for name in names:
            yield from self.entry(here, name)

    def entry(self, here: Layers, name: bytes) -> Iterator[Change]:
        """Changes at one name of the upper layer."""
        above, below = _mode(here.upper, name), _mode(here.lower, name)
        path = here.prefix + name
        if above is None:
            return
        if _is_whiteout(above):
            yield from self.removed(here.lower, name, path, here.depth)
            return
        if stat.S_ISDIR(above.st_mode):
            yield from self.folder(here, name, below)
            return
        if below is not None and stat.S_ISDIR(below.st_mode):
            yield from self.removed(here.lower, name, path, here.depth)
        if stat.S_ISREG(above.st_mode):
            yield from self.file(here.upper, here.lower, name, path)
        elif not self.same_link(here, name, above, below):
            yield "special", path, b"", False

    def folder(self, here: Layers, name: bytes, below: os.stat_result | None) -> Iterator[Change]:
        """Changes below a folder of the upper layer."""
        path = here.prefix + name
        child = os.open(name, FOLDER, dir_fd=here.upper)
        under: int | None = None
        try:
            if below is not None and stat.S_ISDIR(below.st_mode):
                under = os.open(name, FOLDER, dir_fd=here.lower)
            elif below is not None:
                yield "deleted", path, b"", False
            opaque = here.opaque or self.is_opaque(child)
            yield from self.walk(Layers(child, under, path + b"/", opaque, here.depth + 1))
        finally:
            os.close(child)
            if under is not None:
                os.close(under)

    def removed(self, lower: int | None, name: bytes, path: bytes, depth: int) -> Iterator[Change]:
        """Every file at or below a name of the lower layer, as deleted."""
        below = _mode(lower, name)
        if below is None:
            return
        if not stat.S_ISDIR(below.st_mode):
            yield "deleted", path, b"", False
            return
        if depth > MAX_DEPTH:
            raise Failed(f"folders are nested deeper than {MAX_DEPTH}")
        folder = os.open(name, FOLDER, dir_fd=lower)
        try:
            for child in _names(folder):
                yield from self.removed(folder, child, path + b"/" + child, depth + 1)
        finally:
            os.close(folder)

    def file(self, upper: int, lower: int | None, name: bytes, path: bytes) -> Iterator[Change]:
        """A regular file of the upper layer, unless it equals the one below."""
        with os.fdopen(os.open(name, FILE, dir_fd=upper), "rb") as stream:
            info = os.fstat(stream.fileno())
            if not stat.S_ISREG(info.st_mode) or self.same_file(stream.fileno(), info, lower, name):
                return
            allowed = min(self.file_limit, self.total)
            content = stream.read(allowed)
            self.total -= len(content)
            yield "written", path, content, info.st_size > len(content)

    @staticmethod
    def same_file(above: int, info: os.stat_result, lower: int | None, name: bytes) -> bool:
        """Whether content and executable bit equal those below; leaves ``above`` at its start."""
        below = _mode(lower, name)
        if lower is None or below is None or not stat.S_ISREG(below.st_mode):
            return False
        if below.st_size != info.st_size or (below.st_mode ^ info.st_mode) & stat.S_IXUSR:
            return False
        other = os.open(name, FILE, dir_fd=lower)
        try:
            offset = 0
            while chunk := os.pread(above, CHUNK, offset):
                if chunk != os.pread(other, len(chunk), offset):
                    return False
                offset += len(chunk)
            return True
        finally:
            os.close(other)

    @staticmethod
    def same_link(here: Layers, name: bytes, above: os.stat_result, below: os.stat_result | None) -> bool:
        """Whether both layers hold the same symbolic link (one was copied up, not changed)."""
        if below is None or not (stat.S_ISLNK(above.st_mode) and stat.S_ISLNK(below.st_mode)):
            return False
        return os.readlink(name, dir_fd=here.upper) == os.readlink(name, dir_fd=here.lower)


def list_changes(arguments: list[str]) -> None:
    """Print the changes.

    Raises:
        Failed, OSError: that cannot be done.
    """
    file_limit, total, most = (int(text) for text in arguments[3:6])
    lower, upper = (os.open(path, FOLDER) for path in arguments[:2])
    out = sys.stdout.buffer
    difference = Difference(file_limit, total, opaque_mark(arguments[2]))
    named = 0
    for count, change in enumerate(
        difference.walk(Layers(upper, lower, b"", difference.is_opaque(upper), 0))
    ):
        kind, path, content, cut = change
        named += len(path)
        if count >= most or named > MAX_NAMES:
            raise Failed(f"more than {most} files or {MAX_NAMES} bytes of their names changed")
        out.write(f"{kind} {int(cut)} {len(path)} {len(content)}\n".encode() + path + content)
    out.write(b"end\n")
    out.flush()


def main(arguments: list[str]) -> int:
    """Exit code 1 and one line on standard error when the changes cannot be listed."""
    try:
        list_changes(arguments)
    except (Failed, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
