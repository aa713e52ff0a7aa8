"""Imports modules, each in a process of its own, and tells the host how that went.

Runs inside the sandbox as ``python -I run_imports.py``, with a JSON task on standard input:
``{"modules": [str, ...], "environment": {...}, "each_s": float, "total_s": float}``. Prints one JSON line for
each module: ``{"module": str, "error": str, "name": str or null, "places": [str, ...]}``; ``error`` is empty
when it could be imported, ``places`` are the files of the traceback, the innermost last. With a module's name
as argument it is the process that imports. Imports only the standard library; 3.8 or later.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_MESSAGE_CHARS = 500
_PLACES = 20
_PLACE_CHARS = 300
_ANSWER_BYTES = 64 * 1024
"""What a pipe holds: an answer is never larger, so that the process that gives it does not wait."""


def main() -> None:
    """Import everything that the task names."""
    task = json.load(sys.stdin)
    end = time.monotonic() + task["total_s"]
    for module in task["modules"]:
        left = min(task["each_s"], end - time.monotonic())
        answer = (
            imported(module, task["environment"], left) if left > 0 else failed("it was not tried in time")
        )
        sys.stdout.write(json.dumps({"module": module, **answer}) + "\n")
        sys.stdout.flush()


def imported(module: str, environment: dict[str, str], wall_s: float) -> dict[str, Any]:
    """What one process says of one module, or how it ended instead."""
    reader, writer = os.pipe()
    process = subprocess.Popen(  # noqa: S603  our own file under the sandbox's interpreter
        [sys.executable, str(Path(__file__).resolve()), module, str(writer)],
        env=dict(os.environ, **environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(writer,),
        start_new_session=True,
    )
    os.close(writer)
    try:
        status = process.wait(timeout=wall_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        os.close(reader)
        return failed("it was not imported in time")
    os.set_blocking(reader, False)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read(_ANSWER_BYTES) or b""
    try:
        return dict(json.loads(answer))
    except ValueError:
        return failed(f"the process ended with status {status} while it was imported")


def failed(why: str) -> dict[str, Any]:
    """An answer for a module that gave none."""
    return {"error": why, "name": None, "places": []}


def tell(module: str, fd: int) -> None:
    """Import one module and write how that went to ``fd``."""
    sys.path[:1] = []  # this file's folder: nothing but PYTHONPATH comes before the library
    answer = failed("")
    try:
        __import__(module)
    except BaseException as error:  # whatever the module raises, SystemExit too, is the answer
        answer = described(error)
    os.write(fd, json.dumps(answer).encode("ascii"))
    os._exit(0)


def described(error: BaseException) -> dict[str, Any]:
    """An exception as type and message, what an ImportError misses, and the files it came through."""
    places = []
    traceback = error.__traceback__
    while traceback is not None:
        places.append(str(traceback.tb_frame.f_code.co_filename)[:_PLACE_CHARS])
        traceback = traceback.tb_next
    try:
        message = str(error)[:_MESSAGE_CHARS]
    except Exception as failure:
        message = f"<unprintable: {type(failure).__name__}>"
    name = getattr(error, "name", None)
    return {
        "error": f"{type(error).__name__[:_PLACE_CHARS]}: {message}",
        "name": name if isinstance(name, str) else None,
        "places": places[-_PLACES:],
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        tell(sys.argv[1], int(sys.argv[2]))
    main()
