"""The tables of ``docs/precision.md``: from the committed labels, and the populations that were drawn from.

    python benchmarks/drift_table.py labels SAMPLE ...        e.g. kinds.1 lagging.1
    python benchmarks/drift_table.py population FOLDER ...

``labels`` reads ``benchmarks/labels/SAMPLE.first.tsv`` and ``SAMPLE.second.tsv``; what is undecided counts as
noise. ``population`` reads what ``drift_histories.py collect`` wrote.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from drift_labels import kappa, read_rows, wilson
from drift_population import Record, read

LABELS = Path(__file__).with_name("labels")


def labels_table(names: Sequence[str]) -> None:
    """Precision of every sample by kind, and of ``lagging`` ones by where they come from."""
    for name in names:
        first, second = (_labels(f"{name}.{which}") for which in ("first", "second"))
        rows = read_rows(LABELS / f"{name}.sample.tsv")
        key = "source" if name.startswith("lagging") else "kind"
        print(f"\n| {name}: {key} | drawn | true | noise | precision | 95 % interval |\n|{'---|' * 6}")
        groups = sorted({row[key] for row in rows})
        for group in [*groups, "all"]:
            ids = [row["id"] for row in rows if group in (row[key], "all")]
            good = sum(first[found] == "true" for found in ids)
            low, high = wilson(good, len(ids))
            cells = [
                group,
                len(ids),
                good,
                len(ids) - good,
                f"{good / len(ids):.3f}",
                f"{low:.2f} to {high:.2f}",
            ]
            print(f"| {' | '.join(map(str, cells))} |")
        compared, same, found = kappa(first, second)
        left = len(rows) - compared
        print(
            f"\nsecond reading: {same} of {compared} alike, {left} left undecided, Cohen's kappa {found:.2f}"
        )


def _labels(name: str) -> dict[str, str]:
    path = LABELS / f"{name}.tsv"
    return {row["id"]: row["label"] for row in read_rows(path)} if path.exists() else {}


def population_table(folders: Sequence[str]) -> None:
    """Signals by kind and source, and changed contracts with dependents that lag, by repository."""
    records = read([path for folder in folders for path in sorted(Path(folder).glob("*.jsonl"))])
    _count(records, "kind", lambda r: r.kind)
    _count(
        [r for r in records if r.kind == "contract_changed" and r.lagging], "lagging", lambda r: r.repository
    )


def _count(records: Sequence[Record], title: str, key: Callable[[Record], str]) -> None:
    sources = sorted({record.source for record in records})
    counts = Counter((key(record), record.source) for record in records)
    print(f"\n| {title} | {' | '.join(sources)} |\n|{'---|' * (len(sources) + 1)}")
    for name in sorted({key(record) for record in records}):
        print(f"| {name} | {' | '.join(str(counts[name, source]) for source in sources)} |")
    print(f"| all | {' | '.join(str(sum(counts[k] for k in counts if k[1] == s)) for s in sources)} |")


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("labels", "population"))
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    (labels_table if options.what == "labels" else population_table)(options.names)


if __name__ == "__main__":
    main()
