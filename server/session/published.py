"""What is published of a repository, as its state directory says; the repository itself is not asked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from repo_guardian.errors import GitError, GuardianError, ViewDamagedError, ViewError, ViewStaleError
from repo_guardian.server.contract.views import CommitViews, ViewItem, ViewState
from repo_guardian.server.session.reading import SUBJECT_CHARS
from repo_guardian.server.session.state_dir import StateDir
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.source import locate
from repo_guardian.tools.views.interface import VIEWS
from repo_guardian.tools.views.manifest import Manifest, ViewEntry
from repo_guardian.tools.views.publish import load
from repo_guardian.tools.views.published import read_manifest, require

REASON_CHARS = 300


class Published:
    """The views of one repository, and what its mirror knows of their commits.

    Args:
        home: the state directory of all repositories.
        named: the repository, a path or an address.

    Raises:
        UsageError: it is no repository.
    """

    def __init__(self, home: Path, named: str) -> None:
        source = locate(named)
        state = StateDir(home, source.repository_id)
        self.location = source.location
        self.root = state.root
        self._mirror = Mirror(state.mirror, source.location) if state.mirror.is_dir() else None

    @property
    def head(self) -> str | None:
        """HEAD's commit when the mirror was last brought up to date; None when there was none."""
        try:
            return None if self._mirror is None else self._mirror.resolve("HEAD")
        except GuardianError:
            return None

    def resolve(self, revision: str) -> str:
        """The commit that a revision names in the mirror; without a mirror, ``revision`` itself.

        Raises:
            UsageError: it names no commit.
        """
        return revision if self._mirror is None else self._mirror.resolve(revision)

    def described(self, commit: str, problems: Iterable[str] = ()) -> CommitViews:
        """What is published of a commit; ``problems`` are what a verification found wrong with it.

        A view that is missing or cannot be read is described as that, never raised.
        """
        subject = self._subject(commit)
        try:
            manifest = read_manifest(self.root, commit)
        except ViewError as error:
            return CommitViews(commit=commit, subject=subject[:SUBJECT_CHARS], **_failed(error))
        answer = described(manifest, subject)
        found = "; ".join(problems)
        if found:
            return answer.model_copy(update=_failed(ViewDamagedError(found)))
        try:
            require(manifest, list(manifest.views))
            return answer.model_copy(update=self._sizes(manifest))
        except ViewError as error:
            return answer.model_copy(update=_failed(error))

    def _sizes(self, manifest: Manifest) -> dict[str, int]:
        if "symbol_graph" not in manifest.views:
            return {}
        size = load(self.root, manifest.commit).size
        return {"symbols": size.symbols, "edges": size.edges}

    def _subject(self, commit: str) -> str:
        try:
            return "" if self._mirror is None else self._mirror.commit_info(commit).subject
        except GitError:
            return ""


def described(manifest: Manifest, subject: str) -> CommitViews:
    """What a manifest says of a commit whose views are whole."""
    coverage = manifest.coverage
    return CommitViews(
        commit=manifest.commit,
        subject=subject[:SUBJECT_CHARS],
        state=ViewState.WHOLE,
        views=tuple(_item(name, manifest.views[name]) for name in VIEWS if name in manifest.views),
        files_seen=coverage.seen,
        files_covered=coverage.parsed + len(coverage.partial),
        left_out=len(coverage.skipped) + len(coverage.partial),
        withheld=sum(count for _, count in coverage.withheld),
        facts_reused=manifest.facts.reused,
        facts_extracted=manifest.facts.extracted,
    )


def _item(name: str, entry: ViewEntry) -> ViewItem:
    return ViewItem(
        name=name,
        digest=entry.digest,
        files=entry.files,
        kept=entry.kept,
        made=entry.made,
        since=entry.since,
        size_bytes=sum(pack.bytes for pack in entry.packs),
        new_bytes=entry.new_bytes,
    )


def _failed(error: ViewError) -> dict[str, Any]:
    state = ViewState.STALE if isinstance(error, ViewStaleError) else ViewState.DAMAGED
    return {"state": state, "reason": error.message[:REASON_CHARS]}
