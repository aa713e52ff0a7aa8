"""What others say on the same commits: griffe's API check, and the package's own suite."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

from repo_guardian.tools.deltas.interface import DeltaLimits
from repo_guardian.tools.deltas.run import suite_delta
from repo_guardian.tools.execution.suite_layout import find_layout

from .corpus import Case
from .verify import Ready

_GRIFFE = """
import json, logging, sys
import griffe
logging.disable(logging.CRITICAL)
base, current, *names = sys.argv[1:]
found = []
for name in names:
    try:
        sides = [griffe.load(name, search_paths=[root], allow_inspection=False) for root in (base, current)]
        for breakage in griffe.find_breaking_changes(*sides):
            found.append([breakage.kind.name, breakage.obj.path])
    except Exception as error:
        found.append(["failed", type(error).__name__ + ": " + str(error)[:200]])
print(json.dumps(found))
"""
"""Reads sources; nothing of them is imported."""


def ask_griffe(case: Case, ready: Ready, python: str) -> dict[str, Any]:
    """Breakages that griffe reports between the two trees, and whether one is the case's."""
    base, current = ready.checkouts["base"], ready.checkouts["current"]
    started = time.monotonic()
    layout = find_layout(base.path)
    packages = {name.partition(".")[0] for name in case.functions}
    root = next((r for r in layout.roots for p in packages if _is_here(base.path / r / p)), layout.roots[0])
    there = next(
        (r for r in find_layout(current.path).roots for p in packages if _is_here(current.path / r / p)), root
    )
    roots = [str(base.path / root), str(current.path / there)]
    done = subprocess.run(
        [python, "-c", _GRIFFE, *roots, *sorted(packages)], capture_output=True, timeout=300, check=False
    )
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return {"failed": done.stderr.decode(errors="replace")[-300:]}
    own = [entry for entry in found if case.concerns(entry[1])]
    wall_s = round(time.monotonic() - started, 1)
    return {"found": bool(own), "own": own[:10], "others": len(found) - len(own), "wall_s": wall_s}


def _is_here(place: Any) -> bool:
    return bool(place.with_suffix(".py").is_file() or (place / "__init__.py").is_file())


async def run_suite_delta(case: Case, ready: Ready) -> dict[str, Any]:
    """The whole suite of each commit: which tests passed at the base and fail now."""
    started = time.monotonic()
    base, current = ready.checkouts["base"], ready.checkouts["current"]
    delta = await suite_delta(ready.bench, base, current, limits=DeltaLimits())
    failing = [d for d in delta.deltas if d.kind.value == "newly_failing"]
    return {
        "found": bool(failing),
        "newly_failing": [d.test_id for d in failing][:10],
        "compared": delta.compared,
        "problem": delta.problem,
        "wall_s": round(time.monotonic() - started, 1),
    }
