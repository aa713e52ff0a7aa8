"""A commit object, parsed from its bytes: what its author wrote and when.

Parsed here because ``git log`` re-encodes, applies a mailmap and stops at damaged dates. Format: git's
Documentation/gitformat and ``commit.c``: header lines, a blank line, the message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENCODING = re.compile(
    rb"(utf-?8|latin-?1|(iso-?8859|windows|cp)-?\d{1,4}(-\d{1,2})?|koi8-[ru]|euc-(jp|kr)|shift_jis|gb\w{3,6}|big5)",
    re.IGNORECASE,
)
_PERSON = re.compile(rb"(?P<name>[^<]*?) *<[^>]*> ?(?P<time>-?\d{1,15})?(?: .*)?", re.DOTALL)
_MAX_TIME = 1 << 47


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """One commit.

    Attributes:
        id, tree, parents: full object names; ``parents`` is what the object says, also in a shallow clone.
        author_name: decoded with replacement, as ``subject`` is.
        author_time, committer_time: seconds since 1970-01-01 UTC; 0 where the object holds no valid time.
        subject: the first paragraph of the message, its lines joined by a space.
    """

    id: str
    tree: str
    parents: tuple[str, ...]
    author_name: str
    author_time: int
    committer_time: int
    subject: str


def parse_commit(oid: str, data: bytes) -> CommitInfo:
    """The commit ``oid`` from its raw object; never fails on what a stranger put in it."""
    head, _, message = data.partition(b"\n\n")
    headers: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        headers.setdefault(key, []).append(value)
    encoding = _encoding(headers.get(b"encoding", [b""])[0])
    name, author_time = _person(headers.get(b"author", [b""])[0])
    _, committer_time = _person(headers.get(b"committer", [b""])[0])
    paragraph = message.lstrip(b"\n").partition(b"\n\n")[0]
    return CommitInfo(
        id=oid,
        tree=headers.get(b"tree", [b""])[0].decode("ascii", "replace"),
        parents=tuple(parent.decode("ascii", "replace") for parent in headers.get(b"parent", [])),
        author_name=_decode(name, encoding),
        author_time=author_time,
        committer_time=committer_time,
        subject=" ".join(_decode(paragraph, encoding).split("\n")).strip(),
    )


def _person(line: bytes) -> tuple[bytes, int]:
    match = _PERSON.fullmatch(line)
    if match is None:
        return line, 0
    time = int(match["time"] or 0)
    return match["name"], time if abs(time) < _MAX_TIME else 0


def _encoding(name: bytes) -> str:
    """Only names of text encodings are looked up: Python's codecs also hold compressors and the like."""
    return name.decode("ascii") if _ENCODING.fullmatch(name) else "utf-8"


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        return data.decode("utf-8", "replace")
