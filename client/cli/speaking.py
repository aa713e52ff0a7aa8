"""The two commands by which a human has a word on a finding: ``dismiss`` and ``accept``."""

from __future__ import annotations

import inspect
from pathlib import Path

import click

from repo_guardian.client.cli.home import guardian_home, home_option
from repo_guardian.server.contract.hypotheses import Word

_FILES_NAMED = 3


def speaking_command(word: Word, about: str) -> click.Command:
    """The command that writes ``word`` down; ``about`` is its help."""

    @click.command(help=inspect.cleandoc(about))
    @click.argument("identifier", metavar="ID")
    @click.argument("repository", metavar="[REPO]", default=".")
    @click.option("--reason", required=True, help="Why, for whoever reads it later.")
    @click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
    @home_option
    def command(identifier: str, repository: str, *, reason: str, as_json: bool, home: Path | None) -> None:
        _speak(
            identifier,
            str(Path(repository).expanduser().absolute()),
            word,
            reason,
            home=(home or guardian_home()).absolute(),
            as_json=as_json,
        )

    return command


def _speak(identifier: str, repository: str, word: Word, reason: str, *, home: Path, as_json: bool) -> None:
    import json

    from repo_guardian.client.cli.told import find_told
    from repo_guardian.client.printable import printable
    from repo_guardian.server.session.reading import open_repository
    from repo_guardian.server.session.saying import say

    watched = open_repository(home, repository)
    told = find_told(watched.state, identifier)
    said = say(watched, told.report.cycle.commit, told.draft, word, reason)
    if as_json:
        answer = {"key": told.key, "word": word.value, "reason": reason, "files": said.files}
        click.echo(json.dumps({**answer, "claim": told.draft.claim, "told_by": told.where}, indent=2))
        return
    click.echo(f"{word.value} {told.key} of {told.where}: {printable(told.draft.claim)}")
    if said.files:
        named = ", ".join(printable(path) for path in said.files[:_FILES_NAMED])
        more = len(said.files) - _FILES_NAMED
        click.echo(f"until {named}{f' or {more} more' if more > 0 else ''} changes")
