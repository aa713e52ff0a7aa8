"""Where the state of one repository lies, relative to the state directory (DESIGN section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StateDir:
    """The layout; nothing here touches the disk.

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

    def checkout(self, number: int, commit: str | None) -> Path:
        """The ephemeral checkout of one tree of cycle ``number``; None is the empty tree."""
        return self.root / "checkouts" / f"{number}_{commit or 'empty'}"
