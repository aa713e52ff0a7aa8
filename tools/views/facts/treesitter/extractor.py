"""Bytes in, facts out, for any language that has a ``Grammar``.

tree-sitter recovers from syntax errors, so a broken file contributes what still parses and says so. Where a
language has dialects (TSX beside TypeScript, Flow beside JavaScript) a file that the first grammar cannot
read is tried with the next, since facts may not depend on a file's name.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from repo_guardian.tools.views.facts import versions
from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts
from repo_guardian.tools.views.facts.treesitter.finish import Finisher
from repo_guardian.tools.views.facts.treesitter.records import Grammar
from repo_guardian.tools.views.facts.treesitter.source import Source
from repo_guardian.tools.views.facts.treesitter.walk import Walk

_CHUNK_BYTES = 64 * 1024
_MINIFIED_LINE_BYTES = 5000
_MINIFIED_MEAN_BYTES = 500
_CODE_BYTES = (b"(", b")", b"{", b"}", b";", b"=")
_CODE_SHARE = 0.05
_GENERATED = re.compile(
    rb"(?i)code generated .{0,200}do not edit|@generated\b|do not edit.{0,60}generated|"
    rb"(?:file|code|source) (?:is|was|has been) (?:auto(?:matically)?[- ]?)?generated|"
    rb"auto(?:matically)?[- ]?generated (?:by|from|file|code)"
)
_HEAD_BYTES = 2048


class _Dialect:
    """One grammar wheel's language, ready to parse and to select the nodes that matter."""

    def __init__(self, pointer: object, grammar: Grammar) -> None:
        self.language = Language(pointer)
        self.parser = Parser(self.language)
        kinds = [kind for kind in sorted(grammar.handlers) if self._knows(kind)]
        self.nodes = Query(self.language, "[" + " ".join(f"({kind})" for kind in kinds) + "] @node")
        self.errors = Query(self.language, "[(ERROR) (MISSING)] @error")

    def _knows(self, kind: str) -> bool:
        return self.language.id_for_node_kind(kind, True) is not None


class TreeSitterExtractor:
    """Extracts one language.

    Args:
        language: its name.
        grammar: the table.
        dialects: the grammar wheels' ``language`` functions, tried in this order.
    """

    def __init__(self, language: str, grammar: Grammar, dialects: Sequence[Callable[[], Any]]) -> None:
        self.identity = versions.identity(language)
        self._grammar = grammar
        self._load = dialects
        self._dialects: list[_Dialect] = []

    def extract(self, source: bytes, limits: ExtractLimits) -> FileFacts:
        """The facts of one blob; see ``Extractor.extract``."""
        if len(source) > limits.blob_bytes:
            lines = source.count(b"\n", 0, max(len(source) - 1, 0)) + 1
            problem = f"too large: {len(source)} bytes, the limit is {limits.blob_bytes}"
            return FileFacts(self.identity, (1, lines, 0, len(source)), problem=problem)
        text = Source(source)
        if _is_minified(text):
            text.problem, text.readable = "minified: its lines are not what people write", False
        if not text.readable:
            return FileFacts(self.identity, text.region, problem=text.problem)
        best = self._parse(source, limits.parse_s)
        if best is None:
            problem = f"parsing took more than {limits.parse_s:g} s"
            return FileFacts(self.identity, text.region, problem=problem, transient=True)
        dialect, root, errors = best
        walk = Walk(text, self._grammar)
        walk.run(_in_order(dialect.nodes, root))
        return Finisher(walk).facts(self.identity, _problem(text, root, errors))

    def _parse(self, data: bytes, seconds: float) -> tuple[_Dialect, Node, list[int]] | None:
        """The dialect that reads ``data`` best, its tree and the offsets of what it could not read."""
        deadline = time.monotonic() + seconds
        best: tuple[_Dialect, Node, list[int]] | None = None
        for number in range(len(self._load)):
            dialect = self._dialect(number)
            root = _tree(dialect.parser, data, deadline)
            if root is None:
                break
            errors = _errors(dialect.errors, root) if root.has_error else []
            if best is None or len(errors) < len(best[2]):
                best = dialect, root, errors
            if not errors:
                break
        return best

    def _dialect(self, number: int) -> _Dialect:
        while len(self._dialects) <= number:
            self._dialects.append(_Dialect(self._load[len(self._dialects)](), self._grammar))
        return self._dialects[number]


def _tree(parser: Parser, data: bytes, deadline: float) -> Node | None:
    """The tree's root, None when the time was up. Parsing from a callable is what makes it stoppable."""

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK_BYTES]

    def expired(_offset: int, _has_error: bool) -> bool:
        return time.monotonic() > deadline

    try:
        return parser.parse(read, progress_callback=expired).root_node
    except ValueError:
        parser.reset()
        return None


def _in_order(query: Query, root: Node) -> list[Node]:
    """The selected nodes by where they start, outer before inner."""
    nodes = QueryCursor(query).captures(root).get("node", [])
    nodes.sort(key=lambda node: (node.start_byte, -node.end_byte, -node.descendant_count))
    return nodes


def _errors(query: Query, root: Node) -> list[int]:
    nodes = QueryCursor(query).captures(root).get("error", [])
    return [node.start_byte for node in nodes] or [root.start_byte]


def _is_minified(text: Source) -> bool:
    """Long lines on average, and a very long one that is code and not a literal: a bundle."""
    if len(text.data) / text.lines <= _MINIFIED_MEAN_BYTES:
        return False
    line = text.longest_line
    code = sum(map(line.count, _CODE_BYTES))
    return len(line) > _MINIFIED_LINE_BYTES and code > _CODE_SHARE * len(line)


def _problem(text: Source, root: Node, errors: list[int]) -> str:
    """Why the facts may hold less than the file, or what else a reader has to know, in one line."""
    if text.problem:
        return text.problem
    if root.has_error:
        return f"syntax error at line {text.line(min(errors))}"
    if _GENERATED.search(text.data[:_HEAD_BYTES]):
        return "generated code, read in full"
    return ""
