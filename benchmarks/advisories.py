"""How the evaluation of advisories agrees with the database's own enumeration, and what else it holds.

The PyPA database lists, beside ranges, the versions that its own tools found to be in them. Each listed
version is judged here by the ranges alone: a version that they do not reach is a disagreement. So is, the
other way round, a version that some other record of the package lists, and that the ranges of this one reach
though it does not list it. Needs PyYAML.

    python benchmarks/advisories.py DATABASE_FOLDER
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from repo_guardian.tools.advisories.inside.database import read_database
from repo_guardian.tools.advisories.inside.osv import Affected, affected_of


def _beyond(ranges: Affected, others: set[str], counts: Counter[str]) -> list[str]:
    """The versions among ``others`` that ``ranges`` reach."""
    beyond = []
    for version in others:
        counts["versions that only others list"] += 1
        try:
            beyond += [version] if ranges.affects(version) else []
        except ValueError:
            continue
    counts["of these, reached by the ranges"] += len(beyond)
    return beyond


def main() -> None:
    """Print the counts, and every record that disagrees."""
    began = time.process_time()
    database = read_database(Path(sys.argv[1]))
    read_s = time.process_time() - began
    counts: Counter[str] = Counter()
    began = time.process_time()
    for name, records in database.records.items():
        judged = [one for record in records if (one := affected_of(record, name)) is not None]
        universe = {version for one in judged for version in one.versions}
        for record, affected in zip(records, judged, strict=True):
            counts["records without ranges"] += not affected.ranges
            counts["records without versions"] += not affected.versions
            counts["records with neither"] += not (affected.ranges or affected.versions)
            missed = []
            ranges = replace(affected, versions=())
            if affected.ranges and affected.versions:
                beyond = _beyond(ranges, universe - {*affected.versions}, counts)
                if beyond:
                    print(f"{record['id']} {name}: not listed, but in range: {', '.join(sorted(beyond)[:5])}")
            for version in affected.versions if affected.ranges else ():
                counts["versions listed"] += 1
                try:
                    agrees = ranges.affects(version)
                except ValueError:
                    counts["versions that cannot be compared"] += 1
                    continue
                counts["versions that the ranges reach"] += agrees
                missed += [] if agrees else [version]
            if missed:
                print(f"{record['id']} {name}: ranges do not reach {', '.join(missed[:5])} of {len(missed)}")
    print(f"{database.advisories} in force, {database.withdrawn} withdrawn, read in {read_s:.1f} CPU s")
    print(f"judged in {time.process_time() - began:.1f} CPU s")
    for what, number in sorted(counts.items()):
        print(f"{number:8} {what}")


if __name__ == "__main__":
    main()
