"""How long ``--help`` takes: of the ``guardian`` command, and of four libraries it could be built on.

The import of the MCP framework is there to compare: it is what ``--help`` must not pay for.

Run ``python benchmarks/cli_startup.py [runs]``. Every figure is the median of fresh interpreters, run in
turns so that a slow moment hits all alike, and is given as a multiple of ``python -c pass`` as well,
because that carries over to other machines. Quoted by docs/decisions/0004-click-for-the-command-line.md.
"""

from __future__ import annotations

import importlib.util
import statistics
import subprocess
import sys
import time

BARE = "python -c pass"

ARGPARSE = """
import argparse
parser = argparse.ArgumentParser(prog="toy")
commands = parser.add_subparsers()
run = commands.add_parser("run", help="Run it.")
run.add_argument("path")
run.add_argument("--since", help="Base.")
parser.parse_args(["--help"])
"""

CLICK = """
import click
@click.group()
def toy():
    "A toy."
@toy.command()
@click.argument("path")
@click.option("--since", help="Base.")
def run(path, since):
    "Run it."
toy(["--help"])
"""

TYPER = """
import typer
toy = typer.Typer()
@toy.callback()
def main():
    "A toy."
@toy.command()
def run(path: str, since: str = typer.Option(None, help="Base.")):
    "Run it."
toy(["--help"])
"""

CYCLOPTS = """
import cyclopts
toy = cyclopts.App(help="A toy.")
@toy.command
def run(path: str, *, since: str | None = None):
    "Run it."
toy(["--help"])
"""

GUARDIAN = """
from repo_guardian.client.cli.main import main
import sys
sys.argv = ["guardian", "--help"]
main()
"""

# Title -> (the package it needs, the program).
PROGRAMS = {
    BARE: ("sys", "pass"),
    "argparse": ("argparse", ARGPARSE),
    "click": ("click", CLICK),
    "typer": ("typer", TYPER),
    "cyclopts": ("cyclopts", CYCLOPTS),
    "import fastmcp": ("fastmcp", "from fastmcp import Client, FastMCP"),
    "guardian --help": ("repo_guardian.client.cli.main", GUARDIAN),
}


def seconds(program: str) -> float:
    """Wall-clock seconds of one fresh interpreter that runs ``program``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print a table of medians."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    programs = {title: code for title, (needs, code) in PROGRAMS.items() if importlib.util.find_spec(needs)}
    for code in programs.values():
        seconds(code)  # fills the bytecode cache
    samples: dict[str, list[float]] = {title: [] for title in programs}
    for _ in range(runs):
        for title, code in programs.items():
            samples[title].append(seconds(code))
    medians = {title: statistics.median(values) for title, values in samples.items()}
    print(f"{'program':<18}{'median':>10}{'x bare':>8}   ({runs} runs, Python {sys.version.split()[0]})")
    for title, median in medians.items():
        print(f"{title:<18}{median * 1000:>7.0f} ms{median / medians[BARE]:>8.1f}")


if __name__ == "__main__":
    main()
