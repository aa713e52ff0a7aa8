"""How the cost of the views grows: with the number of changed files, and with the size of the repository.

    python benchmarks/views_scaling.py [--sizes 100,300,1000,3000,10000] [--changes 1,2,...] [--base 1000]
                                       [--svg FILE] TREE ...

The repositories are made of real ones: the Python files of the TREEs (folders, e.g. unpacked releases),
each below a folder of its own, in the order given, until there are enough; when they do not suffice, they
are taken again below other folders. First table: on a repository of ``--base`` files, a commit that changes
so many of them (a function is added that calls one that the file has, and the first definition gets another
parameter), all views, on top of the views of the commit before. Second table: a cold build. CPU seconds
without process start and imports. ``--svg`` draws both with matplotlib, where that is installed.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from measure import MIB, disk_bytes, metered, serve_step, step

SEED = 7
_DEFINITION = re.compile(rb"^def (\w+)\((?=[^)\n]*\):)", re.MULTILINE)


def concatenated(trees: Sequence[str], count: int, label: str, edits: int = 0) -> Any:
    """A tree of ``count`` Python files, ``edits`` of which are changed."""
    from trees import DirectorySource, MergedSource

    parts: list[DirectorySource] = []
    left, turn = count, 0
    while left > 0:
        for tree in trees:
            part = DirectorySource(Path(tree), label, f"{Path(tree).name}_{turn}/")
            part.keep(lambda path: path.endswith(b".py"), left)
            left -= len(part.files())
            parts.append(part)
        turn += 1
    if not edits:
        return MergedSource(label, parts, {})
    files = sorted((entry, part) for part in parts for entry in part.files())
    chosen = random.Random(SEED + edits).sample(files, min(edits, len(files)))
    changed = {}
    for entry, part in chosen:
        data = next(iter(part.read([entry.oid])))[1] or b""
        changed[entry.path] = edited(data, edits)
    return MergedSource(label, parts, changed)


def edited(data: bytes, number: int) -> bytes:
    """A file with one more function, and one more parameter of the first one that stands on one line."""
    found = _DEFINITION.search(data)
    call = b"None"
    if found:
        call = found[1] + b"()"
        data = data[: found.end()] + b"added_%d=None, " % number + data[found.end() :]
    return data.rstrip() + b"\n\n\ndef added_function_%d():\n    return %s\n" % (number, call)


def cold(trees: list[str], count: int) -> dict[str, float]:
    """Build a repository of so many files from nothing."""
    from graphs import publish_views

    source = concatenated(trees, count, "cold")
    with tempfile.TemporaryDirectory() as folder:
        with metered() as spent:
            publish_views(source, Path(folder))
        return {"cpu_s": spent.cpu_s, "disk": disk_bytes(Path(folder)), "files": len(source.files())}


def change(trees: list[str], count: int, edits: int, state: str) -> dict[str, Any]:
    """Build a commit on top of the base's views; the base is built first when it is not there."""
    from graphs import Clock, manifest_of, publish_views

    if not edits:
        publish_views(concatenated(trees, count, "base"), Path(state))
        return {}
    source = concatenated(trees, count, f"changed-{edits}", edits)
    size, clock = disk_bytes(Path(state)), Clock()
    with metered() as spent, clock:
        publish_views(source, Path(state), since="base")
    graph = manifest_of(Path(state), source.commit).views["symbol_graph"]
    return {
        "cpu_s": spent.cpu_s,
        "linked": graph.made,
        "by_view_s": clock.spent_s,
        "new_bytes": disk_bytes(Path(state)) - size,
    }


STEPS: dict[str, Callable[..., Any]] = {"cold": cold, "change": change}


def by_change(trees: list[str], base: int, changes: Sequence[int]) -> list[tuple[float, float]]:
    """Print the first table; returns its points."""
    print(f"| files changed, of {base:,} | CPU ms | files linked again | new KiB |\n|---|---|---|---|")
    points: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        first = str(Path(folder) / "base")
        step(__file__, "change", trees=trees, count=base, edits=0, state=first)
        for edits in changes:
            state = str(Path(folder) / f"state{edits}")
            shutil.copytree(first, state)
            found = step(__file__, "change", trees=trees, count=base, edits=edits, state=state).result
            shutil.rmtree(state)
            spent = 1000 * found["cpu_s"]
            new_kib = found["new_bytes"] / 1024
            print(f"| {edits:,} | {spent:,.0f} | {found['linked']:,} | {new_kib:,.0f} |", flush=True)
            points.append((edits, spent))
    return points


def by_size(trees: list[str], sizes: Sequence[int]) -> list[tuple[float, float]]:
    """Print the second table; returns its points."""
    print("\n| Python files | cold, CPU s | CPU ms a file | peak MiB | disk MiB |\n|---|---|---|---|---|")
    points: list[tuple[float, float]] = []
    for size in sizes:
        done = step(__file__, "cold", trees=trees, count=size)
        spent, disk = done.result["cpu_s"], done.result["disk"] / MIB
        each = 1000 * spent / done.result["files"]
        peak = done.peak_bytes / MIB
        print(f"| {size:,} | {spent:.1f} | {each:.1f} | {peak:,.0f} | {disk:.1f} |", flush=True)
        points.append((size, spent))
    return points


def draw(path: Path, changes: list[tuple[float, float]], sizes: list[tuple[float, float]], base: int) -> None:
    """Draw both curves."""
    import matplotlib as mpl  # type: ignore[import-not-found,unused-ignore]

    mpl.use("svg")
    from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]

    mpl.rcParams.update({"svg.hashsalt": "views", "svg.fonttype": "none"})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.loglog(*zip(*changes, strict=True), marker="o")
    left.set(xlabel=f"files changed, of {base:,}", ylabel="CPU ms", title="a commit on top of another")
    right.loglog(*zip(*sizes, strict=True), marker="o")
    right.set(xlabel="Python files", ylabel="CPU s", title="cold build")
    for axes in (left, right):
        axes.grid(visible=True, which="both", alpha=0.3)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def numbers(text: str) -> list[int]:
    """Whole numbers, separated by commas."""
    return [int(part) for part in text.split(",")]


def main() -> None:
    """Print both tables."""
    if serve_step(STEPS):
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--sizes", type=numbers, default=[100, 300, 1000, 3000, 10000])
    parser.add_argument("--changes", type=numbers, default=[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
    parser.add_argument("--base", type=int, default=1000)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    trees = [str(tree.resolve()) for tree in options.trees]
    changes = by_change(trees, options.base, options.changes)
    sizes = by_size(trees, options.sizes)
    if options.svg:
        draw(options.svg, changes, sizes, options.base)


if __name__ == "__main__":
    main()
