"""What the three views of one tree cost: building, disk, opening, callers, search; CodeNib beside them.

    python benchmarks/views_speed.py [--codenib VENV] [--work FOLDER] TREE ...

A TREE is a folder with a repository's files, e.g. an unpacked source release; nothing of it is run. Every
row is a process of its own. CPU seconds are the process's and its children's, without imports where the row
says so; peak is the largest resident set of any one process. Disk is by length of files: facts (kept by
content, shared by all commits), packs by view, and the commit's own folder. ``--codenib`` names a virtual
environment that has CodeNib, with its toolchain installed (``codenib toolchain install``): its ``index
--preset graph`` is run on a copy of each tree, in the same run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from measure import MIB, Cost, Spread, disk_bytes, metered, run, serve_step, step

WARM_UP = 3
"""Queries that are asked before the clock runs: they load what is loaded once."""
QUERIES = 100
CANDIDATES = 100


def build(tree: str, state: str, views: list[str]) -> dict[str, Any]:
    """Publish views of a tree."""
    from graphs import publish_views
    from trees import DirectorySource

    source = DirectorySource(Path(tree), "tree")
    with metered() as spent:
        handle = publish_views(source, Path(state), views)
    return {"cpu_s": spent.cpu_s, "wall_s": spent.wall_s, "extracted": handle.facts_extracted}


def count(state: str) -> dict[str, int]:
    """How much is in the graph."""
    from graphs import open_graph

    graph = open_graph(Path(state), "tree")
    return {
        "files": len(graph.files),
        "symbols": len(graph.symbols),
        "edges": sum(1 for _ in graph.edges()),
    }


def load(state: str) -> dict[str, tuple[float, float]]:
    """Open graph and lexical view in a fresh process, and ask each something, so that they are open."""
    from graphs import open_graph

    from repo_guardian.tools.views.lexical.index import LexicalIndex
    from repo_guardian.tools.views.publish import open_view

    with metered() as graph_spent:
        graph = open_graph(Path(state), "tree")
    with metered() as uses_spent:
        graph.uses("nothing.of.this.name")
    with metered() as lexical_spent:
        lexical = LexicalIndex(open_view(Path(state), "tree", "lexical"))
    with metered() as search_spent:
        lexical.search("nothing", 1)
    spent = {
        "symbol graph": graph_spent,
        "first look-up in the graph": uses_spent,
        "lexical view": lexical_spent,
        "first lexical search": search_spent,
    }
    return {name: (meter.wall_s, meter.cpu_s) for name, meter in spent.items()}


def callers(state: str) -> dict[str, dict[str, list[float]]]:
    """Seconds for the callers of 200 random symbols, and of the 20 that are used most."""
    from graphs import open_graph
    from queries import most_used, random_symbols

    from repo_guardian.tools.retrieval.callers import callers as ask

    chosen = open_graph(Path(state), "tree")
    names = {"random": random_symbols(chosen, 200), "used": most_used(chosen, 20)}
    graph = open_graph(Path(state), "tree")
    ask(graph, names["random"][0])
    return {kind: _timed(lambda name: ask(graph, name), several) for kind, several in names.items()}


def search(tree: str, state: str) -> dict[str, dict[str, list[float]]]:
    """Seconds for queries by all routes together, and by each."""
    from graphs import open_search
    from queries import docstring_queries
    from trees import DirectorySource

    from repo_guardian.tools.retrieval.views import open_commit

    queries = docstring_queries(DirectorySource(Path(tree), "tree"), QUERIES + WARM_UP)
    views = open_commit(Path(state), "tree")
    ways: dict[str, Callable[[str], Any]] = {
        "hybrid": open_search(Path(state), "tree"),
        "lexical": lambda text: views.lexical.search(text, CANDIDATES),
        "vector": lambda text: views.vector.search(text, CANDIDATES),
    }
    found = {}
    for name, ask in ways.items():
        _timed(ask, queries[:WARM_UP])
        found[name] = _timed(ask, queries[WARM_UP:])
    return found


def _timed(ask: Callable[[str], Any], questions: Iterable[str]) -> dict[str, list[float]]:
    """Seconds of each question, by the clock and by the processor (all threads)."""
    spent: dict[str, list[float]] = {"wall": [], "cpu": []}
    for question in questions:
        wall, cpu = time.perf_counter(), time.process_time()
        ask(question)
        spent["wall"].append(time.perf_counter() - wall)
        spent["cpu"].append(time.process_time() - cpu)
    return spent


STEPS: dict[str, Callable[..., Any]] = {
    "build": build,
    "count": count,
    "load": load,
    "callers": callers,
    "search": search,
}


def table(tree: Path, work: Path, codenib: Path | None) -> None:
    """Print the table of one tree."""
    state = work / "state"
    shutil.rmtree(state, ignore_errors=True)
    graph = step(__file__, "build", tree=str(tree), state=str(state), views=["symbol_graph"])
    graph_disk = disk_bytes(state)
    shutil.rmtree(state)
    whole = step(__file__, "build", tree=str(tree), state=str(state), views=[])
    again = step(__file__, "build", tree=str(tree), state=str(state), views=[])
    size = step(__file__, "count", state=str(state)).result
    opened = [step(__file__, "load", state=str(state)).result for _ in range(5)]
    print(f"\n| {tree.name} | value |\n|---|---|")
    row("files, symbols, edges", f"{size['files']:,}, {size['symbols']:,}, {size['edges']:,}")
    row("cold, symbol graph", cost(graph))
    row("cold, all views", cost(whole))
    row("again, nothing changed", f"{1000 * again.result['cpu_s']:.0f} CPU ms")
    row("disk, symbol graph alone", mib(graph_disk))
    row("disk, all views", mib(disk_bytes(state)) + f" ({disk_by_part(state)})")
    for name in opened[0]:
        wall, cpu = (Spread.of([found[name][kind] for found in opened]).median for kind in (0, 1))
        row(f"opened in a fresh process, {name}", f"{1000 * wall:.1f} ms, {1000 * cpu:.1f} CPU ms")
    asked = step(__file__, "callers", state=str(state)).result
    row("callers of 200 random symbols", spread(asked["random"]))
    row("callers of the 20 most used symbols", spread(asked["used"]))
    for name, seconds in step(__file__, "search", tree=str(tree), state=str(state)).result.items():
        row(f"search, {name}, {QUERIES} queries, warm", spread(seconds))
    if codenib is not None:
        beside(codenib, tree, work, graph)


def beside(venv: Path, tree: Path, work: Path, ours: Cost) -> None:
    """CodeNib's index of a copy of the tree, and our graph's cost as a fraction of it."""
    copy = work / f"codenib-{tree.name}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(tree, copy, symlinks=True)
    commit = ("-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "tree")
    for arguments in (("init", "-q"), ("add", "-A"), commit):
        run(["git", "-C", copy, *arguments])
    theirs = run([venv / "bin" / "codenib", "index", "--preset", "graph", "--language", "python", copy])
    print(theirs.output.decode(errors="replace")[-600:], file=sys.stderr)
    peak = mib(theirs.peak_bytes)
    row("CodeNib, bm25 and symbol graph", f"{theirs.cpu_s:.0f} CPU s, {theirs.wall_s:.0f} s, peak {peak}")
    row("CodeNib's CPU / our symbol graph's, with process start", f"{theirs.cpu_s / ours.cpu_s:.0f}")
    named = re.search(rb"Manifest:\s+(\S+)/indexes/", theirs.output)
    if named:
        made = Path(os.fsdecode(named.group(1)))
        row("CodeNib, disk", mib(disk_bytes(made)))
        shutil.rmtree(made)
    shutil.rmtree(copy)


def disk_by_part(state: Path) -> str:
    """Bytes below each folder of the state directory, packs by view."""
    parts = {folder.name: folder for folder in state.iterdir() if folder.is_dir()}
    return ", ".join(f"{name} {mib(disk_bytes(folder))}" for name, folder in sorted(parts.items()))


def row(name: str, value: str) -> None:
    """Print a line of the table."""
    print(f"| {name} | {value} |", flush=True)


def cost(spent: Cost) -> str:
    """A build's cost."""
    inner = spent.result
    return f"{inner['cpu_s']:.1f} CPU s, {inner['wall_s']:.1f} s, peak {mib(spent.peak_bytes)}"


def spread(seconds: dict[str, list[float]]) -> str:
    """Median and 99th percentile by the clock, and the median by the processor."""
    wall, cpu = Spread.of(seconds["wall"]), Spread.of(seconds["cpu"])
    return f"{1000 * wall.median:.2f} ms, p99 {1000 * wall.p99:.1f} ms; {1000 * cpu.median:.2f} CPU ms"


def mib(size: float) -> str:
    """Bytes as mebibytes."""
    return f"{size / MIB:.1f} MiB"


def main() -> None:
    """Print one table for each tree."""
    if serve_step(STEPS):
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--codenib", type=Path)
    parser.add_argument("--work", type=Path, default=Path("build/views"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    for tree in options.trees:
        table(tree.resolve(), options.work.resolve(), options.codenib)


if __name__ == "__main__":
    main()
