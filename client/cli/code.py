"""Source text on a terminal: coloured where colours are wanted, a stranger's escapes made visible first."""

from __future__ import annotations

from collections.abc import Callable

from repo_guardian.client.printable import printable

Highlighter = Callable[[str], list[str]]
"""Turns source text into lines that are fit to be printed."""


def plain_lines(text: str) -> list[str]:
    """The lines as they are, control characters made visible."""
    return [printable(line) for line in text.split("\n")]


def python_lines(text: str) -> list[str]:
    """The lines of Python source with the colours of a 16-colour terminal."""
    from pygments import highlight
    from pygments.formatters.terminal import TerminalFormatter
    from pygments.lexers.python import PythonLexer

    safe = "\n".join(plain_lines(text))
    colored: str = highlight(safe, PythonLexer(stripnl=False), TerminalFormatter())
    return colored.rstrip("\n").split("\n")
