"""Starts pytest, stands outside its interpreter, and tells the host what both accounts say.

Runs inside the sandbox as ``python -I supervisor.py``, with a JSON task on standard input:
``{"argv": [...], "environment": {...}, "cwd": str, "report": str, "files": [str, ...]}``, to which a large
suite adds ``"report_bytes": int``, how long its report may be. Prints JSON lines on standard output: the
plugin's records as they come (``stream``), then ``files`` (hashes before and after), ``report`` (the JUnit
XML as text) and ``exit``. What pytest prints goes to standard error. Imports only the standard library.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import subprocess
import sys
import threading
from typing import Any

PR_SET_DUMPABLE = 4
REPORT_BYTES = 4 * 1024 * 1024
LINE_BYTES = 1024 * 1024
DRAIN_S = 2.0


def main() -> None:
    """Run the task from standard input; the exit code is always 0 when the account is complete."""
    # Not dumpable: a test running as the same user cannot open our descriptors through /proc.
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    task = json.load(sys.stdin)
    before = {path: digest(path) for path in task["files"]}
    reader, writer = os.pipe()
    environment = dict(os.environ, **task["environment"])
    environment["GUARDIAN_WITNESS_FD"] = str(writer)
    process = subprocess.Popen(  # noqa: S603  the argv is the host's; this is the place to run it
        task["argv"],
        cwd=task["cwd"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=2,
        stderr=2,
        pass_fds=(writer,),
    )
    os.close(writer)
    drain = threading.Thread(target=forward, args=(reader, process.pid), daemon=True)
    drain.start()
    status = process.wait()
    # A child that outlives pytest may hold the pipe open; what it writes after this is not heard.
    drain.join(DRAIN_S)
    emit({"kind": "files", "before": before, "after": {path: digest(path) for path in task["files"]}})
    emit({"kind": "report", "xml": report(task["report"], task.get("report_bytes", REPORT_BYTES))})
    emit({"kind": "exit", "status": status})
    sys.stdout.flush()
    os._exit(0)


_lock = threading.Lock()


def emit(record: dict[str, Any]) -> None:
    """Print one record as one line; whole lines only, from either thread."""
    with _lock:
        sys.stdout.write(json.dumps(record, ensure_ascii=True) + "\n")
        sys.stdout.flush()


def forward(reader: int, pid: int) -> None:
    """Pass the plugin's lines on, marking those that another process than pytest's wrote."""
    with os.fdopen(reader, "rb") as stream:
        while True:
            line = stream.readline(LINE_BYTES)
            if not line:
                return
            try:
                record = json.loads(line)
            except ValueError:
                emit({"kind": "stream", "garbled": True})
                continue
            foreign = not isinstance(record, dict) or record.get("pid") != pid
            emit({"kind": "stream", "foreign": foreign, "record": record})


def digest(path: str) -> str | None:
    """SHA-256 of a regular file's bytes; None when there is none (links are not followed)."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        try:
            return hashlib.sha256(file.read()).hexdigest()
        except OSError:
            return None


def report(path: str, limit: int) -> str | None:
    """The final report's text; None when there is none or it is larger than ``limit`` bytes."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        content = file.read(limit + 1)
    return content.decode("utf-8", "replace") if len(content) <= limit else None


if __name__ == "__main__":
    main()
