"""Behavioural drift on real releases: what diverges, what it costs, and where admitted regressions rank.

    python benchmarks/behaviour_releases.py --home FOLDER --repositories FOLDER [--sandbox NAME] [NAME ...]

``--repositories`` holds clones, each in ``<owner>+<name>/repo`` (bare ones do). Without names all of
``PAIRS`` are compared. Prints a Markdown table of the pairs, one of the admitted regressions with the rank of
their function among all divergences of the release, and with ``--read`` every divergence as a list to be
judged by reading. Progress goes to standard error. The releases' own code runs, in the sandbox only.

Seconds are those of the clock, and depend on what else the machine does; processor seconds are those of all
processes below this one, sandboxes included.
"""

from __future__ import annotations

import argparse
import resource
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio

from repo_guardian.server.session.drift import Drift, measure_drift
from repo_guardian.server.session.executed import drift_bench, ranked
from repo_guardian.server.session.reading import open_repository
from repo_guardian.tools.behaviour.interface import BehaviourLimits, Divergence
from repo_guardian.tools.behaviour.proof import ProofStatus, confirm
from repo_guardian.tools.behaviour.run import BehaviourRun, Tree, behavioural_drift
from repo_guardian.tools.intent.interface import IntentEvidence


@dataclass(frozen=True)
class Pair:
    """Two neighbouring releases of one repository, by their tags."""

    repository: str
    base: str
    current: str

    @property
    def title(self) -> str:
        """How the tables call it."""
        return f"{self.repository.partition('+')[2]} {self.base} → {self.current}"


@dataclass(frozen=True)
class Admitted:
    """A regression of one release that the changelog of a later one admits.

    ``where`` is the changelog as ``tag:path``, and ``words`` a few of its words: what decides it is
    ``git show WHERE | grep -n WORDS``.
    """

    pair: Pair
    symbol: str
    where: str
    words: str


MORE_ITERTOOLS = "more-itertools+more-itertools"
PAIRS = (
    Pair(MORE_ITERTOOLS, "v10.6.0", "v10.7.0"),
    Pair(MORE_ITERTOOLS, "v7.2.0", "v8.0.0"),
    Pair("pallets+markupsafe", "2.1.3", "2.1.4"),
    Pair("pallets+itsdangerous", "2.0.1", "2.1.0"),
    Pair("python-hyper+h11", "v0.14.0", "v0.16.0"),
    Pair("pytest-dev+pluggy", "1.4.0", "1.5.0"),
    Pair("pallets+jinja", "3.1.3", "3.1.4"),
    Pair("python-attrs+attrs", "23.2.0", "24.1.0"),
)
ADMITTED = (
    Admitted(PAIRS[1], "more_itertools.recipes.partition", "v8.1.0:docs/versions.rst", "works with"),
    Admitted(PAIRS[2], "markupsafe.Markup.striptags", "2.1.5:CHANGES.rst", "not collapsing spaces"),
    Admitted(PAIRS[7], "attr._make.pipe", "24.2.0:CHANGELOG.md", "works again when passing"),
)


@dataclass(frozen=True)
class Row:
    """What one pair gave; ``proven`` counts divergences whose test passes at the base and fails now."""

    pair: Pair
    run: BehaviourRun
    order: list[tuple[Divergence, IntentEvidence]]
    cpu_s: float
    proven: int
    provable: int


async def measure(pair: Pair, options: argparse.Namespace) -> Row:
    """Compare one pair, and confirm what can be confirmed."""
    say = partial(print, f"{pair.title}:", file=sys.stderr)
    watched = open_repository(options.home, str(options.repositories / pair.repository / "repo"))
    drift: Drift = measure_drift(watched, pair.base, pair.current, narrate=say)
    async with drift_bench(watched, drift, sandbox=options.sandbox, narrate=say) as ready:
        sides = ((ready.base, drift.before), (ready.current, drift.after))
        trees = (Tree(checkout, side.graph, side.tree.read) for checkout, side in sides)
        before = _children_s()
        limits = BehaviourLimits(first_s=options.seconds)
        run = await behavioural_drift(ready.bench, *trees, limits=limits, narrate=say)
        cpu_s = _children_s() - before
        order = ranked(drift, run.report.divergences)
        say("confirming by tests")
        proofs = [
            await confirm(ready.bench, ready.base, ready.current, found, repetitions=1) for found, _ in order
        ]
    statuses = [proof.status for proof in proofs]
    for (found, _), proof in zip(order, proofs, strict=True):
        if proof.reason:
            say(f"{found.target.symbol}: {proof.status}: {proof.reason}")
    return Row(
        pair=pair,
        run=run,
        order=order,
        cpu_s=cpu_s,
        proven=statuses.count(ProofStatus.CONFIRMED),
        provable=len(statuses) - statuses.count(ProofStatus.UNPROVABLE),
    )


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


COLUMNS = (
    *("releases", "functions changed", "compared", "calls", "diverge", "unannounced", "proven by a test"),
    *("s recording", "s generating", "s replaying", "processor s"),
)


def line(row: Row) -> str:
    """One line of the table of pairs."""
    report, laps = row.run.report, row.run.phases_s
    replaying = sum(seconds for name, seconds in laps.items() if name.startswith("replay"))
    cells = [
        row.pair.title,
        str(len(row.run.targets)),
        str(len(report.compared)),
        str(report.calls),
        str(len(report.divergences)),
        str(sum(not evidence.intended for _, evidence in row.order)),
        f"{row.proven} of {row.provable}",
        f"{laps.get('record', 0.0):.1f}",
        f"{laps.get('generate', 0.0):.1f}",
        f"{replaying:.1f}",
        f"{row.cpu_s:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def rank_line(admitted: Admitted, rows: list[Row]) -> str:
    """One line of the table of regressions; a dash where the pair was not compared."""
    found = next((row for row in rows if row.pair == admitted.pair), None)
    names = [divergence.target.symbol for divergence, _ in found.order] if found is not None else []
    rank = str(names.index(admitted.symbol) + 1) if admitted.symbol in names else "not found"
    cells = [
        admitted.pair.title,
        admitted.symbol,
        f"`git show {admitted.where} \\| grep -n '{admitted.words}'`",
        "—" if found is None else f"{rank} of {len(names)}",
    ]
    return f"| {' | '.join(cells)} |"


def read(row: Row) -> None:
    """Every divergence in order, and what was left out."""
    print(f"\n## {row.pair.title}")
    for found, evidence in row.order:
        told = "announced" if evidence.announced else "followed" if evidence.followed else "unannounced"
        share = (
            f"{found.diverging}/{found.compared}, own {found.recorded_diverging}/{found.recorded_compared}"
        )
        print(f"- {found.target.symbol} ({told}; {share}; {found.mutation})")
        print(f"  - called with {found.call[:300]} {found.receiver[:200]}")
        print(f"  - before: {found.old.render()[:300]}\n  - after: {found.new.render()[:300]}")
    report = row.run.report
    for name in ("unreached", "reaching_out", "missing", "skipped", "left_out", "problem"):
        print(f"- {name}: {getattr(report, name)}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of titles; all pairs without")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--seconds", type=float, default=BehaviourLimits().first_s,
                        help="of one replay, for up to ten functions; more for a busy machine")  # fmt: skip
    parser.add_argument("--read", action="store_true")
    options = parser.parse_args()
    chosen = [pair for pair in PAIRS if not options.names or any(n in pair.title for n in options.names)]
    rows = []
    for pair in chosen:
        rows.append(anyio.run(measure, pair, options))
        print(line(rows[-1]), file=sys.stderr)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    print("\n".join(map(line, rows)))
    print("\n| releases | function | admitted by | rank |\n|---|---|---|---|")
    print("\n".join(rank_line(admitted, rows) for admitted in ADMITTED))
    for row in rows if options.read else ():
        read(row)


if __name__ == "__main__":
    main()
