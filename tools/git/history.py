"""Churn: how often, how much and by how many hands each path changed, from one bounded walk of history.

Renames are followed as git itself pairs them within one commit (``--find-renames``, half of the content the
same). Beside it the list of commits that led to one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.reader import OBJECT_ID

DEFAULT_MAX_COMMITS = 1000
RENAME_LIMIT = 200
"""New and gone files of one commit up to which git compares contents; beyond, it pairs equal ones only."""
_NUMSTAT = re.compile(rb"\n?(?P<added>\d+|-)\t(?P<deleted>\d+|-)\t(?P<path>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileChurn:
    """What the commits of the window did to one path.

    Attributes:
        commits: how many touched it; merges count for nothing, their parents are in the history already.
        added, deleted: lines, summed over these commits; binary contents count zero.
        authors: distinct author e-mail addresses, case ignored.
        age: commits between the one asked about and the last that touched the path; 0 is that one itself.
        main_share: the share of the commits that the most frequent author made, in 0..1: the ownership of
            Bird et al., "Don't Touch My Code! Examining the Effects of Ownership on Software Quality"
            (ESEC/FSE 2011).
    """

    commits: int
    added: int
    deleted: int
    authors: int
    age: int
    main_share: float = 1.0


class FileChange(NamedTuple):
    """One file of a commit: lines added and deleted, and the name that it had before, empty when the same."""

    path: bytes
    added: int
    deleted: int
    old_path: bytes = b""


class CommitChanges(NamedTuple):
    """What one commit did, as far as churn counts it.

    Attributes:
        author: e-mail address, in lower case.
        files: in git's order; empty for a merge.
    """

    author: bytes
    files: list[FileChange]


@dataclass(slots=True)
class _Tally:
    age: int
    added: int = 0
    deleted: int = 0
    authors: Counter[bytes] = field(default_factory=Counter)

    def freeze(self) -> FileChurn:
        commits = self.authors.total()
        share = max(self.authors.values()) / commits
        return FileChurn(commits, self.added, self.deleted, len(self.authors), self.age, share)


def churn(git: Git, commit: str, max_commits: int = DEFAULT_MAX_COMMITS) -> dict[bytes, FileChurn]:
    """Churn of every path that the last ``max_commits`` commits up to ``commit`` touched.

    Paths are raw bytes; a file that was renamed has all of its history under its latest name. In a shallow
    clone the oldest commits look as if they had created every file, so there a commit without a known parent
    counts for nothing.

    Args:
        commit: full id; it is part of the window.

    Raises:
        GitError: no such commit, or git failed.
    """
    _check(commit)
    found = read_changes(git, f"--max-count={max_commits}", "--end-of-options", commit, "--")
    return tally(changes for _, changes in found)


def tally(window: Iterable[CommitChanges]) -> dict[bytes, FileChurn]:
    """The churn of each path, sorted, over commits from the latest to the earliest."""
    tallies: dict[bytes, _Tally] = {}
    for age, changes in enumerate(with_latest_names(window)):
        for change in changes.files:
            found = tallies.get(change.path)
            if found is None:
                found = tallies[change.path] = _Tally(age)
            found.added += change.added
            found.deleted += change.deleted
            found.authors[changes.author] += 1
    return {path: tallies[path].freeze() for path in sorted(tallies)}


def with_latest_names(window: Iterable[CommitChanges]) -> Iterator[CommitChanges]:
    """Commits from the latest to the earliest, each file under the name that its last rename gave it.

    Commits of branches that went on beside a rename count for the new name when they come later in the walk.
    """
    latest: dict[bytes, bytes] = {}
    for changes in window:
        files = [change._replace(path=latest.get(change.path, change.path)) for change in changes.files]
        latest |= {change.old_path: change.path for change in files if change.old_path}
        yield CommitChanges(changes.author, files)


def read_changes(git: Git, *selection: str) -> Iterator[tuple[str, CommitChanges]]:
    """Commits with what they did, in the order in which ``git log`` gives them.

    Args:
        selection: the end of its command line: which commits.

    Raises:
        GitError: git failed.
    """
    shallow = (git.git_dir / "shallow").exists()
    arguments = (
        *("-c", f"log.showRoot={'false' if shallow else 'true'}"),
        *("log", "-z", "--numstat", "--format=tformat:%H%x00%ae"),
        *(
            "--find-renames=50%",
            f"-l{RENAME_LIMIT}",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-mailmap",
            "--no-notes",
        ),
        *("--no-show-signature", "--no-decorate", *selection),
    )
    with git.stream(*arguments) as stream:
        tokens = _tokens(stream.chunks_to_end())
        commit, changes = "", CommitChanges(b"", [])
        for token in tokens:
            # A commit's id holds no tab and a numstat record always does, so the two cannot be confused.
            match = _NUMSTAT.fullmatch(token)
            if match is not None:
                # A rename has an empty path here, and its two names as tokens of their own.
                old = b"" if match["path"] else next(tokens, b"")
                path = match["path"] or next(tokens, b"")
                changes.files.append(FileChange(path, _lines(match["added"]), _lines(match["deleted"]), old))
                continue
            if commit:
                yield commit, changes
            commit, changes = token.decode("ascii"), CommitChanges(next(tokens, b"").lower(), [])
        if commit:
            yield commit, changes


def first_parents(git: Git, commit: str, count: int) -> list[str]:
    """``commit`` and up to ``count - 1`` of its ancestors along first parents, the latest first; full ids.

    Args:
        commit: full id.
        count: at least 1.

    Raises:
        GitError: no such commit, or git failed.
    """
    _check(commit)
    options = ("--first-parent", f"--max-count={count}", "--end-of-options")
    return git.run("rev-list", *options, commit, "--").decode("ascii").split()


def last_commits(git: Git, commit: str, count: int) -> list[str]:
    """``commit`` and up to ``count - 1`` of its ancestors in the order of ``git log``; full ids.

    Raises:
        GitError: no such commit, or git failed.
    """
    _check(commit)
    options = (f"--max-count={count}", "--end-of-options")
    return git.run("rev-list", *options, commit, "--").decode("ascii").split()


def _check(commit: str) -> None:
    if OBJECT_ID.fullmatch(commit) is None:
        raise GitError(f"{commit!r} is not a full object name")


def _tokens(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The NUL-terminated pieces of a stream, without their NUL."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _lines(count: bytes) -> int:
    return 0 if count == b"-" else int(count)
