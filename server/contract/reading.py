"""What every read of a repository on the wire says of itself: which commit answered, what it leaves out."""

from __future__ import annotations

from repo_guardian.server.contract.wire import Wire


class AsOf(Wire):
    """The commit that answered, and how it stands to the watched repository at that moment.

    Attributes:
        repository: where it is: a path, or an address without credentials.
        commit, subject: the commit that was read. Its subject is a stranger's text.
        head: the commit of HEAD; None when HEAD has none.
        dirty: the work tree holds what HEAD does not, which no answer takes into account; None when there
            is no work tree, or it cannot be compared.
        changed_paths, untracked_paths: how many paths that is.
    """

    repository: str
    commit: str
    subject: str
    head: str | None
    dirty: bool | None
    changed_paths: int = 0
    untracked_paths: int = 0


class FileSlice(Wire):
    """Lines of one file at a commit, as text: bytes that are not UTF-8 become U+FFFD.

    Attributes:
        start_line, end_line: what ``text`` holds, 1-based, inclusive; ``end_line`` is ``start_line - 1`` for
            an empty file.
        total_lines, size_bytes: of the whole file.
        cut_lines: lines that were longer than a line may be, and are cut.
        masked: characters that look like a secret were overwritten with ``*``.
        next_line: where to go on reading; None when the file ends here.
    """

    as_of: AsOf
    path: str
    start_line: int
    end_line: int
    total_lines: int
    size_bytes: int
    text: str
    cut_lines: int = 0
    masked: bool = False
    next_line: int | None = None
