"""Progress of a long tool call: what a capability says of its steps, as notifications to the client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from fastmcp import Context

from repo_guardian.errors import GuardianError

R = TypeVar("R")


async def narrated(ctx: Context, work: Callable[[Callable[[str], None]], Awaitable[R]]) -> R:
    """Do ``work``, which is given a function to tell its steps to; each is reported as it is told.

    A client that does not listen, or has gone, changes nothing.

    Raises:
        GuardianError: what ``work`` raised, by itself and in no group.
    """
    send, receive = anyio.create_memory_object_stream[str](100)

    def narrate(step: str) -> None:
        try:
            send.send_nowait(step)
        except anyio.WouldBlock:
            return

    async def report() -> None:
        number = 0
        async for step in receive:
            await ctx.report_progress(number, message=step)
            number += 1

    result: R | GuardianError
    async with receive, anyio.create_task_group() as tasks:
        tasks.start_soon(report)
        async with send:
            try:
                result = await work(narrate)
            except GuardianError as error:
                result = error
    if isinstance(result, GuardianError):
        raise result
    return result
