"""Drift outside of a cycle: two commits, or HEAD and the work tree, compared and told with intent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from repo_guardian.errors import UsageError, ViewError
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.server.contract.drift import DriftAnswer, DriftItem, IntentItem, LeftOutItem, MentionItem
from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.session.answers import Page, within
from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.reading import SUBJECT_CHARS, Narrate, Reading, Repository
from repo_guardian.server.session.translate import signal_item
from repo_guardian.server.session.trees import MirrorSource, Tree
from repo_guardian.server.session.uncommitted import SCOPES, SUBJECTS, WORKTREE, take_uncommitted
from repo_guardian.server.session.views import quietly
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.messages import messages
from repo_guardian.tools.git.mirror import Base
from repo_guardian.tools.git.objects import changed_paths
from repo_guardian.tools.git.pseudo_commit import LeftOut
from repo_guardian.tools.intent.evidence import Intent
from repo_guardian.tools.intent.interface import (
    CommitMessage,
    DocumentChange,
    IntentEvidence,
    Mention,
    Subject,
)
from repo_guardian.tools.intent.texts import is_changelog, is_document
from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.drift.entry_points import detect_entry_points
from repo_guardian.tools.signals.interface import Signal, SymbolDetail
from repo_guardian.tools.signals.ranking import rank
from repo_guardian.tools.views.gather import path_text
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.publish import load, refresh
from repo_guardian.tools.views.symbol_graph.interface import Graph

__all__ = [
    "WORKTREE",
    "Drift",
    "Side",
    "drift_answer",
    "drift_items",
    "find_drift",
    "measure_drift",
    "version_step",
]

DEPENDENTS_LISTED = 20
"""Dependents of one signal in an answer that is bounded in size; lagging ones come first."""
_DEPENDENTS_MOST = 1000
"""And in one that is not: those that did follow are there too."""
_TESTS_LISTED = 10


@dataclass(frozen=True)
class Side:
    """One side of a comparison: the repository that holds its objects, its tree, its linked graph."""

    git: Git
    tree: Tree
    graph: Graph


@dataclass(frozen=True)
class Drift:
    """Two sides and everything measured between them, signals in the order in which they are told.

    ``committed`` is when the later side, or the HEAD under it, was committed, in seconds since the epoch.
    """

    before: Side
    after: Side
    as_of: AsOf
    work_tree: bool
    left_out: tuple[LeftOut, ...]
    changed: tuple[str, ...]
    intent: Intent
    committed: int
    judged: tuple[tuple[Signal, IntentEvidence], ...]

    @property
    def sides(self) -> Sides:
        """Both trees with their graphs."""
        return Sides(self.after.tree, self.after.graph, self.before.tree, self.before.graph)


def find_drift(
    repository: Repository,
    base: str | None,
    revision: str | None,
    page: Page,
    *,
    narrate: Narrate = quietly,
) -> DriftAnswer:
    """What changed from ``base`` to ``revision``, a page of it.

    Args:
        base: a revision; the first parent of ``revision``, or HEAD for the work tree, when None.
        revision: a revision, ``WORKTREE`` or ``STAGED``; HEAD when None.
        narrate: hears of views that have to be built.

    Raises:
        UsageError: one of them names no commit, or there is no work tree.
        EnvironmentFault: git or the views cannot be used.
    """
    return drift_answer(measure_drift(repository, base, revision, narrate), page)


def measure_drift(
    repository: Repository,
    base: str | None,
    revision: str | None,
    narrate: Narrate = quietly,
    *,
    index: Path | None = None,
) -> Drift:
    """The same as records; see ``find_drift``.

    Args:
        index: the index that git is about to commit, where ``revision`` is ``STAGED`` and a hook says so.
    """
    scope = SCOPES.get(revision or "")
    if scope is None:
        reading = repository.at(revision)
        found = repository.mirror.base_of(reading.commit, base)
        later = _Later(repository.mirror.git, reading.tree, reading.as_of)
    else:
        reading = _head(repository)
        head = Base(reading.commit, reading.info.tree)
        found = head if base is None else repository.mirror.base_of(reading.commit, base)
        later = _uncommitted(repository, reading, scope, index)
    mirror, root = repository.mirror, repository.state.root
    git, tree, as_of, left_out = later.git, later.tree, later.as_of, later.left_out
    same = found.commit == reading.commit
    base_tree = reading.tree if same else Tree(mirror.git, found.commit, found.tree)
    before = Side(mirror.git, base_tree, _graph(root, mirror.git, base_tree, None, narrate))
    after = Side(git, tree, _graph(root, git, tree, base_tree.label, narrate))
    changed = [path_text(change.path) for change in changed_paths(git, base_tree.treeish, tree.treeish)]
    said = messages(mirror.git, found.commit, reading.commit)
    intent = Intent([CommitMessage(*pair) for pair in said], _contents(before, after, changed))
    judged = [(s, _evidence(intent, s, before, after)) for s in rank(_signals(before, after, changed))]
    judged.sort(key=lambda pair: (pair[1].intended, -pair[0].score, pair[0].key))
    return Drift(
        before,
        after,
        as_of,
        work_tree=scope is not None,
        left_out=left_out,
        changed=tuple(changed),
        intent=intent,
        committed=reading.info.committer_time,
        judged=tuple(judged),
    )


@dataclass(frozen=True)
class _Later:
    """The later side before its graph is there."""

    git: Git
    tree: Tree
    as_of: AsOf
    left_out: tuple[LeftOut, ...] = ()


def _head(repository: Repository) -> Reading:
    if repository.head is None:
        raise UsageError("HEAD has no commit to compare the work tree with", hint="commit something first")
    return Reading(repository, repository.mirror.commit_info(repository.head))


def _uncommitted(repository: Repository, head: Reading, scope: Scope, index: Path | None) -> _Later:
    """The work tree or the index. Nobody asks git how the one stands to HEAD: the answer is about that."""
    taken = take_uncommitted(
        scope,
        Path(repository.named),
        repository.source,
        repository.mirror,
        state=repository.state.root,
        index=index,
    )
    as_of = AsOf(
        repository=repository.source.location,
        commit=taken.commit,
        subject=SUBJECTS[scope],
        head=head.commit,
        dirty=taken.is_dirty,
        changed_paths=len(taken.changes),
    )
    return _Later(taken.git, Tree(taken.git, taken.commit, taken.tree), as_of, taken.not_comparable)


def _signals(before: Side, after: Side, changed: Sequence[str]) -> Iterator[Signal]:
    yield from detect_drift(before.graph, after.graph, before.tree.read, after.tree.read, changed)
    yield from detect_entry_points(before.graph, after.graph, before.tree.read, after.tree.read)


def _graph(root: Path, git: Git, tree: Tree, since: str | None, narrate: Narrate) -> Graph:
    """The linked graph of a tree; built where it is missing, stale or damaged."""
    try:
        return load(root, tree.label)
    except ViewError as error:
        narrate(f"building the views of {tree.label[:12]}: {error.message}")
    refresh(MirrorSource(git, tree), root, BuildOptions(views=("symbol_graph",), since=since))
    return load(root, tree.label)


def _contents(before: Side, after: Side, changed: Sequence[str]) -> list[DocumentChange]:
    """What can tell of intent: changed documents, and changed Python."""
    wanted = [p for p in changed if p.endswith(".py") or is_document(p) or is_changelog(p)]
    for side in (before, after):
        side.tree.load(wanted)
    return [DocumentChange(path, before.tree.read(path), after.tree.read(path)) for path in wanted]


def _evidence(intent: Intent, signal: Signal, before: Side, after: Side) -> IntentEvidence:
    detail = signal.detail
    if not isinstance(detail, SymbolDetail):
        return IntentEvidence()
    subject = Subject(detail.old_id, detail.qualname, detail.base_path)
    return intent.of(subject, before.graph, after.graph)


def drift_answer(drift: Drift, page: Page) -> DriftAnswer:
    """A page of what was measured."""
    wanted = drift.judged[page.offset : page.offset + page.limit]
    listed = _DEPENDENTS_MOST if page.chars is None else DEPENDENTS_LISTED
    items = within([_item(signal, evidence, drift, listed) for signal, evidence in wanted], page.chars)
    following = page.offset + len(items)
    base, current = drift.before.tree, drift.after.tree
    versions = base.version, "" if drift.work_tree else current.version
    return DriftAnswer(
        as_of=drift.as_of,
        base=base.commit or "",
        base_subject="" if base.commit is None else _subject(drift.before.git, base.commit),
        work_tree=drift.work_tree,
        base_version=versions[0],
        version=versions[1],
        step=version_step(*versions),
        files_changed=len(drift.changed),
        total=len(drift.judged),
        totals_by_kind=dict(sorted(Counter(signal.kind.value for signal, _ in drift.judged).items())),
        unannounced_total=sum(not evidence.intended for _, evidence in drift.judged),
        items=items,
        not_comparable=tuple(LeftOutItem(path=path_text(x.path), reason=x.reason) for x in drift.left_out),
        skipped_total=len({s.path for side in (drift.before, drift.after) for s in side.graph.skipped}),
        next_offset=following if items and following < len(drift.judged) else None,
    )


def drift_items(drift: Drift) -> tuple[DriftItem, ...]:
    """Everything that was measured, each signal with its intent and with all of its uses that lag."""
    return tuple(_item(signal, evidence, drift, _DEPENDENTS_MOST) for signal, evidence in drift.judged)


def _subject(git: Git, commit: str) -> str:
    text = git.run("log", "-1", "--format=%s", "--end-of-options", commit, "--")
    return text.decode("utf-8", "replace").strip()[:SUBJECT_CHARS]


def version_step(old: str, new: str) -> str:
    """Which part of a version number moved on: ``major``, ``minor``, ``patch``, ``other``; "" for none.

    Below 1.0 the minor number counts as the major one (semver.org, item 4, and the usual reading of it).
    """
    try:
        before, after = Version(old).release, Version(new).release
    except InvalidVersion:
        return ""
    before, after = ((*release, 0, 0, 0)[:3] for release in (before, after))
    if before == after:
        return "" if Version(old) == Version(new) else "other"
    if after < before:
        return "other"
    if before[0] != after[0] or (before[0] == 0 and before[1] != after[1]):
        return "major"
    return "minor" if before[1] != after[1] else "patch"


def _item(signal: Signal, evidence: IntentEvidence, drift: Drift, dependents: int) -> DriftItem:
    return DriftItem(
        signal=signal_item(signal, drift.sides, dependents=dependents),
        intent=intent_item(evidence),
    )


def intent_item(evidence: IntentEvidence) -> IntentItem:
    """The evidence, cut to what a reader needs."""
    return IntentItem(
        announced=evidence.announced,
        followed=evidence.followed,
        deprecated=evidence.deprecated,
        docstring=evidence.docstring,
        tests=evidence.tests[:_TESTS_LISTED],
        changelog=_mentions(evidence.changelog),
        documents=_mentions(evidence.documents),
        messages=_mentions(evidence.messages),
    )


def _mentions(found: Sequence[Mention]) -> tuple[MentionItem, ...]:
    return tuple(MentionItem(where=mention.where, line=mention.line) for mention in found[:5])
