"""What a test is about: the symbols and files whose code has to be shown to be at work in it.

A signal says it by itself: a changed symbol is itself, a divergence is its function, a test that fails now
is the changed definitions that it reaches. A claim without a signal is the symbols and files that it names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.ledger.evidence import TreeClaim
from repo_guardian.server.ledger.locus_files import folder_of_tests, is_test_file
from repo_guardian.server.ledger.reasons import Expected
from repo_guardian.server.session.locus import (
    Sides,
    expectations,
    files_of,
    import_roots,
    modules_of,
    package_names,
    resolve,
    spans_of,
)
from repo_guardian.tools.execution.mounts import HARNESS
from repo_guardian.tools.probes.interface import Edit, TestSource
from repo_guardian.tools.probes.revert import DefinitionSpan
from repo_guardian.tools.probes.runner import RunPlan
from repo_guardian.tools.signals.executed import symbol_detail
from repo_guardian.tools.signals.interface import BehaviourDetail, Signal, SymbolDetail, TestDetail
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import SymbolKind
from repo_guardian.vocabulary import Side

MOST_PARTS = 12
"""Symbols that one test may be about; the nearest of a test's suspects come first."""


@dataclass(frozen=True, slots=True)
class Focus:
    """What a test is about.

    Attributes:
        parts: the symbols, the most suspected first.
        files: files of the locus that define no symbol: data, configuration, other languages.
    """

    parts: tuple[SymbolDetail, ...]
    files: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """False when there is nothing that a test could be about."""
        return bool(self.parts or self.files)

    @property
    def modules(self) -> tuple[str, ...]:
        """Import names of the modules that the symbols are reached through."""
        return tuple(dict.fromkeys(part.module for part in self.parts))

    def paths(self, sides: Sides) -> tuple[str, ...]:
        """All files that it is about, in either tree, sorted."""
        found = {path for part in self.parts for path in files_of(part, sides)}
        return tuple(sorted(found | set(self.files)))


def focus_of_signal(signal: Signal) -> Focus:
    """What a signal is about; nothing for a measurement of a file's history."""
    return Focus(_bounded(_details(signal)))


def focus_of(hypothesis: Hypothesis, signals: Mapping[str, Signal], sides: Sides) -> Focus:
    """What a claim is about: its signals' symbols, then what its locus names."""
    keys = [key for key in hypothesis.draft.signal_keys if key in signals]
    measured = [detail for key in keys for detail in _details(signals[key])]
    named = focus_of_locus(hypothesis.draft.locus, sides)
    if measured:
        return Focus(_bounded([*measured, *(part for part in named.parts if part.qualname)]))
    return named


def focus_of_locus(locus: Locus, sides: Sides) -> Focus:
    """The symbols that a locus names; its files without such a symbol stand for their modules."""
    base, current = sides.base_graph, sides.current_graph
    parts = [d for name in locus.symbols if (d := symbol_detail(name, base, current)) is not None]
    covered = {path for part in parts for path in files_of(part, sides)}
    bare: list[str] = []
    for path in locus.files:
        if path in covered:
            continue
        module = _module_in(path, current) or _module_in(path, base)
        detail = symbol_detail(module, base, current) if module else None
        if detail is not None:
            parts.append(detail)
        elif path in sides.current or path in sides.base:
            bare.append(path)
    return Focus(_bounded(parts), tuple(bare[:MOST_PARTS]))


def expected(focus: Focus, sides: Sides, side: Side) -> Expected:
    """What the hypothesis claims to break, as that side's tree has it."""
    parts = tuple(one for part in focus.parts for one in expectations(part, sides, side))
    return Expected(parts, package_names(sides))


def tree_claim(focus: Focus, test: TestSource, sides: Sides, side: Side, edit: Edit) -> TreeClaim:
    """The modules and the file contents that a run on that side has to prove."""
    tree, graph = sides.tree(side), sides.graph(side)

    def digest(path: str) -> str | None:
        if path in edit:
            content = edit[path]
            return None if content is None else hashlib.sha256(content).hexdigest()
        return tree.digest(path)

    digests = {path: digest(path) for path in (*focus.paths(sides), *edit)}
    groups = []
    for part in focus.parts:
        there = {name: path for name, path in modules_of(part, graph).items() if digest(path) is not None}
        digests |= {path: digest(path) for path in there.values()}
        groups.append(there)
    if test.in_repository:
        copy = hashlib.sha256(test.content).hexdigest()
        digests[test.place] = digest(test.place) if test.existing else copy
    return TreeClaim(
        modules={name: path for group in groups for name, path in group.items()},
        digests=digests,
        needed=tuple(dict.fromkeys(tuple(sorted(group)) for group in groups if group)),
    )


def run_plan(focus: Focus, sides: Sides, claim: TreeClaim, site: str) -> RunPlan:
    """Where to import from, and what to report on, for a test outside of the repository."""
    return RunPlan(
        import_roots=import_roots(focus.modules, sides),
        harness=HARNESS,
        site=site,
        modules=tuple(sorted(claim.modules)),
        files=tuple(sorted(claim.digests)),
    )


def definition_spans(focus: Focus, sides: Sides) -> tuple[DefinitionSpan, ...]:
    """The suspected definitions as lines of the base's and the current files, the most suspected first."""
    return tuple(dict.fromkeys(span for part in focus.parts for span in spans_of(part, sides)))


def absent_at_base(focus: Focus, sides: Sides) -> tuple[str, ...]:
    """The symbols that the base does not have at all: what fails there for the lack of one says nothing."""
    graph = sides.base_graph
    return tuple(part.old_id for part in focus.parts if resolve(part.old_id, graph) is None)


def unlike_at_base(test: TestSource, sides: Sides) -> str:
    """The file that makes a test of the repository another test at the base; empty when it is the same one.

    Its own file, unless it is a copy, the ``conftest.py`` files whose fixtures it has, and what stands beside
    the tests for them to use: helpers and data that both trees have and that the change edited.
    """
    if not test.in_repository:
        return ""
    own = [test.place] if test.existing else []
    for path in (*own, *_conftests(test.place)):
        if sides.base.digest(path) != sides.current.digest(path):
            return path
    edited = (path for path in sides.current.differs_from(sides.base) if _helps(path, test))
    return next((path for path in edited if path in sides.base and path in sides.current), "")


def _helps(path: str, test: TestSource) -> bool:
    """Whether a file lies in the test folder that a test is in and is no test itself."""
    folder = folder_of_tests(test.place)
    return bool(folder) and path.startswith(f"{folder}/") and not is_test_file(path)


def _conftests(path: str) -> Iterator[str]:
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        yield f"{folder}/conftest.py" if folder else "conftest.py"


def _details(signal: Signal) -> Sequence[SymbolDetail]:
    detail = signal.detail
    if isinstance(detail, SymbolDetail):
        return (detail,)
    if isinstance(detail, BehaviourDetail):
        return (detail.symbol,)
    return detail.suspects if isinstance(detail, TestDetail) else ()


def _bounded(parts: Iterable[SymbolDetail]) -> tuple[SymbolDetail, ...]:
    found: dict[tuple[str, str], SymbolDetail] = {}
    for part in parts:
        found.setdefault((part.old_id, part.new_id), part)
    return tuple(found.values())[:MOST_PARTS]


def _module_in(path: str, graph: Graph) -> str:
    modules = (symbol.id for symbol in graph.symbols_in(path) if symbol.kind is SymbolKind.MODULE)
    return next(modules, "")
