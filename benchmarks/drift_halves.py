"""Half commits: a commit's parent with only one of the commit's files, as a work tree stands in between.

In a history that passes its tests hardly any call lags behind a contract, because the commit that changes it
changes its callers too. What a developer asks about is the state before that: one file is edited, the others
are not yet. Such a state is made from a real commit by taking one of the files in which it declares something
otherwise, drawn by seed. What the commit did to its other files then tells whether a use lagged.

The states become commits of the bare repository, under ``refs/heads/half/``, with fixed names and dates: they
have the same ids wherever they are made.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from repo_guardian.tools.git.command import Git

_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "half"), ("EMAIL", "half@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}


def half_of(repository: Path, base: str, commit: str, choices: Sequence[str], seed: int) -> str | None:
    """The state in between a commit and its parent; None when the commit has no other Python file."""
    listed = Git(repository).run("diff-tree", "-r", "-z", "--name-only", base, commit, "--", "*.py")
    if len([path for path in listed.split(b"\0") if path]) < 2:
        return None
    return _half(repository, base, commit, random.Random(f"{seed}:{commit}").choice(choices))


def _half(repository: Path, base: str, commit: str, path: str) -> str:
    """The commit whose tree is the base's with one file of the later commit."""
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        _git(repository, "read-tree", base, env=index)
        mode, _, blob = _git(repository, "ls-tree", commit, "--", path).partition("\t")[0].split()
        _git(repository, "update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}", env=index)
        tree = _git(repository, "write-tree", env=index)
    message = f"Half of {commit}: {path}"
    made = _git(repository, "commit-tree", tree, "-p", base, "-m", message, env=_WHO)
    _git(repository, "update-ref", f"refs/heads/half/{commit}", made)
    return made


def _git(repository: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["git", f"--git-dir={repository}", *arguments],
        env={**os.environ, **(env or {})},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.strip()
