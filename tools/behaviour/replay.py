"""The recorded calls and their mutations, made on one commit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO, CommandResult
from repo_guardian.tools.behaviour.interface import BehaviourLimits, CallSource, Outcome, Recording, Target
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite import suite_environment
from repo_guardian.tools.execution.suite_model import SuitePlan

CallId = tuple[str, int, int]
"""Symbol id, number of the recorded input, index of the mutation (-1 for none)."""


@dataclass(slots=True)
class Made:
    """One call as one commit made it: its text, its literal, and its outcome in each of the two orders.

    ``effects`` are reaches beyond its arguments. ``misfit`` names an attribute that this commit's code
    stores and the recorded object has not. ``layouts`` are the attributes by which the outcome shows objects,
    by class. ``views`` are what a test can ask of result and arguments, by place and expression, as far as
    both orders agree; ``source`` is the call as text.
    """

    call: str = ""
    receiver: str = ""
    label: str = ""
    literal: str = ""
    outcomes: list[Outcome] = field(default_factory=list)
    effects: set[str] = field(default_factory=set)
    misfit: str = ""
    layouts: dict[str, str] = field(default_factory=dict)
    views: dict[str, dict[str, str]] = field(default_factory=dict)
    source: CallSource | None = None


@dataclass(slots=True)
class Replay:
    """All calls that one commit made, and how each function's runs ended."""

    calls: dict[CallId, Made] = field(default_factory=dict)
    ended: dict[str, set[str]] = field(default_factory=dict)
    unusable: dict[CallId, str] = field(default_factory=dict)

    def in_time(self, symbol: str) -> bool:
        """Whether all calls of a function were made."""
        return "out of time" not in self.ended.get(symbol, ())

    def missing(self, symbol: str) -> str:
        """Why a function could not be called here; empty when it could."""
        reasons = sorted(why for why in self.ended.get(symbol, ()) if why.startswith("missing: "))
        return reasons[0].removeprefix("missing: ") if reasons else ""


async def replay(
    bench: Bench,
    checkout: Checkout,
    plan: SuitePlan,
    targets: Sequence[Target],
    *,
    recording: Recording,
    limits: BehaviourLimits,
) -> Replay:
    """Make the recorded calls of ``targets``, and their mutations, on the tree of ``checkout``.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    watched = [t for t in targets if t.symbol in recording.inputs]
    task = {
        "targets": [
            {
                "key": t.symbol,
                "module": t.module,
                "qualname": t.qualname,
                "inputs": recording.inputs[t.symbol],
            }
            for t in watched
        ],
        "environment": {"PYTHONHASHSEED": "0", **suite_environment(bench, plan)},
        "mutations": limits.mutations,
        "call_s": limits.call_s,
        "target_s": limits.target_s,
        "total_s": limits.replay_s(len(watched)),
        "path": recording.path,
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
    return _read(_records(result))


def _records(result: CommandResult) -> Iterable[Mapping[str, Any]]:
    """The lines that hold a record; a function's own output cannot be among them, but its lies can."""
    for line in result.stdout.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("key"), str):
            yield record


def _read(records: Iterable[Mapping[str, Any]]) -> Replay:
    found = Replay()
    for record in records:
        symbol = record["key"]
        if "ended" in record:
            found.ended.setdefault(symbol, set()).add(str(record["ended"]))
            continue
        call = (symbol, int(record["input"]), int(record["mutation"]))
        outcome = record.get("outcome")
        if isinstance(outcome, dict):
            _add(found.calls.setdefault(call, Made()), record, outcome)
        elif isinstance(record.get("source"), dict):
            found.calls.setdefault(call, Made()).source = _source(record["source"])
        elif "unusable" in record:
            found.unusable[call] = str(record["unusable"])
    return found


def _add(made: Made, record: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
    made.call = str(record.get("call", made.call))
    made.receiver = str(record.get("receiver", made.receiver))
    made.label = str(record.get("label", made.label))
    made.literal = str(record.get("literal", made.literal))
    made.effects.update(map(str, outcome.get("effects", ())))
    made.misfit = made.misfit or str(outcome.get("misfit", ""))
    made.layouts.update((str(name), str(names)) for name, names in outcome.get("layouts", {}).items())
    views = {
        str(where): {str(template): str(text) for template, text in asked.items()}
        for where, asked in outcome.get("views", {}).items()
    }
    made.views = _agreed(made.views, views) if made.outcomes else views
    made.outcomes.append(_outcome(outcome))


def _agreed(
    one: Mapping[str, dict[str, str]], other: Mapping[str, dict[str, str]]
) -> dict[str, dict[str, str]]:
    return {where: dict(one[where].items() & other[where].items()) for where in one.keys() & other.keys()}


def _source(record: Mapping[str, Any]) -> CallSource:
    return CallSource(
        imports=tuple(map(str, record.get("imports", ()))),
        receiver=str(record.get("receiver", "")),
        positional=tuple(map(str, record.get("args", ()))),
        keywords=tuple((str(name), str(text)) for name, text in record.get("kwargs", ())),
        way=str(record.get("way", "call")),
        awaited=bool(record.get("awaited")),
    )


def _outcome(record: Mapping[str, Any]) -> Outcome:
    exception = record.get("exception")
    fate = next((name for name in ("overtime", "died") if record.get(name)), "")
    return Outcome(
        value=str(record.get("value", "")),
        exception=(str(exception[0]), str(exception[1])) if exception else None,
        arguments=str(record.get("arguments", "")),
        warnings=tuple((str(category), str(message)) for category, message in record.get("warnings", ())),
        fate=fate,
        literal=str(record.get("literal", "")),
        iterator=bool(record.get("iterator")),
    )
