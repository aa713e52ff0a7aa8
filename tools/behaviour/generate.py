"""Inputs from annotations, for changed functions that tests reach seldom or never."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO
from repo_guardian.sandbox.toolchain import acquire_generator
from repo_guardian.tools.behaviour.interface import BehaviourLimits, Recording, Target
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite import suite_environment
from repo_guardian.tools.execution.suite_model import SuitePlan
from repo_guardian.tools.execution.toolchains import GENERATOR

_START_S = 30.0
"""For importing Hypothesis, which makes tables of all characters the first time."""


async def with_generator(bench: Bench, *, root: Path) -> Bench:
    """``bench`` with Hypothesis at hand; offline when it is there. One that cannot be had is a problem told.

    Args:
        root: the folder that keeps runners.

    Raises:
        StateDirError: ``root`` cannot be written.
    """
    toolchains = bench.toolchains
    try:
        made = await acquire_generator(runtime=toolchains.workshop.runtime, root=root)
    except ToolchainError as error:
        problem = f"no inputs are made from annotations: {error}"
        return replace(bench, toolchains=replace(toolchains, problems=(*toolchains.problems, problem)))
    return replace(bench, toolchains=replace(toolchains, generator=made))


async def generate(
    bench: Bench,
    checkout: Checkout,
    plan: SuitePlan,
    targets: Sequence[Target],
    *,
    recording: Recording,
    limits: BehaviourLimits,
) -> Recording:
    """``recording`` with inputs added for those of ``targets`` that have fewer than ``limits.few``.

    Made at the base, in a sandbox; without a generator on the bench the recording comes back as it is.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    poor = [t for t in targets if len(recording.inputs.get(t.symbol, ())) < limits.few]
    if bench.toolchains.generator is None or not poor:
        return recording
    environment = suite_environment(bench, plan)
    environment["PYTHONPATH"] += f":{GENERATOR}"
    task = {
        "targets": [{"key": t.symbol, "module": t.module, "qualname": t.qualname} for t in poor],
        "environment": {"PYTHONHASHSEED": "0", **environment},
        "path": recording.path,
        "examples": limits.examples,
        "input_bytes": limits.input_bytes,
        "target_s": limits.generate_s,
        "total_s": _START_S + limits.generate_s * len(poor),
        "generate": True,
    }
    async with bench.open(checkout) as sandbox:
        project = bench.projects.get(checkout.label)
        await apply_edit(sandbox, project.edit() if project is not None else {})
        result = await sandbox.run(
            [sandbox.python, "-I", f"{GUEST}/run_replay.py"],
            cwd=REPO,
            stdin=json.dumps(task).encode(),
            limits=limits.commands,
        )
    return _added(recording, {target.symbol for target in poor}, result.stdout)


def _added(recording: Recording, asked: set[str], output: bytes) -> Recording:
    inputs, generated = dict(recording.inputs), dict(recording.generated)
    for line in output.split(b"\n"):
        try:
            record = json.loads(line)
            symbol, made = str(record["key"]), tuple(map(str, record.get("inputs", ())))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if symbol in asked and made and symbol not in generated:
            own = inputs.get(symbol, ())
            generated[symbol] = len(own)
            inputs[symbol] = (*own, *made)
    return replace(recording, inputs=inputs, generated=generated)
