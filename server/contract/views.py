"""Published views on the wire: what is compiled of which commit, whether it is whole, what it takes."""

from __future__ import annotations

from enum import StrEnum

from repo_guardian.server.contract.wire import Wire


class ViewState(StrEnum):
    """Whether a commit's views can be used."""

    WHOLE = "whole"
    STALE = "stale"
    """Built by another version: the next use builds them anew."""
    DAMAGED = "damaged"
    """Not what was written: the next use builds them anew."""


class ViewItem(Wire):
    """One view of a commit, and what building it took.

    Attributes:
        digest: canonical and free of history: equal for equal views, however they were built.
        files: files that have a part in it.
        kept, made: parts taken over from the views of commit ``since``, and parts made anew.
        since: "" for a build from nothing.
        size_bytes: the packs that hold it, which other commits share.
        new_bytes: of the packs that its build wrote.
    """

    name: str
    digest: str
    files: int
    kept: int
    made: int
    since: str
    size_bytes: int
    new_bytes: int


class CommitViews(Wire):
    """The views of one commit.

    Attributes:
        subject: of the commit, a stranger's text; empty when the mirror no longer has it.
        reason: why ``state`` is not whole, in one line.
        files_seen, files_covered: entries of the tree, and those that a language's extractor has read.
        left_out: files that contributed nothing, or less than they hold.
        withheld: files that look like secrets.
        symbols, edges: of the symbol graph; None when it cannot be read.
        facts_reused, facts_extracted: blobs that were known when it was built, and that were read then.
        reused: True when it was there already and nothing was built.
    """

    commit: str
    subject: str
    state: ViewState
    reason: str = ""
    views: tuple[ViewItem, ...] = ()
    files_seen: int = 0
    files_covered: int = 0
    left_out: int = 0
    withheld: int = 0
    symbols: int | None = None
    edges: int | None = None
    facts_reused: int = 0
    facts_extracted: int = 0
    reused: bool | None = None


class ViewsStatus(Wire):
    """A page of the published commits, the latest built first.

    Attributes:
        head: HEAD's commit when the mirror was last brought up to date; None when there was none.
        disk_bytes: what the packs and the facts of all commits take.
        unused_bytes: of packs that no commit uses any more.
        capabilities: what is extracted of each covered language, and how its names are resolved.
    """

    repository: str
    head: str | None
    total: int
    items: tuple[CommitViews, ...]
    disk_bytes: dict[str, int]
    unused_bytes: int
    capabilities: dict[str, str]
    next_offset: int | None = None


class ViewsBuilt(Wire):
    """What ``guardian views build`` did, in the order of the commits."""

    repository: str
    built: tuple[CommitViews, ...]


class ViewsVerified(Wire):
    """What ``guardian views verify`` found; ``whole`` when nothing is damaged (a stale view is no damage)."""

    repository: str
    whole: bool
    commits: tuple[CommitViews, ...]


class ViewsCollected(Wire):
    """What ``guardian views gc`` removed, and which commits still have views.

    ``packs`` and ``facts`` count the files that went, ``freed_bytes`` is of everything.
    """

    repository: str
    kept: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    packs: int = 0
    facts: int = 0
    freed_bytes: int = 0
