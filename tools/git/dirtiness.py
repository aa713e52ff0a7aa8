"""Whether a work tree differs from the HEAD that its mirror holds, for answers that know of HEAD only.

One ``git status`` with the mirror as its repository, so that no filter, monitor or hook of the watched
repository runs; without optional locks nothing is written. Files whose size and times are those of the
watched index count as unchanged, as they do for git. ``worktree.py`` takes a snapshot of the content instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from repo_guardian.errors import NotARepositoryError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.source import Source
from repo_guardian.tools.git.worktree import worktree_root

_STATUS = (
    *("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"),
    "--untracked-files=normal",
)


@dataclass(frozen=True, slots=True)
class Dirtiness:
    """Counts of paths: tracked ones that differ from HEAD, staged or not, and untracked, not ignored ones.

    An untracked directory counts once. Submodules are not looked into.
    """

    changed: int
    untracked: int

    @property
    def dirty(self) -> bool:
        """True when the work tree holds anything that HEAD does not."""
        return bool(self.changed or self.untracked)


def dirtiness(path: Path, source: Source, mirror: Git) -> Dirtiness | None:
    """How the work tree around ``path`` stands to the HEAD in ``mirror``, which was synced just now.

    None when there is no work tree (an address, a bare repository), or it cannot be compared: no index
    yet, a split index, a git that fails or does not end in time.

    Args:
        path: what ``source`` was located from.

    Raises:
        GitError: git is missing, or does not end in time.
    """
    try:
        root = worktree_root(path, source)
    except NotARepositoryError:
        return None
    index = Path(source.url) / "index"
    if not index.is_file():
        return None
    git = replace(mirror, work_tree=root, index=index)
    excludes = ("-c", f"core.excludesFile={Path(source.url) / 'info' / 'exclude'}")
    outcome = git.attempt(*excludes, *_STATUS)
    if outcome.code != 0:
        return None
    records = [record for record in outcome.stdout.split(b"\0") if record]
    untracked = sum(record.startswith(b"??") for record in records)
    return Dirtiness(len(records) - untracked, untracked)
