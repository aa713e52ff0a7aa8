"""Defaults of type parameters (PEP 696, ``class A[T = int]``), which the grammar does not know yet.

A file that fails to parse is tried once more with these defaults blanked out: offsets stay as they are, and
only the names inside the defaults are lost.
"""

from __future__ import annotations

import re

_HEADER = re.compile(rb"\b(?:class|def|type)[ \t]+\w+[ \t]*\[")
_TOKEN = re.compile(rb"""[][(){},]|[=!<>:]=|=|"[^"\n]*"|'[^'\n]*'|\#[^\n]*""")
_OPENING, _CLOSING = b"[({", b"])}"


def without_type_defaults(data: bytes) -> bytes:
    """``data`` with every default of a type parameter replaced by blanks; ``data`` itself without one."""
    found = [span for match in _HEADER.finditer(data) for span in _defaults(data, match.end())]
    if not found:
        return data
    blanked = bytearray(data)
    for start, end in found:
        blanked[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])
    return bytes(blanked)


def _defaults(data: bytes, position: int) -> list[tuple[int, int]]:
    """The spans of ``= default`` in the type parameter list that begins at ``position``."""
    found: list[tuple[int, int]] = []
    depth, start = 1, -1
    for match in _TOKEN.finditer(data, position):
        token = match.group()
        ends = depth == 1 and token in (b",", b"]")
        if ends and start >= 0:
            found.append((start, match.start()))
            start = -1
        elif token == b"=" and depth == 1 and start < 0:
            start = match.start()
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0:
            return found
    return []
