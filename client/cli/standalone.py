"""A finding's proof as a program of its own: Python, git and pytest, and nothing of ours."""

from __future__ import annotations

from pathlib import Path

from repo_guardian.client.cli.reproducing import Asked
from repo_guardian.client.printable import printable
from repo_guardian.errors import UsageError
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.server.session.uncommitted import holding
from repo_guardian.tools.git.objects import patch_bytes

MAX_CHANGE_BYTES = 8 * 1024**2
"""Of what is not committed: it travels in the program."""

_TITLE_CHARS = 300


def write_standalone(path: Path, asked: Asked) -> None:
    """Write the program to ``path``, which must not exist.

    Raises:
        UsageError: it exists or cannot be written, what was checked is gone, or the change is too large.
    """
    if path.exists():
        raise UsageError(f"{path} exists already", hint="name a file that does not, with --export")
    text = standalone(path.name, asked)
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        path.chmod(0o755)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"cannot write {path}: {reason}", hint="name a file that can be written") from error


def standalone(name: str, asked: Asked) -> str:
    """The text of the program; ``name`` is what its file is called.

    Raises:
        UsageError: what was checked is gone, or the change is too large.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    cycle = asked.told.report.cycle
    committed = cycle.scope is Scope.COMMIT
    where, _, test = asked.proven.test_id.partition("::")
    # Python, not HTML: every text from outside goes in as a literal.
    environment = Environment(  # noqa: S701
        loader=PackageLoader("repo_guardian.client.cli", "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template("standalone.py.j2").render(
        title=_title(asked.proven.draft.claim),
        name=printable(name).replace("\\", "/").replace('"', "'"),
        base=repr(cycle.base),
        commit=repr(cycle.commit if committed else None),
        change=repr(b"") if committed else _lines(_change(asked)),
        test_path=ascii(where),
        test_name=ascii(test),
        in_repository=repr(asked.proven.in_repository),
        test=_lines(asked.proven.source),
    )


def _title(claim: str) -> str:
    """A claim as the first line of a docstring: one line that cannot end it."""
    text = printable(" ".join(claim.split())).replace("\\", "/").replace('"', "'")
    return text if len(text) <= _TITLE_CHARS else f"{text[:_TITLE_CHARS]} …"


def _change(asked: Asked) -> bytes:
    cycle, repository = asked.told.report.cycle, asked.repository
    mirror = holding(repository.mirror, repository.state.root, repository.source, cycle.commit)
    change = patch_bytes(mirror.git, cycle.base or mirror.empty_tree, cycle.commit, MAX_CHANGE_BYTES)
    if change is None:
        raise UsageError(
            f"what is not committed is more than {MAX_CHANGE_BYTES} bytes of changes",
            hint="commit it, and export the finding of a cycle",
        )
    return change


def _lines(text: str | bytes) -> str:
    """A literal with one line of the text on each of its own, so that it can be read."""
    pieces = [ascii(line) for line in text.splitlines(keepends=True)]
    return "\n".join(("(", *(f"    {piece}" for piece in pieces or [ascii(text)]), ")"))
