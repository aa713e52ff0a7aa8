"""Reading objects of the mirror: one ``cat-file`` process for many objects, bounded in memory.

Object names go in on stdin, so no name can be taken for an option. Two processes are used, one that
answers type and size and one that sends contents, so that a large object is known before it is asked for.
Protocol: git-cat-file(1), "BATCH OUTPUT".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git, Stream

OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""A full object name, SHA-1 or SHA-256."""

_HEADER = re.compile(rb"([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)")


@dataclass(frozen=True, slots=True)
class Header:
    """What an object is: full ``oid``, ``type`` (blob, tree, commit, tag) and ``size`` in bytes."""

    oid: str
    type: str
    size: int


class ObjectReader:
    """A context in which objects of one mirror are read.

    >>> with ObjectReader(git) as reader:
    ...     data = reader.read(oid, "tree", limit_bytes=1 << 20)
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._stack = ExitStack()
        self._check: Stream | None = None
        self._contents: Stream | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def header(self, expression: bytes | str) -> Header | None:
        """Type and size of what ``expression`` names; None when it names nothing, or more than one thing.

        Args:
            expression: an object name or any revision expression without a newline.
        """
        if self._check is None:
            self._check = self._stack.enter_context(self._git.stream("cat-file", "--batch-check"))
        name = expression.encode() if isinstance(expression, str) else expression
        if b"\n" in name or not name:
            return None
        self._check.send(name + b"\n")
        return parse_header(self._check.line())

    def stream(self, oid: str) -> tuple[Header, Iterator[bytes]]:
        """An object's header and its content in pieces; the pieces must be read to the end.

        Raises:
            GitError: the mirror has no such object.
        """
        if self._contents is None:
            self._contents = self._stack.enter_context(self._git.stream("cat-file", "--batch"))
        contents = self._contents
        if OBJECT_ID.fullmatch(oid) is None:
            raise GitError(f"{oid!r} is not a full object name")
        contents.send(oid.encode() + b"\n")
        header = parse_header(contents.line())
        if header is None:
            raise missing(oid)

        def pieces() -> Iterator[bytes]:
            yield from contents.chunks(header.size)
            for _ in contents.chunks(1):
                pass  # the newline that ends the entry

        return header, pieces()

    def read(self, oid: str, kind: str, *, limit_bytes: int) -> bytes:
        """The whole content of an object of type ``kind``.

        Raises:
            GitError: it is missing, of another type, or larger than ``limit_bytes``.
        """
        known = self.header(oid)
        if known is None:
            raise missing(oid)
        if known.type != kind:
            raise GitError(f"object {oid} is a {known.type}, not a {kind}")
        if known.size > limit_bytes:
            raise GitError(f"{kind} {oid} is {known.size} bytes long; the limit is {limit_bytes}")
        return b"".join(self.stream(oid)[1])


def missing(oid: str) -> GitError:
    """The error for an object that the mirror should have and has not."""
    return GitError(
        f"the mirror misses object {oid}",
        hint="the mirror is damaged or the source incomplete: delete the mirror directory and sync again",
    )


def parse_header(line: bytes) -> Header | None:
    """One answer of ``cat-file --batch-check``; None for "missing" and "ambiguous"."""
    match = _HEADER.fullmatch(line)
    return Header(match[1].decode(), match[2].decode(), int(match[3])) if match else None
