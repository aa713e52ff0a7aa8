"""The tables: every case with what each tool said of it, and the rates over all cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .corpus import Case

Results = dict[str, dict[str, dict[str, Any]]]
"""What each step gave, by step and case."""
COLUMNS = (
    *("case", "half", "kind", "signal", "rank, unannounced", "proven, rank", "other findings", "s signals"),
    *("s cycle", "griffe", "own suite", "Pynguin"),
)


def collect(work: Path, steps: Sequence[str]) -> Results:
    """What the steps kept below ``work``."""
    return {
        step: {
            kept.stem: json.loads(kept.read_text(encoding="utf-8"))
            for kept in sorted((work / step).glob("*.json"))
        }
        for step in steps
    }


def markdown(cases: Sequence[Case], late: Iterable[str], results: Results) -> str:
    """The table of all cases, and the rates below it."""
    held = frozenset(late)
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(_cells(case, case.name in held, results))} |" for case in cases]
    return "\n".join([*lines, "", *_rates(cases, held, results)])


def signalled(answer: dict[str, Any]) -> bool:
    """Whether ``signals`` told a structural or behavioural signal of the case's."""
    return any(answer.get(part, {}).get("rank") for part in ("structural", "behavioural"))


def _cells(case: Case, held: bool, results: Results) -> list[str]:
    if case.excluded:
        return [case.name, *["excluded: " + case.excluded.partition(":")[0]], *[""] * (len(COLUMNS) - 2)]
    drift = results["signals"].get(case.name, {})
    cycle = results["cycle"].get(case.name, {})
    part = next((p for p in ("structural", "behavioural") if drift.get(p, {}).get("rank")), "")
    ranks = drift.get(part, {})
    silent = ranks.get("rank_unannounced")
    others = sum(not found["own"] for found in cycle.get("findings", ()))
    return [
        case.name,
        "frozen" if held else "open",
        case.kind,
        f"{part} {ranks['rank']} of {ranks['of']}" if part else _missed(drift),
        f"{silent} of {ranks['of_unannounced']}" if silent else "",
        str(cycle["rank"]) if cycle.get("rank") else _missed(cycle),
        str(others) if cycle else "",
        _seconds(drift),
        _seconds(cycle),
        *(_found(results[step].get(case.name, {})) for step in ("griffe", "suite", "pynguin")),
    ]


def _missed(answer: dict[str, Any]) -> str:
    if not answer:
        return ""
    return "failed" if "failed" in answer else "—"


def _seconds(answer: dict[str, Any]) -> str:
    return f"{answer['wall_s']:.0f} / {answer['cpu_s']:.0f}" if "cpu_s" in answer else ""


def _found(answer: dict[str, Any]) -> str:
    if not answer:
        return ""
    if "failed" in answer or answer.get("problem"):
        return "cannot run"
    return "yes" if answer["found"] else "—"


def _rates(cases: Sequence[Case], held: frozenset[str], results: Results) -> list[str]:
    lines = [
        "| | cases | signal | proven | other findings | griffe | own suite | Pynguin |",
        f"|{'---|' * 8}",
    ]
    counted = [case for case in cases if not case.excluded]
    halves = {
        "open": [case for case in counted if case.name not in held],
        "frozen": [case for case in counted if case.name in held],
        "all": counted,
    }
    for half, some in halves.items():
        names = [case.name for case in some]
        cycles = [results["cycle"].get(name, {}) for name in names]
        others = sum(not found["own"] for cycle in cycles for found in cycle.get("findings", ()))
        cells = [
            str(len(names)),
            str(sum(signalled(results["signals"].get(name, {})) for name in names)),
            str(sum(bool(cycle.get("rank")) for cycle in cycles)),
            str(others),
            *(
                str(sum(bool(results[step].get(name, {}).get("found")) for name in names))
                for step in ("griffe", "suite", "pynguin")
            ),
        ]
        lines.append(f"| {half} | {' | '.join(cells)} |")
    return lines
