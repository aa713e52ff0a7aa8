"""Runs Guardian on a case: what it signals, and what it proves.

``signals`` measures what ``guardian drift --run`` tells, without comparing the suites (``baselines`` does),
and has each divergence on the case's functions confirmed by its test. ``cycle`` starts the command as a
user does, with a state directory of its own, and reads its JSON; its costs include mirroring, building the
views and acquiring the toolchain. Costs are seconds of the clock and of the processor, of everything that
was started.
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

from repo_guardian.server.session.drift import measure_drift
from repo_guardian.server.session.executed import drift_bench, ranked
from repo_guardian.server.session.reading import open_repository
from repo_guardian.tools.behaviour.interface import Divergence
from repo_guardian.tools.behaviour.proof import confirm
from repo_guardian.tools.behaviour.run import Tree, behavioural_drift
from repo_guardian.tools.execution.override import FILE_NAME

from .corpus import Case

Answer = dict[str, Any]
_SYMBOLS = 20
_CLAIM = 300


async def signals(case: Case, repository: Path, home: Path, sandbox: str = "auto") -> Answer:
    """Signals on the case's functions, their ranks, and everything else that is told."""
    watched = open_repository(home, str(repository))
    (watched.state.root / FILE_NAME).write_text(case.settings, encoding="utf-8")
    started, before = time.monotonic(), _used_s()
    drift = measure_drift(watched, case.base, case.current)
    structural_s = time.monotonic() - started
    drifts = [
        _signal(case, signal.symbols, evidence.intended, signal.line) for signal, evidence in drift.judged
    ]
    async with drift_bench(watched, drift, sandbox=sandbox) as ready:
        started = time.monotonic()
        sides = ((ready.base, drift.before), (ready.current, drift.after))
        trees = (Tree(checkout, side.graph, side.tree.read) for checkout, side in sides)
        run = await behavioural_drift(ready.bench, *trees)
        wall_s, cpu_s = time.monotonic() - started, _used_s() - before
        found = ranked(drift, run.report.divergences)
        own = [d for d, _ in found if case.concerns(d.target.symbol)]
        proofs = [await confirm(ready.bench, ready.base, ready.current, d, repetitions=1) for d in own]
    behaviours = [
        _signal(case, [d.target.symbol], evidence.intended, behaviour_line(d)) for d, evidence in found
    ]
    report = run.report
    return {
        "wall_s": round(wall_s, 1),
        "cpu_s": round(cpu_s, 1),
        "structural_s": round(structural_s, 1),
        "phases_s": {name: round(seconds, 1) for name, seconds in run.phases_s.items()},
        "structural": _ranks(drifts),
        "behavioural": _ranks(behaviours),
        "signals": drifts + behaviours,
        "proofs": [[p.status.value, p.reason[:_CLAIM], p.test.text if p.test else ""] for p in proofs],
        "python": ".".join(map(str, ready.bench.toolchains.python_version)),
        "changed": [target.symbol for target in run.targets],
        "compared": len(report.compared),
        "unreached": _own(case, report.unreached),
        "reaching_out": _own(case, report.reaching_out),
        "missing": _own(case, [f"{symbol}: {reason}" for symbol, reason in report.missing]),
        "left_out": {"unstable": report.unstable, "misfits": report.left_out.misfits,
                     "reshaped": report.left_out.reshaped, "late": _own(case, report.left_out.late),
                     "effects": dict(report.left_out.effects)},
        "problems": [*ready.bench.toolchains.problems, report.problem],
    }  # fmt: skip


def cycle(case: Case, repository: Path, *, proofs: int, wall_s: float, timeout_s: float) -> Answer:
    """Findings on the case's functions by ``guardian cycle``, their ranks, and the other ones."""
    command = ["cycle", str(repository), "--commit", case.current, "--since", case.base]
    command += ["--proofs", str(proofs), "--wall-s", str(wall_s)]
    report, cost = _guardian(command, timeout_s, case.settings)
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


def _guardian(command: Sequence[str], timeout_s: float, settings: str) -> tuple[Answer, Answer]:
    """The JSON that a command prints, and its costs; no JSON when it failed, with the reason in the costs."""
    program = str(Path(sys.executable).with_name("guardian"))
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="regression_") as home:
        config = Path(home) / "settings.toml"
        config.write_text(settings, encoding="utf-8")
        argv = [program, *command, "--json", "--home", home, "--config", str(config)]
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


def _used_s() -> float:
    """Processor seconds of this process and of all that it waited for."""
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def _signal(case: Case, symbols: Sequence[str], intended: bool, line: str) -> Answer:
    return {
        "own": any(map(case.concerns, symbols)),
        "intended": intended,
        "symbols": list(symbols[:_SYMBOLS]),
        "line": line[:_CLAIM],
    }


def behaviour_line(found: Divergence) -> str:
    """A divergence in one line."""
    return f"{found.target.symbol} called with {found.call}: {found.old.render()} → {found.new.render()}"


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
