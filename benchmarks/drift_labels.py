"""Samples and labels of drift signals as tab-separated text, and how far two readings agree."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from drift_population import Record

SAMPLE_FIELDS = (
    *("id", "repository", "source", "base", "current", "kind", "symbol", "place", "line"),
    *("lagging", "reason"),
)


def write_sample(path: Path, records: Iterable[Record]) -> None:
    """One signal per row: where it is, what it says, and the dependents that lag, as places."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        writer.writerow(SAMPLE_FIELDS)
        for record in records:
            sites = [f"{s.path}:{s.line}{' (name only)' if s.guessed else ''}" for s in record.lagging]
            place = f"{record.base_path}:{record.base_line}"
            if record.current_path:
                place += f" -> {record.current_path}:{record.current_line}"
            names = [name or commit[:12] for name, commit in
                     zip(record.names, (record.base, record.current), strict=True)]  # fmt: skip
            writer.writerow(
                [record.id, record.repository, record.source, *names, record.kind, record.symbol, place,
                 record.line, " ".join(sites[:10]), record.lagging[0].reason if record.lagging else ""]
            )  # fmt: skip


LABEL_FIELDS = ("id", "kind", "label", "reason", "command")
"""``label`` is true, noise or undecided; a command runs in the bare repository and shows what decided."""


def write_labels(path: Path, rows: Iterable[dict[str, str]]) -> None:
    """One reading of a sample."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, LABEL_FIELDS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a tab-separated file, by column."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def kappa(first: dict[str, str], second: dict[str, str]) -> tuple[int, int, float]:
    """Labels that both readings gave, how many are the same, and Cohen's kappa of these (1960).

    What either left undecided is not counted. Kappa is 1 where both know one label only and agree.
    """
    both = [name for name in first if {first[name], second.get(name, "undecided")} <= {"true", "noise"}]
    same = sum(first[name] == second[name] for name in both)
    count = max(1, len(both))
    shares = [[sum(found[name] == label for name in both) / count for found in (first, second)]
              for label in ("true", "noise")]  # fmt: skip
    chance = sum(one * other for one, other in shares)
    return len(both), same, 1.0 if chance == 1 else (same / count - chance) / (1 - chance)


def wilson(good: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927)."""
    if not count:
        return 0.0, 1.0
    z, share = 1.96, good / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * ((share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5)
    return middle - half, middle + half
