"""How a line fits a terminal: its width, colours where they are wanted, and cutting by what is seen.

In a pipe nothing is cut and nothing is coloured. Texts from a repository go through ``printable`` first.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import click

MIN_COLUMNS = 40


class Terminal:
    """Standard output as it is now.

    ``columns`` is the width of the terminal, None when it is none. Colours follow it, NO_COLOR
    (https://no-color.org) and TERM=dumb.
    """

    def __init__(self) -> None:
        on_terminal = sys.stdout.isatty()
        self.columns = max(shutil.get_terminal_size().columns, MIN_COLUMNS) if on_terminal else None
        self.colors = on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def style(self, text: str, **style: Any) -> str:
        """``text`` in a style of ``click.style`` where colours are wanted; false values are left out."""
        wanted = {name: value for name, value in style.items() if value}
        return click.style(text, **wanted) if self.colors and wanted else text

    def cut(self, text: str, taken: int = 0) -> str:
        """``text`` cut to what is left of a line of which ``taken`` columns are used; never in a pipe."""
        if self.columns is None:
            return text
        return clipped(text, self.columns - taken)

    def echo(self, line: str = "") -> None:
        """Print one line of the result."""
        click.echo(line, color=self.colors)


def clipped(text: str, columns: int) -> str:
    """``text`` in at most ``columns`` columns of a terminal, at least one, with ``…`` where it is cut."""
    if width(text) <= columns:
        return text
    room, kept = max(columns - 1, 0), []
    for character in text:
        room -= width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def width(text: str) -> int:
    """Columns that printable ``text`` takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """``text`` filled up with spaces to ``columns``, on its right side or, if asked, on its left."""
    fill = " " * max(columns - width(text), 0)
    return fill + text if right else text + fill
