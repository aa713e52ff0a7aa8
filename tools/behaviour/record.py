"""One instrumented run of the suite at the base: the arguments that tests pass to the targets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO, CommandResult, ProcessStatus, Sandbox
from repo_guardian.tools.behaviour.interface import BehaviourLimits, Recording, Target
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite import suite_argv, suite_environment
from repo_guardian.tools.execution.suite_model import SuitePlan
from repo_guardian.tools.probes.runner import PROBE_DIR, REPORT

_TASK = f"{PROBE_DIR}/record.json"
_OUT = f"{PROBE_DIR}/recorded.json"
_PLUGIN = "guardian_behaviour.recorder"
_KEPT_S = 60.0


async def record(
    bench: Bench, checkout: Checkout, plan: SuitePlan, targets: Sequence[Target], limits: BehaviourLimits
) -> Recording:
    """Run the suite of ``checkout`` once and keep the calls of ``targets``.

    It ends as soon as enough is known of each, or when the time is up. A suite that fails in part, or ends
    early, still gives what it recorded; nothing here is evidence.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    watched = list(targets)[: limits.targets]
    task = {
        "targets": [[f"{REPO}/{t.path}", t.line, t.symbol] for t in watched],
        "inputs": limits.inputs,
        "input_bytes": limits.input_bytes,
        "total_bytes": limits.total_bytes,
        "seconds": limits.record_s,
        "root": REPO,
        "out": _OUT,
    }
    async with bench.open(checkout) as sandbox:
        project = bench.projects.get(checkout.label)
        await apply_edit(sandbox, {**(project.edit() if project is not None else {}), **plan.edit})
        await sandbox.write_file(_TASK, json.dumps(task).encode())
        result = await sandbox.run(
            [sandbox.python, "-I", f"{GUEST}/supervisor.py"],
            cwd=PROBE_DIR,
            stdin=json.dumps(_suite_task(bench, plan, sandbox.python)).encode(),
            limits=limits.commands,
        )
        return await _recording(sandbox, result, limits)


def _suite_task(bench: Bench, plan: SuitePlan, python: str) -> dict[str, Any]:
    return {
        "argv": suite_argv(python, bench, plan, plugins=[_PLUGIN]),
        "environment": {**suite_environment(bench, plan), "GUARDIAN_RECORD": _TASK},
        "cwd": REPO,
        "report": REPORT,
        "files": [],
    }


async def _recording(sandbox: Sandbox, result: CommandResult, limits: BehaviourLimits) -> Recording:
    try:
        data = await sandbox.read_file(_OUT, limit_bytes=2 * limits.total_bytes + 1024**2)
        document = json.loads(data)
        inputs = {str(key): tuple(map(str, calls)) for key, calls in document["recorded"].items()}
        path = tuple(map(str, document["path"]))
        skipped = {
            str(key): {str(reason): int(count) for reason, count in reasons.items()}
            for key, reasons in document["skipped"].items()
        }
    except (SandboxError, ValueError, KeyError, TypeError, AttributeError):
        return Recording({}, {}, _problem(result), result.duration_s)
    return Recording(inputs, skipped, "", result.duration_s, path)


def _problem(result: CommandResult) -> str:
    if result.status is not ProcessStatus.EXITED:
        return f"the instrumented run ended as {result.status.value}"
    return "the instrumented run left no recording: the suite did not come to its end"
