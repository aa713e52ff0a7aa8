"""Files that change together in the history and that nothing in the graph ties, when one changed alone.

Association rules over commits as Zimmermann, Weissgerber, Diehl and Zeller mine them ("Mining Version
Histories to Guide Software Changes", IEEE TSE 31(6), 2005), who also leave out commits of more than 30 files
and ask for a support of 3 to tell of a missing change. For a rule "whoever changes *a* changes *b*":

    support = commits with both    confidence = support / commits with a
    lift = confidence / (commits with b / all commits)

A rule counts when its confidence is at least 0.75 and not below that of nine tenths of the repository's own
rules of that support, and when so many common commits would be chance only once in a hundred repositories:
the upper tail of the hypergeometric distribution (Fisher's exact test), corrected for the number of rules
looked at (Bonferroni). So a file that nearly every commit touches is nobody's partner. Commits larger than
nine tenths of the repository's own are left out as well: they are sweeps (formatting, new syntax, licences),
which tie whatever they touch; a change that is one itself is not asked. Only source files have partners, and
these are source files or documents: settings of continuous integration, locks and changelogs move together
without meaning anything. A test that changes alone misses nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TypeVar

from repo_guardian.tools.intent.texts import is_changelog, is_document
from repo_guardian.tools.signals.cochange_detail import CoChangeDetail
from repo_guardian.tools.signals.interface import Signal, SignalKind, one_line, signal_key
from repo_guardian.tools.signals.places import Place, place
from repo_guardian.tools.views.symbol_graph.interface import Graph

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class CoChangeLimits:
    """Bounds and thresholds; see the module's text.

    Attributes:
        files: commits of more files than this say nothing, nor do those above the ``percentile`` of sizes.
        sweep: but no commit of so few files is taken for a sweep.
        support: common commits at least.
        confidence: share at least, in 0..1.
        percentile: and at least that of this share of the repository's rules, in 0..1.
        chance: expected number of rules that hold by chance.
        signals: how many are reported at most.
    """

    files: int = 30
    sweep: int = 5
    support: int = 3
    confidence: float = 0.75
    percentile: float = 0.9
    chance: float = 0.01
    signals: int = 10


@dataclass(frozen=True, slots=True)
class Rule:
    """Of ``changes`` commits with ``changed``, ``together`` changed ``partner`` too."""

    changed: str
    partner: str
    together: int
    changes: int
    lift: float

    @property
    def confidence(self) -> float:
        """The share, in 0..1."""
        return self.together / self.changes


def co_change_signals(
    window: Sequence[Collection[str]],
    changed: Collection[str],
    present: Set[str],
    graph: Graph,
    limits: CoChangeLimits | None = None,
) -> tuple[Signal, ...]:
    """One signal for each file that did not change although a partner did, the strongest rule of each.

    Args:
        window: the paths of each commit before the change, under their latest names; order does not matter.
        changed: paths that differ between base and current.
        present: paths of the current tree; what is gone has no partner.
        graph: the current one; files with an edge between them are no hidden partners.
    """
    bounds = limits or CoChangeLimits()
    altered = frozenset(changed)
    if len(altered) > _usual(window, bounds):
        return ()
    best: dict[str, Rule] = {}
    for rule in rules(window, altered, bounds):
        if rule.partner in altered or not {rule.changed, rule.partner} <= present:
            continue
        if not _may_lead(rule.changed, graph) or not _may_be_partner(rule.partner, graph):
            continue
        known = best.get(rule.partner)
        if known is None or _strength(rule) > _strength(known):
            best[rule.partner] = rule
    ordered = sorted(best.values(), key=lambda rule: (-rule.confidence, -rule.together, rule.partner))
    untied = (rule for rule in ordered if not tied(graph, rule.changed, rule.partner))
    return tuple(_signal(rule) for _, rule in zip(range(bounds.signals), untied, strict=False))


def rules(
    window: Sequence[Collection[str]], changed: Collection[str], limits: CoChangeLimits
) -> Iterator[Rule]:
    """The rules that count and whose first file is among ``changed``."""
    usual = _usual(window, limits)
    commits = [frozenset(paths) for paths in window if 0 < len(paths) <= usual]
    single = Counter(path for paths in commits for path in paths)
    pairs = Counter(pair for paths in commits for pair in combinations(sorted(paths), 2))
    found = [
        Rule(one, other, count, single[one], count * len(commits) / (single[one] * single[other]))
        for pair, count in pairs.items()
        if count >= limits.support
        for one, other in (pair, pair[::-1])
    ]
    shares = sorted(rule.confidence for rule in found)
    threshold = max(limits.confidence, _at(shares, limits.percentile) if shares else 1.0)
    for rule in found:
        if rule.changed not in changed or rule.confidence < threshold:
            continue
        chance = _tail(rule.together, rule.changes, single[rule.partner], len(commits))
        if chance * len(found) <= limits.chance:
            yield rule


def _usual(window: Sequence[Collection[str]], limits: CoChangeLimits) -> int:
    """The number of files up to which a commit is no sweep."""
    sizes = sorted(len(paths) for paths in window if paths)
    return min(limits.files, max(limits.sweep, _at(sizes, limits.percentile) if sizes else 0))


def _at(ordered: Sequence[Number], percentile: float) -> Number:
    return ordered[min(len(ordered) - 1, int(percentile * len(ordered)))]


def _may_lead(path: str, graph: Graph) -> bool:
    return path in graph.files and place(path) is not Place.TEST


def _may_be_partner(path: str, graph: Graph) -> bool:
    return path in graph.files or (is_document(path) and not is_changelog(path))


def tied(graph: Graph, one: str, other: str) -> bool:
    """Whether any edge of the graph leads from one file to the other."""
    return any(_leads(graph, path, target) for path, target in ((one, other), (other, one)))


def _leads(graph: Graph, path: str, target: str) -> bool:
    ids: Iterable[str] = {part for edge in graph.edges_in(path) for part in (edge.target, *edge.via)}
    found = (graph.symbols.get(name) for name in ids)
    return any(symbol is not None and symbol.path == target for symbol in found)


def _strength(rule: Rule) -> tuple[float, int, str]:
    return rule.confidence, rule.together, rule.changed


def _tail(together: int, one: int, other: int, commits: int) -> float:
    """The probability that ``one`` of ``commits`` drawn at random hold ``together`` or more of ``other``."""
    ways = sum(comb(other, k) * comb(commits - other, one - k) for k in range(together, min(one, other) + 1))
    return ways / comb(commits, one)


def _signal(rule: Rule) -> Signal:
    line = (
        f"{rule.partner} did not change with {rule.changed}, as it did in {rule.together} of "
        f"{rule.changes} earlier changes, and no import or call ties them"
    )
    return Signal(
        key=signal_key(SignalKind.CO_CHANGE_MISSING, rule.partner, rule.changed, ""),
        kind=SignalKind.CO_CHANGE_MISSING,
        line=one_line(line),
        symbols=(),
        paths=(rule.partner, rule.changed),
        public=False,
        detail=CoChangeDetail(rule.changed, rule.partner, rule.together, rule.changes, rule.lift),
    )
