"""Which releases exist for a commit: those of its day, and none that is younger than a cooldown.

A release that nobody has looked at yet is how malicious packages spread; most are found within days. What
the repository's own lock file pins was chosen by its developers and is exempt.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

COOLDOWN = timedelta(hours=72)
"""How old a release must be before it is taken."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Releases from ``released`` on do not exist, pinned ones from ``locked`` on; None is no bound."""

    released: datetime | None = None
    locked: datetime | None = None

    def options(self, pinned: tuple[str, ...]) -> tuple[str, ...]:
        """Uv's options; ``pinned`` are the names of what a lock file pins."""
        if self.released is None:
            return ()
        options = ["--exclude-newer", _text(self.released)]
        if self.locked is not None and self.locked > self.released:
            for name in pinned:
                options += ["--exclude-newer-package", f"{name}={_text(self.locked)}"]
        return tuple(options)


NO_CUTOFF = Cutoff()


def cutoff_for(as_of: datetime, *, now: datetime, cooldown: timedelta = COOLDOWN) -> Cutoff:
    """The bounds for a commit made at ``as_of``; both moments carry a time zone.

    By day (UTC), so that the commits of a day share a toolchain and a commit may use what was released
    before it that day.
    """
    day_after = _day(as_of) + _DAY
    return Cutoff(released=min(day_after, _day(now - cooldown)), locked=day_after)


def _day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
