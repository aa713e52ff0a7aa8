"""What a sandbox costs: opening, one command, a reset and closing, as multiples of the bare command.

Run with ``python benchmarks/sandbox_costs.py [--sandbox NAME] [--rounds N]``. Each round does everything
once, in turn, so that the machine's moods fall on all of them; medians are printed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import anyio

from repo_guardian.sandbox.container.backend import ContainerBackend
from repo_guardian.sandbox.interface import Backend, SandboxSpec
from repo_guardian.sandbox.registry import select


class Stopwatch:
    """Seconds by step, one value per round."""

    def __init__(self) -> None:
        self.seen: dict[str, list[float]] = defaultdict(list)
        self._last = time.perf_counter()

    def start(self) -> None:
        """Forget what passed since the last step."""
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        """Book the time since the last step."""
        now = time.perf_counter()
        self.seen[step].append(now - self._last)
        self._last = now


def bare_container(backend: ContainerBackend) -> None:
    """What the engine itself takes for a command in a container of its own, with nothing mounted."""
    import docker

    client = docker.DockerClient(base_url=f"unix://{backend.engine().socket}", version="1.40")
    client.containers.run(backend.image_digest, ["/bin/true"], network_mode="none", remove=True)
    client.close()


async def one_round(backend: Backend, checkout: Path, watch: Stopwatch) -> None:
    """Do each step once."""
    watch.start()
    await anyio.to_thread.run_sync(lambda: subprocess.run(["/bin/true"], check=True))
    watch.lap("bare command")
    if isinstance(backend, ContainerBackend):
        await anyio.to_thread.run_sync(bare_container, backend)
        watch.lap("engine's own")
    async with backend.open(SandboxSpec(checkout, "c" * 40)) as sandbox:
        watch.lap("open")
        await sandbox.run(["/bin/true"])
        watch.lap("command")
        await sandbox.run([sandbox.python, "-c", "pass"])
        watch.lap("python -c pass")
        await sandbox.reset()
        watch.lap("reset")
    watch.lap("close")


async def measure(name: str, rounds: int) -> Stopwatch:
    """All rounds over a checkout of one file."""
    watch = Stopwatch()
    watch.start()
    backend = await select(name)
    watch.lap("self-check, once")
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        checkout.mkdir()
        (checkout / "a.py").write_text("x = 1\n")
        for _ in range(rounds):
            await one_round(backend, checkout, watch)
    return watch


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    watch = anyio.run(measure, options.sandbox, options.rounds)
    bare = statistics.median(watch.seen["bare command"])
    for step, seconds in watch.seen.items():
        middle = statistics.median(seconds)
        print(f"{step:<16} {middle * 1000:8.1f} ms  {middle / bare:7.1f} x the bare command")


if __name__ == "__main__":
    main()
