"""Consecutive commits of a real history, built warm one after the other, and compared with cold builds.

    python benchmarks/views_history.py --repo FOLDER [--tip REV] [--commits 300] [--verify-every 10] [--fresh]

FOLDER is a bare repository or a work tree's; only its objects are read. All three views of each commit are
built on top of those of the commit before it, and the drift between the two is computed. Every so many
commits the commit is built again in a fresh state directory by a process of its own, and digests, the uses
of 50 symbols and 20 searches have to be the same. Times are CPU milliseconds without process start and
imports; the first commit of all is the cold one and no transition. ``--fresh`` runs every transition in a
process of its own, so that nothing is warm in memory. Prints one table, when interrupted that of what was
done; ``--each`` also prints a line for each transition.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from measure import MIB, Spread, disk_bytes, metered, serve_step, step

VIEWS = ("symbol_graph", "lexical", "vector")


@dataclass(frozen=True)
class Transition:
    """One commit on top of another.

    Attributes:
        files: paths whose blob differs.
        extracted: blobs that were read for facts.
        linked, kept: files of the symbol graph that were linked again, and that were not.
        changed: files linked again whose links came out different.
        views_ms, drift_ms: CPU milliseconds.
        by_view_ms: of each view's own builder.
        new_bytes: what the state directory grew by.
        signals: how much drift there is.
    """

    commit: str
    files: int
    extracted: int
    linked: int
    kept: int
    changed: int
    views_ms: float
    drift_ms: float
    by_view_ms: dict[str, float]
    new_bytes: int
    signals: int


def transition(repo: str, commit: str, base: str, state: str) -> dict[str, Any]:
    """Build the views of ``commit`` on top of ``base``'s and compute the drift between them."""
    from graphs import Clock, manifest_of, open_graph, publish_views
    from trees import GitSource, repository

    from repo_guardian.tools.signals.drift.detect import detect_drift

    git, folder = repository(Path(repo)), Path(state)
    source = GitSource(git, commit)
    before = {path: oid for path, oid, _ in GitSource(git, base).files()} if base else {}
    now = {path: oid for path, oid, _ in source.files()}
    size = disk_bytes(folder)
    clock = Clock()
    with metered() as built, clock:
        publish_views(source, folder, since=base or None)
    with metered() as drifted:
        signals = detect_drift(open_graph(folder, base), open_graph(folder, commit)) if base else ()
    manifest = manifest_of(folder, commit)
    graph = manifest.views["symbol_graph"]
    return {
        "commit": commit,
        "files": sum(before.get(path) != now.get(path) for path in before.keys() | now.keys()),
        "extracted": manifest.facts.extracted,
        "linked": graph.made,
        "kept": graph.kept,
        "changed": graph.changed,
        "views_ms": 1000 * built.cpu_s,
        "drift_ms": 1000 * drifted.cpu_s,
        "by_view_ms": {name: 1000 * spent for name, spent in clock.spent_s.items()},
        "new_bytes": disk_bytes(folder) - size,
        "signals": len(signals),
    }


def cold(repo: str, commit: str) -> dict[str, Any]:
    """Build a commit from nothing; its cost and its answers."""
    from graphs import publish_views
    from trees import GitSource, repository

    source = GitSource(repository(Path(repo)), commit)
    with tempfile.TemporaryDirectory() as folder:
        with metered() as spent:
            publish_views(source, Path(folder))
        return {"cpu_ms": 1000 * spent.cpu_s, **answers(repo, commit, folder)}


def answers(repo: str, commit: str, state: str) -> dict[str, Any]:
    """The digests of the views, and a hash of the answers to a fixed set of questions."""
    import queries
    from graphs import manifest_of, open_graph, open_search
    from trees import GitSource, repository

    graph = open_graph(Path(state), commit)
    uses = queries.answers(graph, queries.random_symbols(graph, 50))
    ask = open_search(Path(state), commit)
    texts = queries.docstring_queries(GitSource(repository(Path(repo)), commit), 20, files=50)
    hits = [
        [(hit.path, hit.span.start_byte, hit.symbol, hit.score) for hit in ask(text).hits] for text in texts
    ]
    told = json.dumps([uses, hits], default=str).encode()
    digests = {name: view.digest for name, view in manifest_of(Path(state), commit).views.items()}
    return {
        "digests": digests,
        "answers": hashlib.sha256(told).hexdigest(),
        "uses": sum(map(len, uses)),
        "hits": sum(map(len, hits)),
    }


STEPS: dict[str, Callable[..., Any]] = {"transition": transition, "cold": cold, "answers": answers}


@dataclass
class Run:
    """What came of a history."""

    transitions: list[Transition]
    cold_ms: list[float]
    verified: int = 0
    unequal: int = 0
    refused: int = 0


def replay(options: argparse.Namespace, commits: Sequence[str], state: Path) -> Run:
    """Build all commits, oldest first, or as many as there is time for."""
    done = Run([], [])
    try:
        _replay(options, commits, state, done)
    except KeyboardInterrupt:
        print("\ninterrupted: the table is of what was done", file=sys.stderr)
    return done


def _replay(options: argparse.Namespace, commits: Sequence[str], state: Path, done: Run) -> None:
    from repo_guardian.errors import GuardianError

    base = ""
    for number, commit in enumerate(commits):
        arguments = {"repo": str(options.repo), "commit": commit, "base": base, "state": str(state)}
        try:
            fresh = options.fresh
            result = step(__file__, "transition", **arguments).result if fresh else transition(**arguments)
        except (GuardianError, SystemExit) as error:
            done.refused += 1
            print(f"refused: {commit}: {error}", file=sys.stderr)
            continue
        if base:
            done.transitions.append(Transition(**result))
        else:
            done.cold_ms.append(result["views_ms"])
        if options.verify_every and number % options.verify_every == 0 and base:
            verify(options, commit, state, done)
        base = commit
        print(f"\r{number + 1}/{len(commits)}", end="", file=sys.stderr)
    print(file=sys.stderr)


def verify(options: argparse.Namespace, commit: str, state: Path, done: Run) -> None:
    """Compare a warm build with a cold one, each asked by a process of its own."""
    alone = step(__file__, "cold", repo=str(options.repo), commit=commit).result
    warm = step(__file__, "answers", repo=str(options.repo), commit=commit, state=str(state)).result
    done.cold_ms.append(alone.pop("cpu_ms"))
    done.verified += 1
    if alone != warm:
        done.unequal += 1
        print(f"\n{commit}: warm {warm}\n{' ' * 40}  cold {alone}", file=sys.stderr)


def report(name: str, done: Run) -> None:
    """Print the table."""
    rows = done.transitions
    print(f"| {name}: {len(rows)} transitions | median | p90 | largest |\n|---|---|---|---|")
    columns: tuple[tuple[str, Callable[[Transition], float]], ...] = (
        ("files changed", lambda t: t.files),
        ("blobs extracted", lambda t: t.extracted),
        ("files linked again", lambda t: t.linked),
        ("of them with other links", lambda t: t.changed),
        ("files kept", lambda t: t.kept),
        ("views, CPU ms", lambda t: t.views_ms),
        *((f"of which {view}", partial(_of_view, view)) for view in VIEWS),
        ("the rest: reading, facts, packs", lambda t: t.views_ms - sum(t.by_view_ms.values())),
        ("drift, CPU ms", lambda t: t.drift_ms),
        ("views and drift, CPU ms", lambda t: t.views_ms + t.drift_ms),
        ("new bytes, KiB", lambda t: t.new_bytes / 1024),
    )
    for title, value in columns:
        found = Spread.of([value(row) for row in rows])
        print(f"| {title} | {found.median:,.0f} | {found.p90:,.0f} | {found.largest:,.0f} |")
    single = [row.new_bytes for row in rows if row.files == 1]
    if single:
        print(f"| new bytes of {len(single)} one-file commits, KiB | {_kib(single)} |")
    cold_ms = Spread.of(done.cold_ms).median
    warm_ms = Spread.of([row.views_ms for row in rows]).median
    print(f"\nCold: median {cold_ms:,.0f} CPU ms, {cold_ms / warm_ms:.0f} times the median transition.")
    print(f"Compared with a cold build: {done.verified}; unequal: {done.unequal}; refused: {done.refused}.")
    print(f"Grown by {sum(row.new_bytes for row in rows) / MIB:.1f} MiB over all transitions.")


def _of_view(name: str, row: Transition) -> float:
    return row.by_view_ms.get(name, 0.0)


def _kib(sizes: Sequence[int]) -> str:
    found = Spread.of(sizes)
    return " | ".join(f"{size / 1024:,.0f}" for size in (found.median, found.p90, found.largest))


def main() -> None:
    """Replay a history and print its table."""
    if serve_step(STEPS):
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--name", help="what the table calls the repository; the folder's name by default")
    parser.add_argument("--tip", default="HEAD")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--verify-every", type=int, default=10)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    from trees import first_parents, repository

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    commits = first_parents(repository(options.repo), options.tip, options.commits + 1)
    with tempfile.TemporaryDirectory() as folder:
        done = replay(options, commits, Path(folder))
    report(options.name or options.repo.resolve().name, done)
    for row in done.transitions if options.each else ():
        print(json.dumps(row.__dict__))


if __name__ == "__main__":
    main()
