"""The Python extractor: bytes in, facts out, over the tree-sitter grammar.

tree-sitter recovers from syntax errors, so a broken file contributes what still parses; it also reads much
of Python 2 without complaint, which is reported, since such a file means something else to Python 3.
"""

from __future__ import annotations

import time

from tree_sitter import Node, Parser

from repo_guardian.tools.views.facts import versions
from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts
from repo_guardian.tools.views.facts.python import (
    assignments,
    definitions,
    expressions,
    fields,
    imports,
    statements,
)
from repo_guardian.tools.views.facts.python.finish import Finisher
from repo_guardian.tools.views.facts.python.generics import without_type_defaults
from repo_guardian.tools.views.facts.python.source import Source
from repo_guardian.tools.views.facts.python.values import value_of
from repo_guardian.tools.views.facts.python.walk import Handler, Walk

_CHUNK_BYTES = 64 * 1024
_BY_NAME: dict[str, Handler] = {
    **expressions.HANDLERS,
    **definitions.HANDLERS,
    **assignments.HANDLERS,
    **statements.HANDLERS,
    **imports.HANDLERS,
}
_HANDLERS = {
    number: _BY_NAME[name]
    for number in range(fields.LANGUAGE.node_kind_count)
    if (name := fields.LANGUAGE.node_kind_for_id(number)) in _BY_NAME
    and fields.LANGUAGE.node_kind_is_named(number)
}
"""By the number of a node's kind, of which several may have one name."""


class PythonExtractor:
    """Extracts Python 3 source (``.py`` and ``.pyi``), any version's syntax whatever Python runs us."""

    identity = versions.identity("python")

    def __init__(self) -> None:
        self._parser = Parser(fields.LANGUAGE)

    def extract(self, source: bytes, limits: ExtractLimits) -> FileFacts:
        """The facts of one blob; see ``Extractor.extract``."""
        if len(source) > limits.blob_bytes:
            lines = source.count(b"\n", 0, max(len(source) - 1, 0)) + 1
            problem = f"too large: {len(source)} bytes, the limit is {limits.blob_bytes}"
            return FileFacts(self.identity, (1, lines, 0, len(source)), problem=problem)
        text = Source(source)
        root = self._parse(text.data, limits.parse_s)
        if root is None:
            problem = f"parsing took more than {limits.parse_s:g} s"
            return FileFacts(self.identity, text.region, problem=problem, transient=True)
        if root.has_error:
            root = self._without_type_defaults(text.data, root, limits.parse_s)
        walk = Walk(text, _HANDLERS, value_of)
        walk.run(root)
        return Finisher(walk).facts(self.identity, _problem(text, walk, root))

    def _without_type_defaults(self, data: bytes, root: Node, seconds: float) -> Node:
        """A better tree than ``root`` when all that is wrong is syntax newer than the grammar."""
        blanked = without_type_defaults(data)
        better = self._parse(blanked, seconds) if blanked is not data else None
        return better if better is not None and not better.has_error else root

    def _parse(self, data: bytes, seconds: float) -> Node | None:
        """The tree's root, None when the time was up. Parsing from a callable is what makes it stoppable."""
        deadline = time.monotonic() + seconds

        def read(offset: int, _point: object) -> bytes:
            return data[offset : offset + _CHUNK_BYTES]

        def expired(_offset: int, _has_error: bool) -> bool:
            return time.monotonic() > deadline

        try:
            return self._parser.parse(read, progress_callback=expired).root_node
        except ValueError:
            self._parser.reset()
            return None


def _problem(text: Source, walk: Walk, root: Node) -> str:
    """Why the facts may hold less than the file, in one line."""
    if text.problem:
        return text.problem
    if walk.python2_line:
        return f"Python 2 source (line {walk.python2_line})"
    if root.has_error:
        return f"syntax error at line {text.line(_first_error(root))}"
    return ""


def _first_error(root: Node) -> int:
    """Offset of the first node that the parser could not make sense of."""
    node = root
    while not (node.is_error or node.is_missing):
        broken = next((child for child in node.children if child.has_error or child.is_missing), None)
        if broken is None:
            break
        node = broken
    return node.start_byte
