"""Copies what strangers left in a folder, and nothing else: the rules of ``Sandbox.harvest``.

Works on directory descriptors without following a link, so that whatever a name is or becomes, reads stay
below the source and writes below the destination. Only regular files are opened. Files are counted at the
size that a reader sees, and each of several hard links is a file of its own. A backend that sees the folder
on the host calls ``harvest_folder``; one that must enter a mount namespace first runs this file as a script,
standard library only: ``harvest.py SOURCE DESTINATION_FD LIMIT_BYTES LIMIT_FILES`` prints a JSON object.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from typing import NamedTuple

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20

MAX_DEPTH = 100
"""Folders within folders that are entered."""

MAX_PATH = 3800
"""Bytes of the path of a folder that is entered; the host could open nothing much longer by name."""

MAX_LEFT_OUT = 1000
"""Paths that are listed as left out; of the rest only the number is."""

_UNFIT = frozenset({errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL})
"""What a destination says to a name that its file system cannot hold."""

_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Place(NamedTuple):
    """One folder of the source: its descriptor, its names from the top, and the name's prefix as text."""

    source: int
    names: tuple[bytes, ...]
    prefix: str


class Harvester:
    """One copy of a tree; ``files`` and ``left_out`` are complete after ``copy``."""

    def __init__(self, limit_bytes: int, limit_files: int) -> None:
        self.files: list[str] = []
        self.total_bytes = 0
        self._left_out: list[tuple[str, str]] = []
        self._unlisted = 0
        self._limit_bytes = limit_bytes
        self._limit_files = limit_files

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """Paths with reasons; at the end, under an empty path, how many are not listed."""
        more = [("", f"{self._unlisted} more were left out")] if self._unlisted else []
        return [*self._left_out, *more]

    def copy(self, source: int, destination: int) -> None:
        """Copy the folder behind one descriptor into the empty one behind the other.

        Raises:
            OSError: the destination cannot be written.
        """
        self._folder(Place(source, (), ""), destination)
        self.files.sort()

    def _leave(self, path: str, reason: str) -> None:
        if len(self._left_out) < MAX_LEFT_OUT:
            self._left_out.append((path, reason))
        else:
            self._unlisted += 1

    def _folder(self, here: Place, destination: int) -> None:
        for text in sorted(os.listdir(here.source)):  # noqa: PTH208 - of a descriptor
            name, path = os.fsencode(text), here.prefix + text
            mode = os.stat(name, dir_fd=here.source, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                self._enter(here, name, path, destination)
            elif stat.S_ISREG(mode):
                self._file(here, name, path, destination)
            else:
                self._leave(path, _KINDS.get(stat.S_IFMT(mode), "not a regular file"))

    def _enter(self, here: Place, name: bytes, path: str, destination: int) -> None:
        if len(here.names) >= MAX_DEPTH or sum(map(len, here.names)) + len(name) > MAX_PATH:
            self._leave(path, f"nested deeper than {MAX_DEPTH} folders or {MAX_PATH} bytes")
            return
        try:
            child = os.open(name, _FOLDER, dir_fd=here.source)
        except OSError as error:
            self._leave(path, str(error.strerror))
            return
        try:
            self._folder(Place(child, (*here.names, name), path + "/"), destination)
        finally:
            os.close(child)

    def _file(self, here: Place, name: bytes, path: str, destination: int) -> None:
        if len(self.files) >= self._limit_files:
            self._leave(path, f"over the limit of {self._limit_files} files")
            return
        try:
            reader = os.open(name, _READ, dir_fd=here.source)
        except OSError as error:
            self._leave(path, str(error.strerror))
            return
        try:
            info = os.fstat(reader)
            if not stat.S_ISREG(info.st_mode):
                self._leave(path, "not a regular file")
            elif info.st_size > self._limit_bytes - self.total_bytes:
                self._leave(path, f"over the limit of {self._limit_bytes} bytes")
            else:
                self._store(reader, info, here.names, name, destination)
                self.files.append(path)
                if info.st_mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX):
                    self._leave(path, "copied, its set-id or sticky bit dropped")
        except OSError as error:
            if error.errno not in _UNFIT:
                raise
            self._leave(path, str(error.strerror))
        finally:
            os.close(reader)

    def _store(
        self, reader: int, info: os.stat_result, folders: tuple[bytes, ...], name: bytes, destination: int
    ) -> None:
        folder = _make_folders(destination, folders)
        try:
            writer = os.open(name, _CREATE, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
        with os.fdopen(writer, "wb") as stream:
            left = info.st_size
            while left and (chunk := os.read(reader, min(_CHUNK, left))):
                stream.write(chunk)
                left -= len(chunk)
            os.fchmod(writer, 0o755 if info.st_mode & stat.S_IXUSR else 0o644)
        self.total_bytes += info.st_size - left


def _make_folders(destination: int, names: tuple[bytes, ...]) -> int:
    """A descriptor of the folder ``names`` below ``destination``; folders are made when a file needs them."""
    folder = os.dup(destination)
    for name in names:
        try:
            os.mkdir(name, 0o755, dir_fd=folder)
            os.chmod(name, 0o755, dir_fd=folder)  # noqa: S103 - the promised mode, whatever the umask
        except FileExistsError:
            pass
        except OSError:
            os.close(folder)
            raise
        try:
            child = os.open(name, _FOLDER, dir_fd=folder)
        finally:
            os.close(folder)
        folder = child
    return folder


def harvest_folder(source: str, destination: int, *, limit_bytes: int, limit_files: int) -> Harvester:
    """Copy the folder ``source`` into the empty folder behind the descriptor ``destination``.

    Raises:
        OSError: ``source`` is no folder, or the destination cannot be written.
    """
    harvester = Harvester(limit_bytes, limit_files)
    descriptor = os.open(source, _FOLDER)
    try:
        harvester.copy(descriptor, destination)
    finally:
        os.close(descriptor)
    return harvester


def main(arguments: list[str]) -> int:
    """Exit code 1 and one line on standard error when the destination cannot be written."""
    source, destination, limit_bytes, limit_files = arguments
    try:
        done = harvest_folder(
            source, int(destination), limit_bytes=int(limit_bytes), limit_files=int(limit_files)
        )
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    json.dump({"files": done.files, "bytes": done.total_bytes, "left_out": done.left_out}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
