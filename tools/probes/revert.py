"""The smallest restoration of base text at a suspected cause, for the fix-probe.

A revert is a set of *parts*; each replaces a range of lines of the current file with a range of lines of
the base file, so it can only restore text that the base had. Candidates come in the order of DESIGN §6:
what changed in the suspected definition, then with the bindings that name it, then every hunk of its file,
then of all files given. The first that turns the test green is narrowed by leaving parts out until none can
be left out (ddmin: Zeller and Hildebrandt, 2002, "Simplifying and Isolating Failure-Inducing Input").
Nothing here runs anything: the caller says what passes.
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

ALONE = 4
"""Definitions, of several suspected ones, that are restored one at a time."""

Blobs = Mapping[str, bytes | None]
"""Repository-relative path to content; None where the tree has no such file."""


@dataclass(frozen=True, slots=True, order=True)
class Part:
    r"""Lines ``current_start:current_end`` of ``path`` become base lines ``base_start:base_end``.

    0-based half-open line numbers, lines end at ``\\n``. ``whole_file`` parts restore or remove the
    file itself.
    """

    path: str
    current_start: int
    current_end: int
    base_start: int
    base_end: int
    whole_file: bool = False

    @property
    def changed_lines(self) -> int:
        """Lines taken out plus lines restored."""
        return (self.current_end - self.current_start) + (self.base_end - self.base_start)


@dataclass(frozen=True, slots=True)
class Revert:
    """A set of parts with what it is meant to restore."""

    parts: tuple[Part, ...]
    description: str

    @property
    def files(self) -> tuple[str, ...]:
        """The paths that it writes, sorted."""
        return tuple(sorted({part.path for part in self.parts}))

    @property
    def changed_lines(self) -> int:
        """Size of the revert in lines."""
        return sum(part.changed_lines for part in self.parts)


@dataclass(frozen=True, slots=True)
class DefinitionSpan:
    """Where the suspected definition stands in one file: 1-based inclusive lines, None when absent."""

    path: str
    name: str
    current: tuple[int, int] | None
    base: tuple[int, int] | None


def candidates(definitions: Sequence[DefinitionSpan], base: Blobs, current: Blobs) -> Iterator[Revert]:
    """Yield reverts from the narrowest to the widest; all are subsets of the change of ``base``'s paths."""
    seen: set[tuple[Part, ...]] = set()
    by_span = [(span, _definition_parts(span, base, current)) for span in definitions]
    own = list(dict.fromkeys(part for _, parts in by_span for part in parts))
    names = {span.name for span in definitions}
    hunks = [part for path in sorted(set(base) | set(current)) for part in _hunks(path, base, current)]
    bindings = [part for part in hunks if _mentions(part, names, base) and not _overlaps(part, own)]
    what = ", ".join(sorted(names))
    home = {span.path for span in definitions}
    for parts, description in (
        *((parts, f"the definition of {span.name}") for span, parts in by_span[:ALONE]),
        (own, f"the definition of {what}"),
        ([*own, *bindings], f"the definition of {what} and its bindings"),
        ([part for part in hunks if part.path in home], f"what changed in {', '.join(sorted(home))}"),
        (hunks, f"what changed in {', '.join(sorted(set(base) | set(current)))}"),
    ):
        key = tuple(sorted(parts))
        if key and key not in seen:
            seen.add(key)
            yield Revert(key, description)


async def narrow(revert: Revert, passes: Callable[[Revert], Awaitable[bool]]) -> Revert:
    """Leave parts out, half of them at first, while the test still passes; the result is 1-minimal."""
    parts, pieces = list(revert.parts), 2
    while len(parts) > 1:
        size = -(-len(parts) // pieces)
        for start in range(0, len(parts), size):
            fewer = parts[:start] + parts[start + size :]
            if fewer and await passes(Revert(tuple(fewer), revert.description)):
                parts, pieces = fewer, max(2, pieces - 1)
                break
        else:
            if size == 1:
                break
            pieces = min(len(parts), pieces * 2)
    return Revert(tuple(parts), revert.description)


def recognise(edited: Mapping[str, bytes | None], base: Blobs, current: Blobs) -> Revert | None:
    """The revert that an edit amounts to, or None when it writes anything but base text in its place."""
    parts: list[Part] = []
    for path, content in sorted(edited.items()):
        parts += _undone(path, content, base, current)
    revert = Revert(tuple(sorted(parts)), f"base text of {', '.join(sorted(edited))}")
    same = apply(revert, base, current) == dict(edited)
    return revert if parts and same else None


def _undone(path: str, content: bytes | None, base: Blobs, current: Blobs) -> list[Part]:
    """Those hunks of the change of a file that an edit of it touches."""
    hunks = _hunks(path, base, current)
    if content is None or current.get(path) is None:
        return hunks
    touched = _opcodes(path, {path: content}, current)
    return [hunk for hunk in hunks if any(_meet(hunk, start, end) for start, end in _ranges(touched))]


def _ranges(opcodes: Sequence[tuple[str, int, int, int, int]]) -> list[tuple[int, int]]:
    return [(start, end) for tag, _, _, start, end in opcodes if tag != "equal"]


def _meet(part: Part, start: int, end: int) -> bool:
    return part.current_start <= max(end, start) and start <= max(part.current_end, part.current_start)


def apply(revert: Revert, base: Blobs, current: Blobs) -> dict[str, bytes | None]:
    """The content of each file that the revert writes; None means that the file is removed."""
    result: dict[str, bytes | None] = {}
    for path in revert.files:
        parts = sorted(part for part in revert.parts if part.path == path)
        if any(part.whole_file for part in parts):
            result[path] = base.get(path)
            continue
        base_lines = split_lines(base.get(path) or b"")
        lines = split_lines(current.get(path) or b"")
        for part in reversed(parts):
            lines[part.current_start : part.current_end] = base_lines[part.base_start : part.base_end]
        result[path] = b"".join(lines)
    return result


def changed_lines(edited: Mapping[str, bytes | None], current: Blobs) -> int:
    """Lines that an edit takes out plus lines that it writes."""
    count = 0
    for path, content in edited.items():
        for tag, start, end, now, until in _opcodes(path, {path: content}, current):
            count += (end - start) + (until - now) if tag != "equal" else 0
    return count


def render_diff(edited: Mapping[str, bytes | None], current: Blobs) -> str:
    """The edit as a unified diff from current text to restored text: evidence, never a patch to apply."""
    pieces: list[str] = []
    for path in sorted(edited):
        before = split_lines(current.get(path) or b"")
        after = split_lines(edited[path] or b"")
        pieces += difflib.unified_diff(
            [line.decode("utf-8", "replace") for line in before],
            [line.decode("utf-8", "replace") for line in after],
            f"current/{path}",
            f"restored/{path}",
        )
    return "".join(piece if piece.endswith("\n") else piece + "\n" for piece in pieces)


def split_lines(content: bytes) -> list[bytes]:
    r"""Lines with their ends; only ``\\n`` ends a line, as for git and for our spans."""
    lines = content.split(b"\n")
    kept = [line + b"\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def _definition_parts(span: DefinitionSpan, base: Blobs, current: Blobs) -> list[Part]:
    if span.base is None or base.get(span.path) is None:
        return []
    base_start, base_end = span.base[0] - 1, span.base[1]
    if current.get(span.path) is None:
        return [_whole_file(span.path, base, current)]
    if span.current is not None:
        return _hunks_between(span.path, span.base, span.current, base, current)
    position = _position(span.path, base_start, base, current)
    return [Part(span.path, position, position, base_start, base_end)]


def _hunks_between(
    path: str, then: tuple[int, int], now: tuple[int, int], base: Blobs, current: Blobs
) -> list[Part]:
    """What changed between the lines ``then`` of the base and ``now`` of the current file, nothing around."""
    before = split_lines(base.get(path) or b"")[then[0] - 1 : then[1]]
    after = split_lines(current.get(path) or b"")[now[0] - 1 : now[1]]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        Part(path, now[0] - 1 + a, now[0] - 1 + b, then[0] - 1 + c, then[0] - 1 + d)
        for tag, c, d, a, b in matcher.get_opcodes()
        if tag != "equal"
    ]


def _position(path: str, base_line: int, base: Blobs, current: Blobs) -> int:
    """Where in the current file a base line would stand, had it not been taken out."""
    for _tag, base_start, base_end, start, end in _opcodes(path, base, current):
        if base_start <= base_line < base_end:
            return min(start + (base_line - base_start), end)
    return len(split_lines(current.get(path) or b""))


def _hunks(path: str, base: Blobs, current: Blobs) -> list[Part]:
    if (base.get(path) is None) != (current.get(path) is None):
        return [_whole_file(path, base, current)]
    return [
        Part(path, start, end, base_start, base_end)
        for tag, base_start, base_end, start, end in _opcodes(path, base, current)
        if tag != "equal"
    ]


def _opcodes(path: str, base: Blobs, current: Blobs) -> Sequence[tuple[str, int, int, int, int]]:
    before, after = split_lines(base.get(path) or b""), split_lines(current.get(path) or b"")
    return difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _whole_file(path: str, base: Blobs, current: Blobs) -> Part:
    before, after = len(split_lines(base.get(path) or b"")), len(split_lines(current.get(path) or b""))
    return Part(path, 0, after, 0, before, whole_file=True)


def _mentions(part: Part, names: set[str], base: Blobs) -> bool:
    lines = split_lines(base.get(part.path) or b"")[part.base_start : part.base_end]
    text = b"".join(lines)
    return any(name.encode() in text for name in names)


def _overlaps(part: Part, others: Sequence[Part]) -> bool:
    """True when both touch the same current lines: an insertion counts as touching its place."""
    return any(
        part.path == other.path and _meet(part, other.current_start, other.current_end) for other in others
    )
