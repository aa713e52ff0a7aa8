"""What the upkeep of a memory found and did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it was written: ``what`` in one line, and the ``way_out`` of it."""

    what: str
    way_out: str


@dataclass(frozen=True, slots=True)
class Health:
    """How a memory is.

    Attributes:
        cycles, words, snapshots: how many were looked at; 0 where the database could not be read.
        interrupted: cycles that were begun, and whose process died before they ended.
        older: an older version wrote it; what was checked is a migrated copy of it.
        damage: all that was found, in the order of the checks.
    """

    cycles: int = 0
    words: int = 0
    snapshots: int = 0
    interrupted: tuple[int, ...] = ()
    older: bool = False
    damage: tuple[Damage, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged. An interrupted cycle is no damage: nothing of it was ever visible."""
        return not self.damage


@dataclass(frozen=True, slots=True)
class Copied:
    """A backup or an archive: where it lies, and how many cycles and words of humans it holds."""

    path: Path
    cycles: int
    words: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did.

    Attributes:
        cycles, words: how many the memory holds now.
        anew: the database was damaged or lost, and was made anew.
        added: cycles that were brought into the database.
        written: JSON files that were written anew.
        aside: where what was replaced lies now, None when nothing was.
        losses: what could not be brought back, each in one line.
    """

    cycles: int
    words: int
    anew: bool
    added: tuple[int, ...]
    written: tuple[Path, ...]
    aside: Path | None
    losses: tuple[str, ...]
