"""Who uses a symbol: what the graph knows, and mentions of its name that the graph knows nothing about.

The second kind is what a graph cannot hold: names in strings and templates, in documents and configuration,
and in languages that no extractor covers. Lines on which the graph resolves the same name to something else,
or on which something else of that name is defined, are left out. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from repo_guardian.tools.retrieval.callers import definitions
from repo_guardian.tools.views.secrets import looks_secret, mask
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import GUESSES, Edge, EdgeKind, Resolution

TEXT = "text"
"""How a mention was found that only the text shows."""

_LINE_CHARS = 200
_WEAK = frozenset(resolution.value for resolution in (*GUESSES, Resolution.UNRESOLVED))


@dataclass(frozen=True, slots=True)
class CallSiteLimits:
    """Counts: sites listed, and files read for mentions."""

    listed: int = 50
    files: int = 2000


@dataclass(frozen=True, slots=True)
class Site:
    """One use of a symbol, as 1-based lines of a file.

    ``symbol`` is the definition that uses it, empty for a mention. ``how`` is the graph's resolution, or
    ``TEXT``; ``kind`` the kind of use (``call``, ``import``, …), empty for a mention.
    """

    path: str
    start_line: int
    end_line: int
    text: str
    symbol: str
    how: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sites:
    """The uses of a symbol at one commit.

    Attributes:
        symbol: the id that was looked for: what the name means, or the name as it was given.
        sites: uses that certainly mean it, those that may, then mentions; each in file order.
        total: of all, before any cut.
        text_total: of mentions.
        unread: files with a mention that were not read: too many, or they look like secrets.
    """

    symbol: str
    sites: tuple[Site, ...]
    total: int
    text_total: int
    unread: int


def find_call_sites(
    graph: Graph,
    name: str,
    mentioning: Iterable[str],
    read: Callable[[str], bytes | None],
    limits: CallSiteLimits | None = None,
) -> Sites:
    """Look for the uses of ``name`` at the graph's commit.

    Args:
        name: a symbol's id, or the end of one; it may be gone from this commit.
        mentioning: paths of the files that hold its last part as a word.
        read: the content of a file; None where it cannot be had.
    """
    bounds = limits or CallSiteLimits()
    found = definitions(graph, name)
    symbol = found[0].id if len(found) == 1 else name
    last = symbol.rpartition(".")[2]
    uses = dict.fromkeys(graph.uses(symbol))
    possible = [edge for edge in graph.named(last) if edge not in uses]
    known = sorted(
        (_site(edge) for edge in (*uses, *possible)), key=lambda s: (s.how in _WEAK, s.path, s.start_line)
    )
    paths = list(mentioning)
    mentions = _Mentions(graph, last, read)
    texts = [site for path in paths[: bounds.files] for site in mentions.of(path)]
    return Sites(
        symbol=symbol,
        sites=(*known, *texts)[: bounds.listed],
        total=len(known) + len(texts),
        text_total=len(texts),
        unread=max(0, len(paths) - bounds.files) + mentions.withheld,
    )


def _site(edge: Edge) -> Site:
    span = edge.span
    return Site(
        path=edge.path,
        start_line=span.start_line,
        end_line=span.end_line,
        text=edge.text[:_LINE_CHARS],
        symbol=edge.source,
        how=edge.resolution.value,
        kind=edge.kind.value,
    )


class _Mentions:
    """Reads files for a word on lines of which the graph says nothing."""

    def __init__(self, graph: Graph, word: str, read: Callable[[str], bytes | None]) -> None:
        self._graph = graph
        self._word = word
        self._pattern = re.compile(rb"(?<!\w)" + re.escape(word.encode("utf-8", "replace")) + rb"(?!\w)")
        self._read = read
        self.withheld = 0

    def of(self, path: str) -> Iterator[Site]:
        """The mentions in one file, in order."""
        content = self._read(path)
        if content is None or looks_secret(path, content):
            self.withheld += 1
            return
        lines = mask(content).split(b"\n")
        matching = {number for number, line in enumerate(lines, 1) if self._pattern.search(line)}
        for number in sorted(matching - self._used(path) - self._defined(path, matching)):
            text = lines[number - 1].strip().decode("utf-8", "replace")[:_LINE_CHARS]
            yield Site(path, number, number, text, symbol="", how=TEXT, kind="")

    def _used(self, path: str) -> set[int]:
        """Lines on which the graph has a use of anything of that name."""
        lines: set[int] = set()
        for edge in self._graph.edges_in(path):
            names = {name.rpartition(".")[2] for name in (edge.target, *edge.via)}
            if self._word in names and edge.kind not in (EdgeKind.OVERRIDE, EdgeKind.CONTAIN):
                lines.update(range(edge.span.start_line, edge.span.end_line + 1))
        return lines

    def _defined(self, path: str, matching: set[int]) -> set[int]:
        """Lines on which something of that name is defined: the first that holds it, below decorators."""
        lines: set[int] = set()
        for symbol in self._graph.symbols_in(path):
            inside = range(symbol.span.start_line, symbol.span.end_line + 1)
            if symbol.name == self._word:
                lines |= {min(matching.intersection(inside), default=0)}
        return lines
