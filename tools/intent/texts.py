"""Which documents announce changes, what was added to them, and which lines name a subject."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

from repo_guardian.tools.intent.interface import CommitMessage, DocumentChange, Mention, Subject

_CHANGELOG = re.compile(
    r"(?i)(^|/)(changes|changelog|change_log|history|news|releases?|release[-_ ]?notes|whats?[-_ ]?new)"
    r"([-_.\w]*)?(\.(md|rst|txt|adoc|markdown))?$"
)
_FRAGMENTS = re.compile(
    r"(?i)(^|/)(changelog(\.d)?|changes|newsfragments|news|release[-_]?notes|upcoming_changes)/"
)
_DOCUMENT = re.compile(r"(?i)\.(md|rst|txt|adoc|markdown|ipynb)$")
_MAX_BYTES = 4 * 1024**2
_LINE_CHARS = 240
_MENTIONS = 5

# Conventional Commits (conventionalcommits.org, types beside fix and feat) and what such commits are called.
_TOOLING = re.compile(
    r"(?i)^\W*((chore|style|ci|build|lint|format|typing|types?|test|tests|docs?|refactor)(\([^)]*\))?!?:"
    r"|.*\b(black|ruff|isort|flake8|mypy|pyupgrade|pre-commit|prettier|type hints?|annotations?|formatting"
    r"|whitespace|lint(ing|er)?|code style|reformat\w*|clean-?up|f-strings?|drop support for python"
    r"|remove (dead|unused) code|typos?)\b)"
)
_COMMON = frozenset(
    [
        "get",
        "set",
        "add",
        "run",
        "call",
        "open",
        "close",
        "read",
        "write",
        "load",
        "save",
        "name",
        "value",
        "data",
        "main",
        "test",
        "item",
        "items",
        "key",
        "keys",
        "copy",
        "update",
        "format",
        "parse",
        "send",
        "start",
        "stop",
        "next",
        "size",
        "type",
        "list",
        "dict",
        "text",
        "path",
        "file",
        "line",
        "lines",
        "init",
        "apply",
    ]
)


def is_changelog(path: str) -> bool:
    """Whether a document tells users about changes, by its usual names (towncrier's fragments included)."""
    return not path.endswith(".py") and bool(_CHANGELOG.search(path) or _FRAGMENTS.search(path))


def is_document(path: str) -> bool:
    """Whether a file is written for readers."""
    return bool(_DOCUMENT.search(path))


def is_tooling(messages: Sequence[CommitMessage]) -> bool:
    """Whether every message is, by its subject line, about tooling, formatting, types, tests or docs."""
    return bool(messages) and all(_TOOLING.search(m.message.partition("\n")[0]) for m in messages)


def naming(subject: Subject) -> re.Pattern[str]:
    """What a line has to hold to name a subject.

    The bare name, unless it is short or an everyday word: then only with its owner, in code marks, or called.
    """
    name = re.escape(subject.name)
    above = subject.qualname.split(".")[-2:-1] or subject.symbol.split(".")[-2:-1]
    owner = re.escape(above[0]) if above else ""
    qualified = rf"\b{owner}(\.|::|#|[\u2019']s\s+){name}\b" if owner else rf"\b{name}\b"
    if len(subject.name) >= 5 and subject.name.lower() not in _COMMON and not subject.name.startswith("__"):
        return re.compile(rf"(?<![\w]){name}(?![\w])")
    return re.compile(rf"{qualified}|`+~?\.?{name}(\(\))?`+|(?<![\w.]){name}\(\)")


def added_lines(change: DocumentChange) -> Iterator[str]:
    """The lines that a text has now and had not; nothing for what is too large to compare."""
    old, new = change.old or b"", change.new or b""
    if len(old) + len(new) > _MAX_BYTES:
        return
    before, after = (data.decode("utf-8", "replace").split("\n") for data in (old, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=True)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag in ("insert", "replace"):
            yield from after[start:end]


def mentions(subject: Subject, where: str, lines: Iterable[str]) -> list[Mention]:
    """The first few lines that name ``subject``, cut to one readable length."""
    pattern = naming(subject)
    found = (line for line in lines if pattern.search(line))
    return [
        Mention(where, " ".join(line.split())[:_LINE_CHARS])
        for line, _ in zip(found, range(_MENTIONS), strict=False)
    ]
