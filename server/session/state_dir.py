"""Where the state of one repository lies, relative to the state directory (DESIGN section 2), and may not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import UsageError
from repo_guardian.tools.git.source import Source


@dataclass(frozen=True, slots=True)
class StateDir:
    """The layout; nothing in it touches the disk.

    ``home`` is shared by all repositories, ``repository_id`` names this one's folder in it.
    """

    home: Path
    repository_id: str

    @property
    def root(self) -> Path:
        """The repository's folder; the views and facts lie directly below it."""
        return self.home / self.repository_id

    @property
    def mirror(self) -> Path:
        """The bare mirror."""
        return self.root / "mirror.git"

    @property
    def memory(self) -> Path:
        """The repository memory."""
        return self.root / "memory"

    @property
    def churn(self) -> Path:
        """What commits did to their files, for churn; a cache."""
        return self.root / "history" / "churn"

    @property
    def toolchain(self) -> Path:
        """The repository's dependencies, one folder per dependency set."""
        return self.root / "toolchain"

    @property
    def harness(self) -> Path:
        """The pinned test runner, shared by all repositories."""
        return self.home / "harness"

    @property
    def runs(self) -> Path:
        """Reports and decision logs, one folder per cycle."""
        return self.root / "runs"

    @property
    def checkouts(self) -> Path:
        """The ephemeral checkouts of a running cycle."""
        return self.root / "checkouts"

    @property
    def checks(self) -> Path:
        """The folders of running checks, and the report of the last one."""
        return self.root / "checks"

    @property
    def last_check(self) -> Path:
        """What the last check that ran something found, as a report in JSON."""
        return self.checks / "last.json"

    @property
    def last_fast_check(self) -> Path:
        """What the last check of the graphs alone found: it must not cost a proof of the one before."""
        return self.checks / "last_fast.json"


def refuse_state_inside(home: Path, source: Source, repository: str) -> None:
    """The watched repository stays as it is: nothing of ours may lie in its work tree or git directory.

    Args:
        repository: what ``source`` was located from.

    Raises:
        UsageError: the state directory does.
    """
    if not source.local:
        return
    real = home.resolve()
    for watched in (Path(source.location), Path(source.url), Path(repository).resolve()):
        if real == watched or watched in real.parents:
            raise UsageError(
                f"the state directory {home} lies inside the watched repository",
                hint="name another one with --home or GUARDIAN_HOME",
            )
