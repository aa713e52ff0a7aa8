"""What a ``co_change_missing`` signal says in detail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CoChangeDetail:
    """A rule of the history that a change does not follow.

    Of ``changes`` earlier commits that touched ``changed``, ``together`` touched ``missing`` as well;
    ``lift`` says how many times as many that is as chance would have it.
    """

    changed: str
    missing: str
    together: int
    changes: int
    lift: float

    def flat(self) -> dict[str, str]:
        """All fields as text, for a wire or a table."""
        return {
            "changed": self.changed,
            "missing": self.missing,
            "together": str(self.together),
            "changes": str(self.changes),
            "lift": f"{self.lift:.3f}",
        }
