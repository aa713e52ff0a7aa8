"""How the evaluation of advisories agrees with the database's own enumeration, and what else it holds.

The PyPA database lists, beside ranges, the versions that its own tools found to be in them. Each listed
version is judged here by the ranges alone: a version that they do not reach is a disagreement. Needs PyYAML.

    python benchmarks/advisories.py DATABASE_FOLDER
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from repo_guardian.tools.advisories.inside.database import read_database
from repo_guardian.tools.advisories.inside.osv import affected_of


def main() -> None:
    """Print the counts, and every record that disagrees."""
    began = time.process_time()
    database = read_database(Path(sys.argv[1]))
    read_s = time.process_time() - began
    counts: Counter[str] = Counter()
    began = time.process_time()
    for name, records in database.records.items():
        for record in records:
            affected = affected_of(record, name)
            assert affected is not None
            counts["records without ranges"] += not affected.ranges
            counts["records without versions"] += not affected.versions
            counts["records with neither"] += not (affected.ranges or affected.versions)
            missed = []
            ranges = replace(affected, versions=())
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
