"""Runs Guardian's commands on a case, each with a state directory of its own, and reads their JSON.

``drift --run`` shows which signals there are and in which order; ``cycle`` what is proven. Both are started
as a user starts them. Costs are seconds of the clock and of the processor, of the command and everything
that it started; they include mirroring, building the views and acquiring the toolchain.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .corpus import Case

Answer = dict[str, Any]
_SYMBOLS = 20
_CLAIM = 300


def drift(case: Case, repository: Path, *, timeout_s: float, config: Path | None = None) -> Answer:
    """Signals on the case's functions by ``guardian drift --run``, their ranks, and everything else told."""
    command = ["drift", str(repository), case.base, case.current, "--run", "--all", "--limit", "100000"]
    answer, cost = _guardian(command, timeout_s, config)
    if not answer:
        return cost
    structure, executed = answer["structure"], answer.get("executed") or {}
    drifts = [
        _signal(case, i["signal"]["symbols"], i["intent"], i["signal"]["line"]) for i in structure["items"]
    ]
    behaviours = [
        _signal(case, [i["symbol"]], i["intent"], _told(i)) for i in executed.get("divergences", ())
    ]
    return {
        **cost,
        "structural": _ranks(drifts),
        "behavioural": _ranks(behaviours),
        "signals": drifts + behaviours,
        "tests": [t for t in executed.get("tests", ()) if t["kind"] == "newly_failing"],
        "changed": executed.get("functions_changed", 0),
        "compared": executed.get("functions_compared", 0),
        "unreached": _own(case, executed.get("unreached", ())),
        "reaching_out": _own(case, executed.get("reaching_out", ())),
        "missing": _own(case, executed.get("missing", ())),
        "left_out": executed.get("left_out", {}),
        "problems": executed.get("problems", ()),
    }


def cycle(case: Case, repository: Path, *, proofs: int, wall_s: float, timeout_s: float) -> Answer:
    """Findings on the case's functions by ``guardian cycle``, their ranks, and the other ones."""
    command = ["cycle", str(repository), "--commit", case.current, "--since", case.base]
    command += ["--proofs", str(proofs), "--wall-s", str(wall_s)]
    report, cost = _guardian(command, timeout_s, None)
    if not report:
        return cost
    findings = [_hypothesis(case, entry) for entry in report["findings"]]
    others = [_hypothesis(case, entry) for entry in report["other_hypotheses"]]
    own = [number for number, found in enumerate(findings, 1) if found["own"]]
    return {
        **cost,
        "rank": own[0] if own else None,
        "findings": findings,
        "hypotheses": others,
        "signals_total": report["signals_total"],
        "signalled": bool(own) or any(h["own"] for h in others) or _in_backlog(case, report),
        "exit_reason": report["cycle"]["exit_reason"],
        "reported_cost": report["cost"],
        "validity": report["validity"],
    }


def _guardian(command: Sequence[str], timeout_s: float, config: Path | None) -> tuple[Answer, Answer]:
    """The JSON that a command prints, and its costs; no JSON when it failed, with the reason in the costs."""
    program = str(Path(sys.executable).with_name("guardian"))
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="regression_") as home:
        if config is not None:
            command = [*command, "--config", str(config)]
        argv = [program, *command, "--json", "--home", home]
        try:
            done = subprocess.run(
                argv,
                capture_output=True,
                timeout=timeout_s,
                check=False,
                env={**os.environ, "GUARDIAN_HOME": home},
            )
            output, problem = done.stdout, done.stderr.decode(errors="replace").strip()[-400:]
        except subprocess.TimeoutExpired:
            output, problem = b"", f"not done after {timeout_s:.0f} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cost: Answer = {"wall_s": round(time.monotonic() - started, 1), "cpu_s": round(cpu_s, 1)}
    try:
        return json.loads(output), cost
    except ValueError:
        return {}, {**cost, "failed": problem}


def _signal(case: Case, symbols: Sequence[str], intent: Answer, line: str) -> Answer:
    return {
        "own": any(map(case.concerns, symbols)),
        "intended": bool(intent["announced"] or intent["followed"]),
        "symbols": list(symbols[:_SYMBOLS]),
        "line": line[:_CLAIM],
    }


def _told(item: Answer) -> str:
    return f"{item['symbol']} called with {item['call']}: {item['before']} → {item['after']}"


def _ranks(signals: Sequence[Answer]) -> Answer:
    """Rank of the first signal on the case's functions among all and among those nothing speaks for."""
    silent = [signal for signal in signals if not signal["intended"]]
    own, own_silent = (
        next((number for number, signal in enumerate(some, 1) if signal["own"]), None)
        for some in (signals, silent)
    )
    return {"rank": own, "of": len(signals), "rank_unannounced": own_silent, "of_unannounced": len(silent)}


def _own(case: Case, texts: Sequence[str]) -> list[str]:
    return [text for text in texts if case.concerns(text.partition(":")[0])]


def _hypothesis(case: Case, entry: Answer) -> Answer:
    symbols = [*entry["locus"].get("symbols", ()), *(s for g in entry["signals"] for s in g["symbols"])]
    return {
        "own": any(map(case.concerns, symbols)),
        "grade": entry["grade"],
        "claim": entry["claim"][:_CLAIM],
        "symbols": list(dict.fromkeys(symbols))[:_SYMBOLS],
        "kinds": sorted({signal["kind"] for signal in entry["signals"]}),
    }


def _in_backlog(case: Case, report: Answer) -> bool:
    return any(case.concerns(part) for b in report["backlog"] for part in b["signal_key"].split(":"))
