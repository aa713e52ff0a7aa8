"""Files of one commit as text for a reader: a slice of one, or the beginnings of many; secrets masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_guardian.errors import UsageError
from repo_guardian.server.contract.reading import FileSlice
from repo_guardian.server.session.reading import Reading
from repo_guardian.server.session.trees import MAX_TEXT_BYTES, Tree
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.objects import read_blobs
from repo_guardian.tools.views.secrets import looks_secret, mask

SLICE_LINES = 400
"""Most lines of one slice."""
SLICE_CHARS = 24_000
"""Most characters of one slice, so that it stays under 10,000 tokens."""
LINE_CHARS = 2_000
_BINARY_BYTES = 8_000
"""A NUL byte in so many leading bytes makes a file binary, as in git's ``buffer_is_binary``."""
_LISTED = 20
_LINK = "120000"
_SUBMODULE = "160000"


def file_slice(reading: Reading, path: str, start_line: int = 1, lines: int = SLICE_LINES) -> FileSlice:
    r"""Up to ``lines`` lines of a file from ``start_line`` on, fewer when they are long.

    Args:
        path: as every answer spells it: ``/`` as separator, bytes that are not UTF-8 as ``\xNN``.

    Raises:
        UsageError: no such file, or one that is not text, too large, or looks like a secret.
    """
    blob = _readable(reading.tree, path)
    masked = mask(blob)
    rows = masked.split(b"\n")
    if rows[-1] == b"":
        rows.pop()
    if start_line > max(len(rows), 1):
        raise UsageError(
            f"{path} ends at line {len(rows)}", hint=f"begin at line {max(len(rows), 1)} or before"
        )
    text: list[str] = []
    size = cut = 0
    for row in rows[start_line - 1 : start_line - 1 + min(lines, SLICE_LINES)]:
        whole = row.decode("utf-8", "replace")
        line = whole[:LINE_CHARS]
        if size + len(line) + 1 > SLICE_CHARS:
            break
        cut += line is not whole and line != whole
        size += len(line) + 1
        text.append(line)
    end = start_line + len(text) - 1
    return FileSlice(
        as_of=reading.as_of,
        path=path,
        start_line=start_line,
        end_line=end,
        total_lines=len(rows),
        size_bytes=len(blob),
        text="\n".join(text),
        cut_lines=cut,
        masked=masked is not blob,
        next_line=end + 1 if end < len(rows) else None,
    )


class Excerpts:
    """Beginnings of regions of files, secrets masked; all files are read at once.

    Args:
        git: the mirror.
        blobs: object id by path; files that are too large are left out.
    """

    def __init__(self, git: Git, blobs: Mapping[str, str]) -> None:
        found = read_blobs(git, list(dict.fromkeys(blobs.values())), max_blob_bytes=MAX_TEXT_BYTES)
        masked = {blob.oid: mask(blob.data) for blob in found if blob.data is not None}
        self._contents = {path: masked[oid] for path, oid in blobs.items() if oid in masked}

    def beginning(
        self, path: str, region: tuple[int, int], max_lines: int, max_chars: int
    ) -> tuple[str, bool]:
        """The first lines of the bytes ``region`` of a file, and whether that is less than all of it.

        Empty for a file that was not read.
        """
        start, end = region
        rows = self._contents.get(path, b"")[start:end].rstrip().split(b"\n")
        text = b"\n".join(rows[:max_lines]).decode("utf-8", "replace")
        return text[:max_chars], len(rows) > max_lines or len(text) > max_chars


def _readable(tree: Tree, path: str) -> bytes:
    entry = tree.entries.get(path)
    if entry is None:
        raise _not_there(tree, path)
    if entry.mode in (_LINK, _SUBMODULE):
        kind = "a symbolic link" if entry.mode == _LINK else "a submodule"
        raise UsageError(f"{path} is {kind}, which is not followed", hint="name a file of the repository")
    blob = tree.read(path)
    if blob is None:
        raise UsageError(
            f"{path} is larger than {MAX_TEXT_BYTES} bytes", hint="it is not read; look elsewhere"
        )
    why = looks_secret(path, blob)
    if why:
        raise UsageError(f"{path} looks like {why}", hint="such files are never shown")
    if b"\0" in blob[:_BINARY_BYTES]:
        raise UsageError(f"{path} is not text: {len(blob)} bytes", hint="name a text file")
    return blob


def _not_there(tree: Tree, path: str) -> UsageError:
    prefix = path.rstrip("/") + "/" if path not in ("", ".", "/") else ""
    inside = {name[len(prefix) :].partition("/")[0] for name in tree.entries if name.startswith(prefix)}
    if inside:
        return UsageError(f"{path or '.'} is a directory", hint=f"it holds: {_some(sorted(inside))}")
    base = path.rpartition("/")[2].lower()
    alike = sorted(name for name in tree.entries if name.rpartition("/")[2].lower() == base)
    hint = (
        f"of that name there is: {_some(alike)}" if alike else "paths are relative to the repository's root"
    )
    return UsageError(f"there is no file {path[:200]!r} at {(tree.commit or '')[:12]}", hint=hint)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(name[:200] for name in names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")
