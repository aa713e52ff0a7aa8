"""All evidence of intent on one subject between two commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from repo_guardian.tools.intent.interface import (
    CommitMessage,
    DocumentChange,
    IntentEvidence,
    Mention,
    Subject,
)
from repo_guardian.tools.intent.sources import deprecation, docstring_changed
from repo_guardian.tools.intent.texts import added_lines, is_changelog, is_document, is_tooling, mentions
from repo_guardian.tools.signals.places import Place, place
from repo_guardian.tools.views.symbol_graph.interface import Graph


class Intent:
    """What happened between two commits, ready to be asked about one subject after the other.

    Args:
        messages: of the commits after the base up to the current one.
        changes: changed documents and Python files with their contents.
    """

    def __init__(self, messages: Sequence[CommitMessage], changes: Sequence[DocumentChange]) -> None:
        self._messages = messages
        self._tooling = is_tooling(messages)
        self._sources = {change.path: change for change in changes if change.path.endswith(".py")}
        documents = [change for change in changes if change.path not in self._sources]
        self._changelogs = [(c.path, list(added_lines(c))) for c in documents if is_changelog(c.path)]
        self._documents = [
            (c.path, list(added_lines(c)))
            for c in documents
            if is_document(c.path) and not is_changelog(c.path)
        ]

    def of(self, subject: Subject, base: Graph, current: Graph) -> IntentEvidence:
        """The evidence on ``subject``."""
        source = self._sources.get(subject.path)
        old, new = (source.old, source.new) if source is not None else (None, None)
        said = [
            found
            for message in self._messages
            for found in mentions(subject, f"commit {message.commit[:12]}", message.message.split("\n"))
        ]
        return IntentEvidence(
            changelog=_in(subject, self._changelogs),
            messages=tuple(said),
            documents=_in(subject, self._documents),
            docstring=bool(old and new and docstring_changed(old, new, subject.qualname)),
            tests=_tests(subject, base, current, self._sources.keys()),
            deprecated=deprecation(old, subject.qualname) if old else "",
            tooling=self._tooling,
        )


def _in(subject: Subject, texts: Sequence[tuple[str, list[str]]]) -> tuple[Mention, ...]:
    return tuple(found for path, lines in texts for found in mentions(subject, path, lines))


def _tests(subject: Subject, base: Graph, current: Graph, changed: Collection[str]) -> tuple[str, ...]:
    """Changed test files that use the subject at either commit."""
    users = {edge.path for graph in (base, current) for edge in graph.uses(subject.symbol)}
    return tuple(sorted(path for path in users if path in changed and place(path) is Place.TEST))
