"""Texts of strangers made fit to be shown: on a terminal, in a report, in a log."""

from __future__ import annotations


def printable(text: str) -> str:
    """Control characters, terminal escapes and direction overrides made visible as escapes."""
    return "".join(c if c == "\t" or c.isprintable() else c.encode("unicode_escape").decode() for c in text)
