"""Questions with known answers for the retrieval benchmark, made from a package's own docstrings.

The first sentence of a function's docstring is the question, the function is the answer. The package is
written anew into another folder with those docstrings taken out, line for line, so that no search can find
the sentence itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SENTENCE = re.compile(r"(.{15,300}?[.!?])(\s|$)")
_MIN_WORDS = 4
_ATTACHED_LINES = 5
"""Decorators and comments that a chunk may begin with before the line of the ``def``."""


class Question(NamedTuple):
    """A sentence, the words of the function's name, and the lines of the function."""

    text: str
    name: str
    path: str
    first: int
    last: int

    def answered_by(self, path: str, first: int, last: int) -> bool:
        """Whether these lines are the function's or part of it."""
        return path == self.path and self.first - _ATTACHED_LINES <= first <= self.last >= last - 1


def take_questions(package: Path, target: Path) -> list[Question]:
    """Write ``package``'s Python files into ``target`` without function docstrings; returns the questions."""
    questions: list[Question] = []
    for place in sorted(package.rglob("*.py")):
        path = place.relative_to(package).as_posix()
        source = place.read_bytes()
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        lines = source.split(b"\n")
        found = list(_documented(tree, lines))
        for _, statement in found:
            begin = lines[statement.lineno - 1]
            lines[statement.lineno - 1] = begin[: len(begin) - len(begin.lstrip())] + b"pass"
            end = statement.end_lineno or statement.lineno
            lines[statement.lineno : end] = [b""] * (end - statement.lineno)
        questions += [question for node, _ in found if (question := _question(node, path)) is not None]
        written = target / path
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_bytes(b"\n".join(lines))
    return questions


def _documented(
    tree: ast.Module, lines: list[bytes]
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.stmt]]:
    """Functions whose docstring stands on lines of its own, with the docstring's statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node) is not None:
            begin = lines[node.body[0].lineno - 1].lstrip()
            if re.match(rb"[rRuU]?[\"']", begin):
                yield node, node.body[0]


def _question(node: ast.FunctionDef | ast.AsyncFunctionDef, path: str) -> Question | None:
    """The question of a function that does something; None for a stub or a docstring of a few words."""
    text = re.sub(r"\s+", " ", (ast.get_docstring(node) or "").strip().split("\n\n")[0])
    match = _SENTENCE.match(text)
    sentence = match[1] if match else text[:300]
    if len(sentence.split()) < _MIN_WORDS or len(node.body) < 2:
        return None
    words = " ".join(part for part in re.split(r"_|(?<=[a-z])(?=[A-Z])", node.name) if part)
    return Question(sentence, words, path, node.lineno, node.end_lineno or node.lineno)
