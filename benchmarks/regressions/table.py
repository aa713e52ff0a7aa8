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
    *("case", "half", "kind", "Python", "signal: rank of all", "of the unannounced", "its test"),
    *("finding: rank", "other findings", "s signals", "s cycle", "griffe", "own suite", "Pynguin"),
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
    """The table of all cases, and the rates above it."""
    held = frozenset(late)
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(_cells(case, case.name in held, results))} |" for case in cases]
    return "\n".join([*_rates(cases, held, results), "", *lines])


def signalled(answer: dict[str, Any]) -> bool:
    """Whether there is a structural or behavioural signal on the case's functions."""
    return any(answer.get(part, {}).get("rank") for part in ("structural", "behavioural"))


def tested(answer: dict[str, Any]) -> bool:
    """Whether a test of such a divergence passes at the base and fails now."""
    return any(status == "confirmed" for status, *_ in answer.get("proofs", ()))


def _cells(case: Case, held: bool, results: Results) -> list[str]:
    if case.excluded:
        return [case.name, "excluded: " + case.excluded.partition(":")[0], *[""] * (len(COLUMNS) - 2)]
    told = results["signals"].get(case.name, {})
    cycle = results["cycle"].get(case.name, {})
    part = next((p for p in ("behavioural", "structural") if told.get(p, {}).get("rank")), "")
    ranks = told.get(part, {})
    silent = ranks.get("rank_unannounced")
    return [
        case.name,
        "frozen" if held else "open",
        case.kind,
        told.get("python", ""),
        f"{part} {ranks['rank']} of {ranks['of']}" if part else _missed(told),
        f"{silent} of {ranks['of_unannounced']}" if silent else "",
        told["proofs"][0][0].replace("_", " ") if told.get("proofs") else "",
        str(cycle["rank"]) if cycle.get("rank") else _missed(cycle),
        str(_others(cycle)) if "findings" in cycle else "",
        _seconds(told),
        _seconds(cycle),
        *(_found(results[step].get(case.name, {})) for step in ("griffe", "suite", "pynguin")),
    ]


def _others(cycle: dict[str, Any]) -> int:
    return sum(not found["own"] for found in cycle.get("findings", ()))


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
    heads = ("", "cases", "signal", "its test confirmed", "finding", "proven by either", "other findings")
    heads += ("griffe", "own suite", "Pynguin")
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    counted = [case for case in cases if not case.excluded]
    halves = {
        "open": [case for case in counted if case.name not in held],
        "frozen": [case for case in counted if case.name in held],
        "all": counted,
    }
    for half, some in halves.items():
        told = [results["signals"].get(case.name, {}) for case in some]
        cycles = [results["cycle"].get(case.name, {}) for case in some]
        cells = [
            str(len(some)),
            str(sum(map(signalled, told))),
            str(sum(map(tested, told))),
            _of((bool(cycle.get("rank")) for cycle in cycles if cycle), len(some)),
            str(sum(tested(one) or bool(cycle.get("rank")) for one, cycle in zip(told, cycles, strict=True))),
            str(sum(map(_others, cycles))),
        ]
        for step in ("griffe", "suite", "pynguin"):
            answers = [results[step].get(case.name, {}) for case in some]
            cells.append(_of((bool(answer.get("found")) for answer in answers if answer), len(some)))
        lines.append(f"| {half} | {' | '.join(cells)} |")
    return lines


def _of(found: Iterable[bool], cases: int) -> str:
    """How many, and of how many where a step was not run on all cases."""
    known = list(found)
    return str(sum(known)) if len(known) == cases else f"{sum(known)} of {len(known)} run"
