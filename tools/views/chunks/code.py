"""Chunks of source code: one for each function, one for a class's header, and what is left of the module.

Only what lies in the module or in a class gets a chunk of its own: a function inside a function is part of
it. Nesting is read off the regions and not off the definitions' parents, because in some languages a method
stands outside of its type. Comments and annotations right above a definition belong to its chunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from repo_guardian.tools.views.chunks.interface import Chunk, ChunkLimits
from repo_guardian.tools.views.chunks.windows import Lines, windows
from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, FileFacts

_ATTACHED = (b"#", b"//", b"/*", b"*", b"@")
"""How a line begins that says something of the definition below it: comments, decorators, attributes."""

_MAX_DEPTH = 16
"""Classes nested deeper stay whole in the chunk of the one around them."""


class _Place(NamedTuple):
    """A definition that has a chunk of its own, by whole lines, with those inside of it."""

    owner: int
    first: int
    last: int
    inner: list[_Place]


def code_chunks(lines: Lines, facts: FileFacts, limits: ChunkLimits) -> Iterator[Chunk]:
    """The chunks of a source file in source order."""
    module = _Place(MODULE_SCOPE, 1, lines.count, _places(lines, facts.definitions))
    for owner, first, last in _segments(lines, module):
        heading = qualified_name(facts.definitions, owner)
        for region in windows(lines, first, last, limits.chunk_lines, limits.chunk_bytes):
            yield Chunk(region, owner, heading)


def qualified_name(definitions: Sequence[Definition], owner: int) -> str:
    """The dotted name of a definition within its file; empty for the module."""
    names: list[str] = []
    while 0 <= owner < len(definitions) and len(names) < _MAX_DEPTH * 2:
        names.append(definitions[owner].name)
        owner = definitions[owner].parent
    return ".".join(reversed(names))


def _places(lines: Lines, definitions: Sequence[Definition]) -> list[_Place]:
    """The places of the module, nested; one that begins on a line of the place before it is part of that."""
    top: list[_Place] = []
    open_places: list[_Place] = []
    covered = 0
    for owner, first, last in _definitions(definitions, lines.count):
        while open_places and open_places[-1].last < first:
            open_places.pop()
        if first <= covered or first < 1 or last < first:
            continue
        if open_places and (last > open_places[-1].last or first == open_places[-1].first):
            continue
        place = _Place(owner, first, last, [])
        (open_places[-1].inner if open_places else top).append(place)
        if definitions[owner].kind == "class" and len(open_places) < _MAX_DEPTH:
            open_places.append(place)
        else:
            covered = last
    return top


def _definitions(definitions: Sequence[Definition], count: int) -> Iterator[tuple[int, int, int]]:
    """Number, first and last line of classes and functions, in order; overloads are part of what follows."""
    order = sorted(
        (number for number, entry in enumerate(definitions) if entry.kind != "variable"),
        key=lambda number: (definitions[number].region[0], -definitions[number].region[1], number),
    )
    start = 0
    for number, following in zip(order, [*order[1:], -1], strict=False):
        entry = definitions[number]
        start = start or entry.region[0]
        if entry.role == "overload" and following >= 0 and _same_name(entry, definitions[following]):
            continue
        yield number, start, min(entry.region[1], count)
        start = 0


def _same_name(one: Definition, other: Definition) -> bool:
    return (one.parent, one.name) == (other.parent, other.name)


def _segments(lines: Lines, place: _Place) -> Iterator[tuple[int, int, int]]:
    """Owner, first and last line of each part of a place, in order; every line is in exactly one."""
    cursor = place.first
    for inner in place.inner:
        first = inner.first
        while first > cursor and lines.text(first - 1).startswith(_ATTACHED):
            first -= 1
        if first > cursor:
            yield place.owner, cursor, first - 1
        if inner.inner:
            yield from _segments(lines, inner._replace(first=first))
        else:
            yield inner.owner, first, inner.last
        cursor = inner.last + 1
    if cursor <= place.last:
        yield place.owner, cursor, place.last
