"""Churn signals: which of the files that a commit touches have been changing the most.

Intensity follows the finding that churn *relative* to its surroundings predicts defects where absolute
counts do not (Nagappan and Ball, "Use of Relative Code Churn Measures to Predict System Defect Density",
ICSE 2005): ``log2(1 + commits) * log2(1 + added + deleted)``, divided by the largest value in the window.
Logarithms keep one generated file from dwarfing all others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Protocol

from repo_guardian.tools.signals.interface import ChurnDetail, Signal, SignalKind, one_line, signal_key


class ChurnRecord(Protocol):
    """What the history of one file amounts to within a window of commits; the git layer's record fits.

    Counts of commits, lines added, lines deleted, distinct authors, and commits since the last touch; and
    the main author's share.
    """

    @property
    def commits(self) -> int:
        """Commits that touched the file."""
        ...

    @property
    def added(self) -> int:
        """Lines added by them."""
        ...

    @property
    def deleted(self) -> int:
        """Lines deleted by them."""
        ...

    @property
    def authors(self) -> int:
        """Distinct authors."""
        ...

    @property
    def age(self) -> int:
        """Commits since the last one that touched the file; 0 is the newest of the window."""
        ...

    @property
    def main_share(self) -> float:
        """The share of the commits that the most frequent author made, in 0..1."""
        ...


def intensities(records: Mapping[str, ChurnRecord]) -> dict[str, float]:
    """Path to churn in 0..1, relative to the most churned file; see the module's formula."""
    raw = {
        path: math.log2(1 + max(0, r.commits)) * math.log2(1 + max(0, r.added) + max(0, r.deleted))
        for path, r in records.items()
    }
    most = max(raw.values(), default=0.0)
    return {path: value / most if most else 0.0 for path, value in raw.items()}


def churn_signals(
    records: Mapping[str, ChurnRecord], changed_paths: Collection[str], top: int
) -> tuple[Signal, ...]:
    """One signal for each of the ``top`` most churned files among ``changed_paths``, most churned first.

    Args:
        records: the window's history by path, relative to the tree.
        changed_paths: files that differ between base and commit; those without a record are left out.
        top: how many signals at most.
    """
    relative = intensities(records)
    known = sorted((p for p in set(changed_paths) if p in records), key=lambda p: (-relative[p], p))
    return tuple(_signal(path, records[path], relative[path]) for path in known[: max(0, top)])


def _signal(path: str, record: ChurnRecord, intensity: float) -> Signal:
    commits = "commit" if record.commits == 1 else "commits"
    authors = "author" if record.authors == 1 else "authors"
    line = (
        f"{path}: {record.commits} recent {commits} by {record.authors} {authors}, "
        f"{record.added} lines added and {record.deleted} deleted"
    )
    return Signal(
        # The numbers stay out of the key: the same file, churning on, is the same signal.
        key=signal_key(SignalKind.CHURN, path, "", ""),
        kind=SignalKind.CHURN,
        line=one_line(line),
        symbols=(),
        paths=(path,),
        public=False,
        detail=ChurnDetail(
            record.commits,
            record.added,
            record.deleted,
            record.authors,
            record.age,
            intensity,
            record.main_share,
        ),
    )
