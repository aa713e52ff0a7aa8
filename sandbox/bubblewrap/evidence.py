"""Runs the scripts that look at what strangers left, in a keeper's namespaces, and reads their answers."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.namespace import BASE, Namespace
from repo_guardian.sandbox.collection import HARVEST_SCRIPT, fresh_folder, harvest_of
from repo_guardian.sandbox.execution import one_line
from repo_guardian.sandbox.interface import ChangeKind, Harvest, OverlayChange
from repo_guardian.sandbox.interpreter import current_interpreter

_DIFFERENCE_SCRIPT = Path(__file__).with_name("difference.py")
_DEADLINE_S = 60.0
_TOTAL_BYTES = 64 * 1024**2
_MAX_PATHS = 50_000


async def _answer(
    namespace: Namespace, script: Path, arguments: Sequence[str], what: str, pass_fds: tuple[int, ...] = ()
) -> bytes:
    """What ``script`` prints when it is run with the keeper's rights, every other process gone before.

    Raises:
        SandboxError: it failed or took too long; ``what`` says what it was doing.
    """
    await namespace.settle()
    python = [str(current_interpreter().host), "-I", "-S", str(script)]
    command = namespace.enter([*python, *arguments], privileged=True)
    try:
        with anyio.fail_after(_DEADLINE_S):
            done = await anyio.run_process(
                command, check=False, env={"PATH": os.defpath}, pass_fds=pass_fds, start_new_session=True
            )
    except TimeoutError:
        raise SandboxError(f"{what}: it takes too long", hint="reset the sandbox") from None
    finally:
        with anyio.CancelScope(shield=True):
            await namespace.settle()
    if done.returncode != 0:
        said = one_line(done.stderr.decode("utf-8", "replace"))
        raise SandboxError(f"{what}: {said or done.returncode}")
    return done.stdout


async def collect_changes(namespace: Namespace, *, limit_bytes: int) -> tuple[OverlayChange, ...]:
    """What the upper layer changes, sorted by path, at most ``limit_bytes`` of content a file.

    Raises:
        SandboxError: it cannot be listed within bounds (count, depth, time).
    """
    numbers = [str(number) for number in (limit_bytes, _TOTAL_BYTES, _MAX_PATHS)]
    arguments = [f"{BASE}/lower", f"{BASE}/disk/upper", f"{BASE}/repo", *numbers]
    what = "the changes under /repo cannot be listed"
    output = await _answer(namespace, _DIFFERENCE_SCRIPT, arguments, what)
    return tuple(sorted(parse_changes(output), key=lambda change: change.path))


async def collect_harvest(
    namespace: Namespace, destination: Path, *, limit_bytes: int, limit_files: int
) -> Harvest:
    """Copy the writable channel to ``destination``; see ``Sandbox.harvest``.

    Raises:
        SandboxError: ``destination`` exists or cannot be written.
    """
    with fresh_folder(destination) as folder:
        arguments = [f"{BASE}/disk/out", str(folder), str(limit_bytes), str(limit_files)]
        what = f"cannot write {destination}"
        output = await _answer(namespace, HARVEST_SCRIPT, arguments, what, pass_fds=(folder,))
        answer = json.loads(output)
        return harvest_of(answer["files"], answer["bytes"], answer["left_out"])


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
