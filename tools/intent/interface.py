"""The records of intent evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Mention(NamedTuple):
    """A line that names the subject: ``where`` is a path or ``commit <12 digits>``, ``line`` its text.

    The text comes from the repository: it is shown, never obeyed.
    """

    where: str
    line: str


class CommitMessage(NamedTuple):
    """One commit between base and current: full id, and its message as text."""

    commit: str
    message: str


class DocumentChange(NamedTuple):
    """One changed text: its path, and its content at the base and now; None where it is absent."""

    path: str
    old: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about.

    Attributes:
        symbol: id in the graph.
        qualname: dotted name within its module.
        path: the file that defines it now, or did.
    """

    symbol: str
    qualname: str
    path: str

    @property
    def name(self) -> str:
        """The last part of the name."""
        return self.qualname.rpartition(".")[2] or self.symbol.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class IntentEvidence:
    """What speaks for intent.

    Attributes:
        changelog: added lines of a changelog that name the subject.
        messages: lines of commit messages that name it.
        documents: added lines of other documentation that name it.
        docstring: whether its own docstring changed.
        tests: changed test files that use it.
        deprecated: how the base announced it: a decorator, a warning raised in it, a note in its docstring.
        tooling: whether every commit message is about tooling, formatting or types only: then a change of
            behaviour is a slip even where a message names the subject.
    """

    changelog: tuple[Mention, ...] = ()
    messages: tuple[Mention, ...] = ()
    documents: tuple[Mention, ...] = ()
    docstring: bool = False
    tests: tuple[str, ...] = ()
    deprecated: str = ""
    tooling: bool = False

    @property
    def announced(self) -> bool:
        """Whether a reader of the changelog, the documentation or an earlier deprecation was told."""
        return bool(self.changelog or self.documents or self.deprecated or self.docstring)

    @property
    def followed(self) -> bool:
        """Whether whoever made the change shows to have known of it: a test or a message that names it."""
        return not self.tooling and bool(self.tests or self.messages)

    @property
    def intended(self) -> bool:
        """Whether anything at all speaks for intent."""
        return self.announced or self.followed
