r"""An edit given as a unified diff, applied to the letter: no fuzz, no offset, nothing outside the tree.

Parsed by ``unidiff``; what applies is decided here, in bytes. Only ``\n`` ends a line, as for git.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from repo_guardian.errors import UsageError
from repo_guardian.tools.probes.revert import split_lines

if TYPE_CHECKING:
    from unidiff.patch import Hunk, PatchedFile, PatchSet

MOST_CHARS = 200_000
_NOTHING = "/dev/null"
_SHOWN = 80

Read = Callable[[str], bytes | None]
"""The content of a repository-relative path; None when there is no such file."""


def apply_diff(diff: str, read: Read) -> dict[str, bytes | None]:
    """The content of each file that a diff writes, by repository-relative path; None for one that it removes.

    Args:
        diff: file headers (``--- a/path``, ``+++ b/path``) and hunks, as ``git diff`` writes them.
        read: the files that it is applied to.

    Raises:
        UsageError: it is no unified diff, does not apply exactly, or writes outside of the tree.
    """
    edited: dict[str, bytes | None] = {}
    for file in _parse(diff):
        path = _path(file, read)
        if path in edited:
            raise UsageError(f"the diff edits {path} twice", hint="put all hunks of a file under one header")
        edited[path] = _apply(file, path, read(path))
    if not edited:
        raise UsageError("the diff edits no file", hint="begin each file with --- a/path and +++ b/path")
    return edited


def _parse(diff: str) -> PatchSet:
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    if len(diff) > MOST_CHARS:
        raise UsageError(f"the diff is longer than {MOST_CHARS} characters", hint="edit less")
    try:
        diff.encode("utf-8", "surrogateescape")
        return PatchSet(diff)
    except (UnidiffParseError, ValueError, TypeError) as error:
        said = " ".join(str(error).split())[:_SHOWN]
        raise UsageError(
            f"this is no unified diff: {said}",
            hint="the counts in each @@ header have to be those of its lines, context included",
        ) from error


def _path(file: PatchedFile, read: Read) -> str:
    """The one path of a file's headers; a leading ``a/`` or ``b/`` is git's unless there is such a folder."""
    names = [name for name in (file.source_file, file.target_file) if name != _NOTHING]
    found = {_stripped(name, read) for name in names}
    if len(found) != 1:
        raise UsageError(
            f"the diff renames {' to '.join(names)[:_SHOWN]}", hint="remove the one and add the other"
        )
    path = found.pop()
    parts = path.split("/")
    if (
        not path
        or path.startswith("/")
        or "\0" in path
        or {"", ".", "..", ".git"} & {part.lower() for part in parts}
    ):
        raise UsageError(f"the diff writes outside of the repository: {path[:_SHOWN]!r}")
    if file.is_binary_file or file.is_symlink or file.is_submodule or not len(file):
        raise UsageError(f"the diff of {path} holds no lines", hint="only the lines of text files are edited")
    return path


def _stripped(name: str, read: Read) -> str:
    prefix, _, rest = name.partition("/")
    is_prefix = prefix in ("a", "b", "current", "restored") and rest and read(name) is None
    return rest if is_prefix else name


def _apply(file: PatchedFile, path: str, content: bytes | None) -> bytes | None:
    if (content is None) != (file.source_file == _NOTHING):
        there = "there is no such file" if content is None else "the file is there already"
        raise UsageError(
            f"the diff does not apply to {path}: {there}", hint="read the file at the commit first"
        )
    lines = split_lines(content or b"")
    result: list[bytes] = []
    done = 0
    for number, hunk in enumerate(file, start=1):
        start = max(hunk.source_start - (1 if hunk.source_length else 0), 0)
        before, after = _sides(hunk)
        if start < done or lines[start : start + len(before)] != before:
            raise _mismatch(path, number, start, before, lines)
        result += [*lines[done:start], *after]
        done = start + len(before)
    result += lines[done:]
    if file.target_file == _NOTHING:
        if result:
            raise UsageError(f"the diff removes {path} but leaves lines of it", hint="take out every line")
        return None
    return b"".join(result)


def _sides(hunk: Hunk) -> tuple[list[bytes], list[bytes]]:
    """Lines that a hunk expects, and those that it leaves; a marker takes off the end of the line before."""
    before: list[bytes] = []
    after: list[bytes] = []
    last: tuple[list[bytes], ...] = ()
    for line in hunk:
        if line.line_type == "\\":
            for side in last:
                side[-1] = side[-1].removesuffix(b"\n")
            continue
        if line.line_type == "" and len(before) == hunk.source_length and len(after) == hunk.target_length:
            continue  # an empty line that follows the hunk
        value = line.value.encode("utf-8", "surrogateescape")
        value = value if value.endswith(b"\n") else value + b"\n"
        last = tuple(
            side for side, takes in ((before, not line.is_added), (after, not line.is_removed)) if takes
        )
        for side in last:
            side.append(value)
    return before, after


def _mismatch(path: str, number: int, start: int, before: list[bytes], lines: list[bytes]) -> UsageError:
    """Says at which line hunk and file part, and what stands there."""
    for offset, wanted in enumerate(before):
        found = lines[start + offset] if start + offset < len(lines) else b""
        if found != wanted:
            return UsageError(
                f"hunk {number} does not apply to {path} at line {start + offset + 1}: "
                f"it expects {_show(wanted)}, the file has {_show(found)}",
                hint="context and removed lines have to be the file's own, to the byte and at that line",
            )
    return UsageError(f"hunk {number} of {path} overlaps the one before it", hint="order the hunks by line")


def _show(line: bytes) -> str:
    return repr(line.decode("utf-8", "replace"))[: _SHOWN + 2]
