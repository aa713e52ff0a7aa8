"""Reads the list of changes that ``difference.py`` prints in a keeper's namespaces."""

from __future__ import annotations

import os
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.namespace import BASE, Namespace
from repo_guardian.sandbox.execution import one_line
from repo_guardian.sandbox.interface import ChangeKind, OverlayChange
from repo_guardian.sandbox.interpreter import Interpreter

_SCRIPT = Path(__file__).with_name("difference.py")
_DEADLINE_S = 60.0
_TOTAL_BYTES = 64 * 1024**2
_MAX_PATHS = 50_000


async def collect_changes(
    namespace: Namespace, interpreter: Interpreter, *, limit_bytes: int
) -> tuple[OverlayChange, ...]:
    """What the upper layer changes, sorted by path, at most ``limit_bytes`` of content a file.

    Raises:
        SandboxError: it cannot be listed within bounds (count, depth, time).
    """
    numbers = [str(number) for number in (limit_bytes, _TOTAL_BYTES, _MAX_PATHS)]
    script = [str(interpreter.host), "-I", "-S", str(_SCRIPT)]
    command = namespace.enter([*script, f"{BASE}/lower", f"{BASE}/disk/upper", *numbers], privileged=True)
    try:
        with anyio.fail_after(_DEADLINE_S):
            done = await anyio.run_process(command, check=False, env={"PATH": os.defpath})
    except TimeoutError:
        raise SandboxError("listing the changes took too long", hint="reset the sandbox") from None
    if done.returncode != 0:
        said = one_line(done.stderr.decode("utf-8", "replace"))
        raise SandboxError(f"the changes under /repo cannot be listed: {said or done.returncode}")
    return tuple(sorted(parse_changes(done.stdout), key=lambda change: change.path))


def parse_changes(output: bytes) -> list[OverlayChange]:
    """The records of ``difference.py``; paths are decoded like ``os.fsdecode`` does.

    Raises:
        SandboxError: the output is not whole.
    """
    changes: list[OverlayChange] = []
    position = 0
    while True:
        end = output.find(b"\n", position)
        fields = output[position:end].decode("ascii", "replace").split(" ") if end >= 0 else []
        if fields == ["end"]:
            return changes
        if len(fields) != 4:
            raise SandboxError("the list of changes under /repo is incomplete")
        path_end = end + 1 + int(fields[2])
        content_end = path_end + int(fields[3])
        changes.append(
            OverlayChange(
                path=os.fsdecode(output[end + 1 : path_end]),
                kind=ChangeKind(fields[0]),
                content=output[path_end:content_end],
                truncated=fields[1] == "1",
            )
        )
        position = content_end
