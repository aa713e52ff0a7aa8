"""Drift on the wire: what changed between two commits, who has not followed, and what speaks for intent."""

from __future__ import annotations

from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.contract.wire import Wire


class MentionItem(Wire):
    """A line that names what changed. ``where`` is a path or a commit; the line is a stranger's text."""

    where: str
    line: str


class IntentItem(Wire):
    """What speaks for a change being meant.

    Attributes:
        announced: a changelog, the documentation, a docstring or an earlier deprecation told readers.
        followed: a changed test uses it, or a commit message names it.
        deprecated: how the base announced it; empty when it did not.
        docstring: its own docstring changed.
        tests: changed test files that use it.
        changelog, documents, messages: the lines that name it.
    """

    announced: bool
    followed: bool
    deprecated: str = ""
    docstring: bool = False
    tests: tuple[str, ...] = ()
    changelog: tuple[MentionItem, ...] = ()
    documents: tuple[MentionItem, ...] = ()
    messages: tuple[MentionItem, ...] = ()


class DriftItem(Wire):
    """One signal with its intent."""

    signal: SignalItem
    intent: IntentItem


class LeftOutItem(Wire):
    """A path of the work tree that could not be compared, and why."""

    path: str
    reason: str


class DriftAnswer(Wire):
    """What changed between two commits, or between HEAD and the work tree.

    Attributes:
        as_of: the later side; for the work tree its commit is a pseudo-commit that no repository holds.
        base, base_subject: the earlier side; an empty base is the empty tree.
        work_tree: the later side is what is on disk.
        base_version, version: by the nearest tags; empty where history names none.
        step: ``major``, ``minor``, ``patch`` or ``other`` when the version changed, else empty. A break in a
            major step is what the number promises (semver.org, item 8).
        files_changed: paths that differ.
        total, totals_by_kind, unannounced_total: counts before any cut.
        items: ranked: unannounced ones first, then by score.
        not_comparable: of the work tree.
        skipped_total: source files that could not be read whole, at either side.
    """

    as_of: AsOf
    base: str
    base_subject: str
    work_tree: bool
    base_version: str
    version: str
    step: str
    files_changed: int
    total: int
    totals_by_kind: dict[str, int]
    unannounced_total: int
    items: tuple[DriftItem, ...]
    not_comparable: tuple[LeftOutItem, ...] = ()
    skipped_total: int = 0
    next_offset: int | None = None
