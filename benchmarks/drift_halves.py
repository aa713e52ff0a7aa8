"""Half commits: a commit's parent with only some of the commit's files, as a work tree stands in between.

In a history that passes its tests hardly any call lags behind a contract, because the commit that changes it
changes its callers too. What a developer asks about is the state before that: one file is edited, the others
are not yet. Such states are made from a real commit by taking one of the files in which it declares something
otherwise, drawn by seed, and by taking all but its tests. What the commit did to its other files then tells
whether a use lagged.

The states become commits of the bare repository, under ``refs/heads/half/``, with fixed names and dates: they
have the same ids wherever they are made.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from drift_reshaped import SOURCE_FILES

from repo_guardian.tools.git.command import Git

_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "half"), ("EMAIL", "half@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}


def halves_of(repository: Path, base: str, commit: str, choices: Sequence[str], seed: int) -> Iterator[str]:
    """The states in between a commit and its parent: one file alone, and all files but tests and documents.

    None when nothing is left out, and only one when both are the same.
    """
    every, sources = (_modified(repository, base, commit, *which) for which in (("*.py",), SOURCE_FILES))
    one = [random.Random(f"{seed}:{commit}").choice(choices)]
    for paths in (one, sources) if sources != one else (one,):
        if len(paths) < len(every):
            yield _half(repository, base, commit, paths)


def _modified(repository: Path, base: str, commit: str, *which: str) -> list[str]:
    options = ("-r", "-z", "--name-only", "--no-renames", "--diff-filter=M")
    listed = Git(repository).run("diff-tree", *options, base, commit, "--", *which)
    return [path for path in listed.decode("utf-8", "replace").split("\0") if path]


def _half(repository: Path, base: str, commit: str, paths: Sequence[str]) -> str:
    """The commit whose tree is the base's with some files of the later commit."""
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        _git(repository, "read-tree", base, env=index)
        for path in paths:
            mode, _, blob = _git(repository, "ls-tree", commit, "--", path).partition("\t")[0].split()
            _git(repository, "update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}", env=index)
        tree = _git(repository, "write-tree", env=index)
    message = f"Half of {commit}: {' '.join(paths)}"
    made = _git(repository, "commit-tree", tree, "-p", base, "-m", message, env=_WHO)
    _git(repository, "update-ref", f"refs/heads/half/{commit}/{made}", made)
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
