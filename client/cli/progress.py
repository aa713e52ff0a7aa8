"""Progress on a terminal, silence in a pipe. Everything goes to standard error."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status


class Progress:
    """One status line that says what is being done; only notes when standard error is no terminal."""

    def __init__(self) -> None:
        self._status: Status | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.status import Status

            self._status = Status("", console=Console(stderr=True))
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep out of the way while the block prints results."""
        if self._status is not None:
            self._status.stop()
        yield
        if self._status is not None:
            self._status.start()

    def narrate(self, step: str) -> None:
        """Say what is being done now."""
        if self._status is not None:
            from rich.markup import escape

            self._status.update(f"{escape(step)} …")

    def note(self, line: str) -> None:
        """Leave one line that also a pipe sees: something was done that the caller did not ask for."""
        from repo_guardian.client.printable import printable

        text = f"guardian: {printable(' '.join(line.split()))}"
        if self._status is None:
            print(text, file=sys.stderr, flush=True)
            return
        from rich.markup import escape

        self._status.console.print(escape(text), highlight=False, soft_wrap=True)
        self.narrate(line.partition(":")[0])

    async def observe(self, progress: float, total: float | None, message: str | None) -> None:
        """Take a progress notification of the server."""
        if message:
            self.narrate(message)


def quiet_libraries() -> None:
    """Keep FastMCP from logging every refused call: our own errors say it in one line.

    ``GUARDIAN_DEBUG`` set to anything leaves its log, tracebacks included, on standard error.
    """
    if not os.environ.get("GUARDIAN_DEBUG"):
        logging.getLogger("fastmcp").setLevel(logging.CRITICAL + 1)
