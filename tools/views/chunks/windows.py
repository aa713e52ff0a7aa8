"""Cutting a run of lines into pieces of bounded size, at blank lines where there are some."""

from __future__ import annotations

from collections.abc import Iterator

from repo_guardian.tools.views.facts.interface import Region


class Lines:
    r"""The lines of a blob, counted by ``\n`` alone, as byte offsets.

    Args:
        blob: the whole file.
    """

    def __init__(self, blob: bytes) -> None:
        self.blob = blob
        self._starts = [0]
        position = blob.find(b"\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = blob.find(b"\n", position + 1)
        self.count = len(self._starts) - (self._starts[-1] == len(blob))
        if self._starts[-1] != len(blob):
            self._starts.append(len(blob))

    def start(self, line: int) -> int:
        """The byte at which a line begins; ``count + 1`` gives the end of the blob."""
        return self._starts[line - 1]

    def text(self, line: int) -> bytes:
        """A line without white space around it."""
        return self.blob[self._starts[line - 1] : self._starts[line]].strip()

    def size(self, first: int, last: int) -> int:
        """Bytes of the lines ``first`` to ``last``."""
        return self._starts[last] - self._starts[first - 1]


def trimmed(lines: Lines, first: int, last: int) -> tuple[int, int]:
    """``first`` and ``last`` without blank lines at either end; ``last < first`` when nothing is left."""
    while first <= last and not lines.text(first):
        first += 1
    while last >= first and not lines.text(last):
        last -= 1
    return first, last


def windows(lines: Lines, first: int, last: int, max_lines: int, max_bytes: int) -> Iterator[Region]:
    """The lines ``first`` to ``last`` as regions within the bounds, blank ends left out.

    A region ends at the last blank line of its second half, else where the bound is; a line that is longer
    than ``max_bytes`` is cut into regions of that many bytes.
    """
    first, last = trimmed(lines, first, last)
    while first <= last:
        end = _window_end(lines, first, last, max_lines, max_bytes)
        start_byte, end_byte = lines.start(first), lines.start(end + 1)
        for begin in range(start_byte, end_byte, max_bytes):
            yield first, end, begin, min(begin + max_bytes, end_byte)
        first, last = trimmed(lines, end + 1, last)


def _window_end(lines: Lines, first: int, last: int, max_lines: int, max_bytes: int) -> int:
    end = min(last, first + max_lines - 1)
    while end > first and lines.size(first, end) > max_bytes:
        end -= 1
    if end == last:
        return end
    for line in range(end, first + (end - first) // 2, -1):
        if not lines.text(line):
            return line
    return end
