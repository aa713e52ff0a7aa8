"""Files of a tree that hold a word, found by git on the mirror."""

from __future__ import annotations

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git

_NO_MATCH = 1


def files_with_word(git: Git, treeish: str, word: str) -> tuple[bytes, ...]:
    """The paths of text files in which ``word`` stands as a word of its own, in the tree's order.

    Args:
        treeish: object name of the tree, in full.
        word: letters, digits and underscores; anything else is found as it is written.

    Raises:
        GitError: git failed.
    """
    options = ("--no-color", "-I", "--word-regexp", "--fixed-strings", "--files-with-matches", "-z")
    outcome = git.attempt("grep", *options, "-e", word, treeish, "--")
    if outcome.code not in (0, _NO_MATCH):
        raise GitError(f"git cannot search the tree: {outcome.stderr.strip()[:200]}")
    prefix = f"{treeish}:".encode()
    return tuple(line.removeprefix(prefix) for line in outcome.stdout.split(b"\0") if line)
