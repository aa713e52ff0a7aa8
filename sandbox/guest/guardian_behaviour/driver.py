"""Replays recorded inputs: each function in two orders, each in a process that has made no other call.

Started by ``run_replay.py`` with a JSON task on standard input: ``{"targets": [{"key", "module", "qualname",
"inputs": [base64 pickle, ...]}, ...], "environment": {...}, "path": [folder, ...], "mutations": int,
"call_s": float, "target_s": float, "total_s": float}``. Prints JSON lines: ``{"key", "run", ...}`` for each
record of a worker, and one ``{"key", "run", "ended": why}`` per function and order. Each function is run in
order and in reverse order, so that what depends on earlier calls, on time or on chance shows as two outcomes
of one call. Seconds are those of a machine that does nothing else: on a busy one all limits are longer, by as
much as a short sample of work is.
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
_SHARES = 3
"""How many equal shares of the time that is left one function may take in one order."""
_RESTARTS = 5
"""How often a function is taken up again after a call that ended or hung its process."""
_SAMPLE_S = 0.05
"""Processor seconds by which is measured how busy the machine is."""
_MOST_BUSY = 8.0
_GONE_S = 5.0
"""How long the server may take to notice that a process was ended."""


def main() -> None:
    """Run the task from standard input."""
    task = json.load(sys.stdin)
    if task.get("generate"):
        _generate(task)
        return
    factor = _busyness()
    task.update({name: task[name] * factor for name in ("call_s", "target_s", "total_s")})
    deadline = time.monotonic() + task["total_s"]
    server = _Server(task)
    left = 2 * len(task["targets"])
    for target in task["targets"]:
        for run in (0, 1):
            now = time.monotonic()
            share = _SHARES * (deadline - now) / left
            limit = min(deadline, now + min(task["target_s"], max(share, 2 * task["call_s"])))
            left -= 1
            _say(key=target["key"], run=run, ended=_Replay(server, target, run, limit).run(task["call_s"]))
    server.stop()
    sys.stdout.flush()


def _busyness() -> float:
    """How much longer than on an idle machine work takes now, from 1 to some limit."""
    started, used = time.monotonic(), time.process_time()
    while time.process_time() - used < _SAMPLE_S:
        pass
    return min(_MOST_BUSY, max(1.0, (time.monotonic() - started) / _SAMPLE_S))


def _generate(task: dict[str, Any]) -> None:
    """Let the generator answer, in the environment of the suite and within the time."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603  the argv is ours; this is the place to run it
            [sys.executable, "-s", sys.argv[0], "generator"],
            env={**os.environ, **task["environment"]},
            input=json.dumps(task).encode(),
            stderr=subprocess.DEVNULL,
            timeout=task["total_s"],
            check=False,
        )


class _Server:
    """The worker that imports and forks; started when it is needed, and anew when it was lost."""

    def __init__(self, task: dict[str, Any]) -> None:
        self._task = task
        self._process: subprocess.Popen[bytes] | None = None
        self._reader = -1
        self._pending = b""
        self._lines: list[bytes] = []

    def order(self, order: dict[str, Any]) -> None:
        """Hand one order over."""
        if self._process is None:
            self._start()
        self._write(order)

    def record(self, wait_s: float) -> dict[str, Any] | None:
        """The next record; None when there is none in time, or the server is gone."""
        until = time.monotonic() + wait_s
        while True:
            while self._lines:
                with contextlib.suppress(ValueError):
                    record = json.loads(self._lines.pop(0))
                    if isinstance(record, dict):
                        return record
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._reader], [], [], left)[0]:
                return None
            data = os.read(self._reader, 1 << 16)
            if not data:
                return None
            *self._lines, self._pending = (self._pending + data).split(b"\n")

    def end(self, pid: int) -> None:
        """End one order's process and forget what it still said; without one, end the server."""
        if pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            until = time.monotonic() + _GONE_S
            while time.monotonic() < until:
                record = self.record(until - time.monotonic())
                if record is None:
                    break
                if "gone" in record:
                    return
        self.stop()

    def stop(self) -> None:
        """End the server."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._reader)
        self._process, self._pending, self._lines = None, b"", []

    def _start(self) -> None:
        self._reader, writer = os.pipe()
        self._process = subprocess.Popen(  # noqa: S603  the argv is ours; this is the place to run it
            [sys.executable, "-s", sys.argv[0], "worker"],
            env={**os.environ, **self._task["environment"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writer,),
            start_new_session=True,
        )
        os.close(writer)
        self._write({"fd": writer, **{name: self._task[name] for name in ("path", "mutations", "call_s")}})

    def _write(self, order: dict[str, Any]) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(order).encode() + b"\n")
                self._process.stdin.flush()


class _Replay:
    """One function in one order, in as many processes as its calls end or hang."""

    def __init__(self, server: _Server, target: dict[str, Any], run: int, deadline: float) -> None:
        self._server = server
        self._target = target
        self._run = run
        self._deadline = deadline
        self._without: list[list[int]] = []
        self._last: list[int] | None = None

    def run(self, call_s: float) -> str:
        """Why it ended: ``done``, ``out of time``, ``missing: …``, or the processes were lost too often."""
        for _ in range(_RESTARTS):
            if time.monotonic() >= self._deadline:
                return "out of time"
            self._last = None
            self._server.order({**self._target, "reverse": bool(self._run), "without": self._without})
            ended = self._follow(call_s * 3 + 2)
            if ended != "lost" or self._last is None:
                return ended
            self._say(input=self._last[0], mutation=self._last[1], outcome={"died": True})
            self._without.append(self._last)
        return "lost too often"

    def _follow(self, call_s: float) -> str:
        """Pass records on until the order is done, its process is gone, or it is silent for too long."""
        pid = 0
        ended = ""
        while True:
            silence = _START_S if self._last is None else call_s
            record = self._server.record(min(silence, self._deadline - time.monotonic()))
            if record is None:
                self._server.end(pid)
                return ended or ("out of time" if time.monotonic() >= self._deadline else "lost")
            if "gone" in record:
                return ended or "lost"
            pid = record.get("pid", pid)
            if "missing" in record:
                ended = "missing: " + str(record["missing"])
                if not pid:
                    return ended
            elif "done" in record:
                ended = "done"
            elif "input" in record:
                self._take(record)

    def _take(self, record: dict[str, Any]) -> None:
        call = [record["input"], record["mutation"]]
        if "begun" in record:
            self._last = call
        else:
            self._without.append(call)
            self._say(**record)

    def _say(self, **fields: Any) -> None:
        _say(key=self._target["key"], run=self._run, **fields)


def _say(**fields: Any) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
