"""Precision of structural drift on real histories: collect every signal, and draw the samples to label.

    python benchmarks/drift_histories.py collect --home DIR --out DIR [--releases N] NAME.git ...
    python benchmarks/drift_histories.py collect --home DIR --out DIR --commits N NAME.git ...
    python benchmarks/drift_histories.py draw --from DIR --seed N --out DIR [--each 25] [--lagging 100]

``collect`` writes ``NAME.release.jsonl`` or ``NAME.commit.SEED.jsonl``, one signal per line, as
``drift_population`` describes. ``draw`` writes two samples as tab-separated text, which carry names, places
and our own words, and no line of anybody's code: ``kinds``, so many of each kind, taken from the repositories
in turn; and ``lagging``, changed contracts with at least one dependent that lags. A sample is drawn, and
committed, before anything of it is read; a fresh one is drawn ``--without`` the changes of earlier ones.
``docs/precision.md`` says what was found.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from drift_halves import halves_of
from drift_labels import read_rows, write_sample
from drift_population import Pair, Record, collect, opened, read, release_pairs, write
from drift_reshaped import drawn_commits

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.signals.interface import SignalKind


def draw_kinds(records: list[Record], each: int, seed: int) -> list[Record]:
    """Up to ``each`` signals of every kind, from the repositories in turn, those between releases first."""
    drawn: list[Record] = []
    for kind in sorted({record.kind for record in records}):
        for source in ("release", "commit", "half"):
            wanted = each - sum(record.kind == kind for record in drawn)
            drawn += _in_turn([r for r in records if (r.kind, r.source) == (kind, source)], wanted, seed)
    return drawn


def _in_turn(records: list[Record], wanted: int, seed: int) -> list[Record]:
    rng = random.Random(f"{seed}:{records[0].kind}:{records[0].source}" if records else "")
    waiting: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        waiting[record.repository].append(record)
    for name in sorted(waiting):
        rng.shuffle(waiting[name])
    names = sorted(waiting)
    rng.shuffle(names)
    drawn: list[Record] = []
    while len(drawn) < wanted and any(waiting.values()):
        for name in names:
            if waiting[name] and len(drawn) < wanted:
                drawn.append(waiting[name].pop())
    return drawn


def draw_lagging(records: list[Record], count: int, seed: int) -> list[Record]:
    """``count`` changed contracts with a dependent that lags, each as likely as the other."""
    some = [r for r in records if r.kind == SignalKind.CONTRACT_CHANGED.value and r.lagging]
    return random.Random(seed).sample(some, min(count, len(some)))


def run_collect(options: argparse.Namespace) -> None:
    """Write every signal of the repositories named."""
    options.out.mkdir(parents=True, exist_ok=True)
    for path in options.repositories:
        start = time.process_time()
        folder, name = path.resolve(), path.resolve().name.removesuffix(".git")
        if options.commits:
            target = options.out / f"{name}.commit.{options.seed}.jsonl"
            pairs = list(commit_pairs(folder, name, options))
        else:
            target = options.out / f"{name}.release.jsonl"
            pairs = list(release_pairs(Git(folder), options.releases))
        count = write(target, collect(opened(options.home.resolve(), folder), name, pairs))
        spent = time.process_time() - start
        print(f"{target.name}: {len(pairs)} pairs, {count} signals, {spent:.0f} s", flush=True)


def commit_pairs(folder: Path, name: str, options: argparse.Namespace) -> Iterator[Pair]:
    """Each drawn commit after its parent, and its halves where it has any."""
    drawn = drawn_commits(Git(folder), name, options.commits, options.seed, options.since)
    for base, commit, choices in drawn:
        yield Pair("commit", base, commit, "", "")
        for half in halves_of(folder, base, commit, choices, options.seed):
            yield Pair("half", base, half, "", commit[:12])


def run_draw(options: argparse.Namespace) -> None:
    """Write the two samples."""
    records = read(sorted(getattr(options, "from").glob("*.jsonl")))
    seen = {_change(row["repository"], row["line"]) for path in options.without for row in read_rows(path)}
    records = [record for record in records if _change(record.repository, record.line) not in seen]
    options.out.mkdir(parents=True, exist_ok=True)
    for name, drawn in (
        ("kinds", draw_kinds(records, options.each, options.seed)),
        ("lagging", draw_lagging(records, options.lagging, options.seed)),
    ):
        path = options.out / f"{name}.{options.seed}.sample.tsv"
        write_sample(path, drawn)
        print(f"{path}: {len(drawn)} of {len(records)}")


def _change(repository: str, line: str) -> tuple[str, str]:
    """A change whatever the commits between which it is seen: what the line says before the uses."""
    return repository, line.partition(";")[0]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("repositories", nargs="+", type=Path)
    collecting.add_argument("--home", type=Path, required=True)
    collecting.add_argument("--out", type=Path, required=True)
    collecting.add_argument("--releases", type=int, default=10, help="the last final ones")
    collecting.add_argument("--commits", type=int, default=0, help="drawn by the seed, instead of releases")
    collecting.add_argument("--since", default="2016-01-01")
    collecting.add_argument("--seed", type=int, default=1)
    collecting.set_defaults(run=run_collect)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--from", type=Path, required=True, metavar="DIR")
    drawing.add_argument("--out", type=Path, required=True)
    drawing.add_argument("--without", type=Path, nargs="*", default=[], help="samples that were read already")
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--each", type=int, default=25)
    drawing.add_argument("--lagging", type=int, default=100)
    drawing.set_defaults(run=run_draw)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
