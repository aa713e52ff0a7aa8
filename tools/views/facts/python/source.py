"""A Python blob as the parser wants it: UTF-8 text, with the way back to the blob's own offsets.

The encoding is found as PEP 263 says (a BOM, else a ``coding:`` comment in the first two lines, else
UTF-8). A blob in another encoding is parsed as UTF-8 and its offsets are translated back.
"""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right

from repo_guardian.tools.views.facts.interface import Region

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")
_PRINTABLE = bytes(range(32, 127))
TEXT_CHARS = 200


class Source:
    """One blob: ``data`` is what is parsed (UTF-8), ``problem`` says when it could not be decoded exactly."""

    def __init__(self, blob: bytes) -> None:
        self.size = len(blob)
        self.problem = ""
        self.data, self._offsets = self._decode(blob)
        self._starts = array("L", [0])
        find, position = self.data.find, -1
        while (position := find(b"\n", position + 1)) >= 0:
            self._starts.append(position + 1)

    def _decode(self, blob: bytes) -> tuple[bytes, array[int] | None]:
        name = declared_encoding(blob)
        encoding = _source_encoding(name)
        if not encoding:
            self.problem = f"unknown encoding {name!r}"
            encoding = "utf-8"
        try:
            text = blob.decode(encoding)
        except UnicodeDecodeError as error:
            self.problem = self.problem or f"not valid {encoding.upper()} at byte {error.start}"
            return _as_latin(blob)
        if encoding == "utf-8":
            return blob, None
        data, offsets = _translate(text, encoding)
        if offsets[-1] != len(blob):
            self.problem = f"{encoding} text that cannot be mapped to bytes"
            return _as_latin(blob)
        return data, offsets

    @property
    def region(self) -> Region:
        """The whole blob."""
        return 1, self.line(max(len(self.data) - 1, 0)), 0, self.size

    def line(self, offset: int) -> int:
        """The 1-based line of an offset into ``data``."""
        return bisect_right(self._starts, offset)

    def locate(self, start: int, end: int) -> Region:
        """The region of ``data[start:end]`` in the blob."""
        starts = self._starts
        first = last = bisect_right(starts, start)
        if first < len(starts) and starts[first] < end:
            last = bisect_right(starts, end - 1)
        if self._offsets is None:
            return first, last, start, end
        return first, last, self._offsets[start], self._offsets[end]

    def text(self, start: int, end: int) -> str:
        """``data[start:end]`` as text; white space is made canonical where no string literal is in it."""
        text = self.data[start:end].decode("utf-8", "replace")
        if "'" in text or '"' in text:
            return text
        return " ".join(text.split())

    def line_text(self, line: int) -> str:
        """The text of a line, stripped, cut at 200 characters."""
        end = self._starts[line] if line < len(self._starts) else len(self.data)
        text = self.data[self._starts[line - 1] : end].decode("utf-8", "replace")
        return text.strip()[:TEXT_CHARS]


def declared_encoding(blob: bytes) -> str:
    """The encoding that the first two lines of a blob declare (PEP 263), ``utf-8`` when they do not."""
    if blob.startswith(codecs.BOM_UTF8):
        return "utf-8"
    first, _, rest = blob[:2048].partition(b"\n")
    for line in (first, rest.partition(b"\n")[0]):
        if match := _COOKIE.match(line):
            return match.group(1).decode("ascii", "replace")
        if not _BLANK.match(line):
            break
    return "utf-8"


def _source_encoding(name: str) -> str:
    """The codec for source in encoding ``name``; empty when there is none, or none that extends ASCII."""
    try:
        encoding = codecs.lookup(name).name
        if _PRINTABLE.decode(encoding) != _PRINTABLE.decode("ascii"):
            return ""
    except (LookupError, UnicodeError, TypeError, ValueError):
        return ""
    return "utf-8" if encoding in ("utf-8", "utf-8-sig", "ascii") else encoding


def _translate(text: str, encoding: str) -> tuple[bytes, array[int]]:
    """UTF-8 bytes of ``text``, and for each of their offsets the offset in ``encoding``."""
    encoder = codecs.getincrementalencoder(encoding)()
    offsets, position = array("L"), 0
    for character in text:
        offsets.extend([position] * len(character.encode("utf-8")))
        position += len(encoder.encode(character))
    offsets.append(position)
    return text.encode("utf-8"), offsets


def _as_latin(blob: bytes) -> tuple[bytes, array[int]]:
    """Every byte as one character: what is ASCII stays readable, and offsets stay exact."""
    return _translate(blob.decode("latin-1"), "latin-1")
