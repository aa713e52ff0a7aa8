"""Replays recorded inputs: one fresh ``worker`` process per function and order, bounded in time.

Started by ``run_replay.py`` with a JSON task on standard input: ``{"targets": [{"key", "module", "qualname",
"inputs": [base64 pickle, ...]}, ...], "environment": {...}, "mutations": int, "call_s": float, "target_s":
float, "total_s": float}``. Prints JSON lines: ``{"key", "run", ...}`` for each record of a worker, and one
``{"key", "run", "ended": why}`` per process. Each function is run in order and in reverse order, so that what
depends on earlier calls, on time or on chance shows as two outcomes of one call.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import Any

_START_S = 20.0
"""How long importing a function's module may take."""
_RESTARTS = 5
"""How often a function's worker is started again after a call that ended or hung the process."""


def main() -> None:
    """Run the task from standard input."""
    task = json.load(sys.stdin)
    deadline = time.monotonic() + task["total_s"]
    for target in task["targets"]:
        for run in (0, 1):
            limit = min(deadline, time.monotonic() + task["target_s"])
            _say(key=target["key"], run=run, ended=_Replay(target, task, run, limit).run())
    sys.stdout.flush()


class _Replay:
    """One function in one order, in as many processes as its calls end or hang."""

    def __init__(self, target: dict[str, Any], task: dict[str, Any], run: int, deadline: float) -> None:
        self._target = target
        self._task = task
        self._run = run
        self._deadline = deadline
        self._without: list[list[int]] = []
        self._last: list[int] | None = None

    def run(self) -> str:
        """Why it ended: ``done``, ``out of time``, ``missing: …``, or the processes were lost too often."""
        for _ in range(_RESTARTS):
            if time.monotonic() >= self._deadline:
                return "out of time"
            ended = self._process()
            if ended != "lost" or self._last is None:
                return ended
            self._say(input=self._last[0], mutation=self._last[1], outcome={"died": True})
            self._without.append(self._last)
        return "lost too often"

    def _process(self) -> str:
        """One worker, followed to its end."""
        reader, writer = os.pipe()
        process = subprocess.Popen(  # noqa: S603  the argv is ours; this is the place to run it
            [sys.executable, "-s", sys.argv[0], "worker"],
            env={**os.environ, **self._task["environment"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writer,),
            start_new_session=True,
        )
        os.close(writer)
        self._last = None
        try:
            with contextlib.suppress(BrokenPipeError):
                if process.stdin is not None:
                    process.stdin.write(self._order(writer))
                    process.stdin.close()
            return self._follow(reader)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(reader)

    def _order(self, descriptor: int) -> bytes:
        order = {
            "module": self._target["module"],
            "qualname": self._target["qualname"],
            "inputs": self._target["inputs"],
            "mutations": self._task["mutations"],
            "call_s": self._task["call_s"],
            "reverse": bool(self._run),
            "without": self._without,
            "fd": descriptor,
        }
        return json.dumps(order).encode()

    def _follow(self, reader: int) -> str:
        """Pass the worker's records on until it ends, or is silent for too long."""
        pending = b""
        while True:
            silence = _START_S if self._last is None else self._task["call_s"] * 3 + 2
            wait = min(silence, self._deadline - time.monotonic())
            if wait <= 0 or not select.select([reader], [], [], wait)[0]:
                return "out of time" if time.monotonic() >= self._deadline else "lost"
            data = os.read(reader, 1 << 16)
            if not data:
                return "lost"
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                ended = self._take(line)
                if ended:
                    return ended

    def _take(self, line: bytes) -> str:
        """One record; returns why the worker is done, empty when it goes on."""
        try:
            record = json.loads(line)
        except ValueError:
            return ""
        if "done" in record:
            return "done"
        if "missing" in record:
            return "missing: " + str(record["missing"])
        call = [record["input"], record["mutation"]]
        if "begun" in record:
            self._last = call
        else:
            self._without.append(call)
            self._say(**record)
        return ""

    def _say(self, **fields: Any) -> None:
        _say(key=self._target["key"], run=self._run, **fields)


def _say(**fields: Any) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
