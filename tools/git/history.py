"""Churn: how often, how much and by how many hands each path changed, from one bounded walk of history.

Beside it the list of commits that led to one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.reader import OBJECT_ID

DEFAULT_MAX_COMMITS = 1000
_NUMSTAT = re.compile(rb"\n?(?P<added>\d+|-)\t(?P<deleted>\d+|-)\t(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileChurn:
    """What the commits of the window did to one path.

    Attributes:
        commits: how many touched it; merges count for nothing, their parents are in the history already.
        added, deleted: lines, summed over these commits; binary contents count zero.
        authors: distinct author e-mail addresses, case ignored.
        age: commits between the one asked about and the last that touched the path; 0 is that one itself.
    """

    commits: int
    added: int
    deleted: int
    authors: int
    age: int


@dataclass(slots=True)
class _Tally:
    age: int
    commits: int = 0
    added: int = 0
    deleted: int = 0
    authors: set[bytes] = field(default_factory=set)

    def freeze(self) -> FileChurn:
        return FileChurn(self.commits, self.added, self.deleted, len(self.authors), self.age)


def churn(git: Git, commit: str, max_commits: int = DEFAULT_MAX_COMMITS) -> dict[bytes, FileChurn]:
    """Churn of every path that the last ``max_commits`` commits up to ``commit`` touched.

    Paths are raw bytes and renames are not followed. In a shallow clone the oldest commits look as if they
    had created every file, so there a commit without a known parent counts for nothing.

    Args:
        commit: full id; it is part of the window.

    Raises:
        GitError: no such commit, or git failed.
    """
    if OBJECT_ID.fullmatch(commit) is None:
        raise GitError(f"{commit!r} is not a full object name")
    shallow = (git.git_dir / "shallow").exists()
    arguments = (
        *("-c", f"log.showRoot={'false' if shallow else 'true'}"),
        *("log", "-z", "--numstat", "--format=tformat:%H%x00%ae", f"--max-count={max_commits}"),
        *("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-mailmap", "--no-notes"),
        *("--no-show-signature", "--no-decorate", "--end-of-options", commit, "--"),
    )
    tallies: dict[bytes, _Tally] = {}
    age = -1
    author = b""
    with git.stream(*arguments) as stream:
        tokens = _tokens(stream.chunks_to_end())
        for token in tokens:
            # A commit's id holds no tab and a numstat record always does, so the two cannot be confused.
            match = _NUMSTAT.fullmatch(token)
            if match is None:
                age += 1
                author = next(tokens, b"").lower()
                continue
            tally = tallies.setdefault(match["path"], _Tally(age))
            tally.commits += 1
            tally.added += _lines(match["added"])
            tally.deleted += _lines(match["deleted"])
            tally.authors.add(author)
    return {path: tallies[path].freeze() for path in sorted(tallies)}


def first_parents(git: Git, commit: str, count: int) -> list[str]:
    """``commit`` and up to ``count - 1`` of its ancestors along first parents, the latest first; full ids.

    Args:
        commit: full id.
        count: at least 1.

    Raises:
        GitError: no such commit, or git failed.
    """
    if OBJECT_ID.fullmatch(commit) is None:
        raise GitError(f"{commit!r} is not a full object name")
    options = ("--first-parent", f"--max-count={count}", "--end-of-options")
    return git.run("rev-list", *options, commit, "--").decode("ascii").split()


def _tokens(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The NUL-terminated pieces of a stream, without their NUL."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _lines(count: bytes) -> int:
    return 0 if count == b"-" else int(count)
