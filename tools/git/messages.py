"""The messages of the commits that lead from one commit to another."""

from __future__ import annotations

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.reader import OBJECT_ID

MAX_COMMITS = 500
MAX_MESSAGE_CHARS = 20_000


def messages(
    git: Git, base: str | None, commit: str, max_commits: int = MAX_COMMITS
) -> tuple[tuple[str, str], ...]:
    """Id and message of each commit that ``commit`` has and ``base`` has not, the latest first.

    Args:
        base, commit: full ids; with no base, the commits up to ``commit``.

    Returns:
        At most ``max_commits`` pairs; messages are cut at ``MAX_MESSAGE_CHARS`` and are strangers' text.

    Raises:
        GitError: no such commit, or git failed.
    """
    for name in (base, commit):
        if name is not None and OBJECT_ID.fullmatch(name) is None:
            raise GitError(f"{name!r} is not a full object name")
    arguments = (
        *("log", "-z", "--format=tformat:%H%x00%B", f"--max-count={max_commits}", "--no-show-signature"),
        *("--no-decorate", "--no-notes", "--no-mailmap", "--encoding=UTF-8", "--end-of-options", commit),
        *((f"^{base}",) if base is not None else ()),
        "--",
    )
    fields = git.run(*arguments).decode("utf-8", "replace").split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return tuple((oid.strip(), text[:MAX_MESSAGE_CHARS].strip()) for oid, text in pairs)
