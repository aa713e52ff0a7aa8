"""A blob as the parser reads it: its bytes as they are, and the way from offsets to lines and text.

All offsets are the blob's own. Bytes that are not UTF-8 stay where they are: the grammars let them pass in
comments and strings, and names are decoded with replacement.
"""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_right

from repo_guardian.tools.views.facts.interface import Region

TEXT_CHARS = 200
"""Where the text of a value, a default or a line is cut."""

_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY_SAMPLE_BYTES = 8192


class Source:
    """One blob; ``problem`` says what is wrong with its bytes, ``readable`` whether they are text at all."""

    def __init__(self, blob: bytes) -> None:
        self.data = blob
        self.problem = ""
        self.readable = True
        if blob.startswith(_WIDE_BOMS):
            self.problem, self.readable = "UTF-16 text, which is not read", False
        elif b"\0" in blob[:_BINARY_SAMPLE_BYTES]:
            self.problem, self.readable = "binary data under a source file's name", False
        else:
            try:
                blob.decode("utf-8")
            except UnicodeDecodeError as error:
                self.problem = f"not valid UTF-8 at byte {error.start}"
        self._starts = array("L", [0])
        find, position = blob.find, -1
        while (position := find(b"\n", position + 1)) >= 0:
            self._starts.append(position + 1)

    @property
    def region(self) -> Region:
        """The whole blob."""
        return 1, self.line(max(len(self.data) - 1, 0)), 0, len(self.data)

    @property
    def lines(self) -> int:
        """How many lines begin in the blob."""
        return len(self._starts)

    @property
    def longest_line(self) -> bytes:
        """The longest line, with its end."""
        ends = [*self._starts[1:], len(self.data)]
        start, end = max(zip(self._starts, ends, strict=True), key=lambda pair: pair[1] - pair[0])
        return self.data[start:end]

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return bisect_right(self._starts, offset)

    def locate(self, start: int, end: int) -> Region:
        """The region of ``data[start:end]``."""
        return self.line(start), self.line(max(end - 1, start)), start, end

    def name(self, start: int, end: int) -> str:
        """A name as text."""
        return self.data[start:end].decode("utf-8", "replace")

    def text(self, start: int, end: int) -> str:
        """``data[start:end]`` as text, cut; white space is canonical where no string literal is in it."""
        text = self.data[start : min(end, start + 4 * TEXT_CHARS)].decode("utf-8", "replace")
        if not ("'" in text or '"' in text or "`" in text):
            text = " ".join(text.split())
        return text[:TEXT_CHARS]

    def line_text(self, line: int) -> str:
        """The text of a line, stripped, cut at 200 characters."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.data)
        return self.data[start:end][: 8 * TEXT_CHARS].decode("utf-8", "replace").strip()[:TEXT_CHARS]
