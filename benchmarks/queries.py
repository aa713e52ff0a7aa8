"""What the benchmarks ask a repository: the first sentences of its docstrings, and its symbols.

Both are chosen by a seeded generator, so that two runs over one tree ask the same. Docstrings are what people
write of code in words: as queries they are realistic in length and vocabulary, and easy, since the words are
in the repository.
"""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator

from repo_guardian.tools.views.interface import TreeSource
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import SymbolKind

SEED = 20
_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})
_SENTENCE = re.compile(r"(.+?)(?:\.\s|\n\s*\n|\Z)", re.DOTALL)


def docstring_queries(source: TreeSource, count: int, *, files: int = 400) -> list[str]:
    """The first sentences of ``count`` docstrings, out of ``files`` Python files of a tree, all drawn."""
    draw = random.Random(SEED)
    oids = sorted({oid for path, oid, mode in source.files() if path.endswith(b".py") and mode != "120000"})
    sentences = sorted(
        {
            sentence
            for _, data in source.read(draw.sample(oids, min(files, len(oids))))
            for sentence in _sentences(data or b"")
        }
    )
    return draw.sample(sentences, min(count, len(sentences)))


def _sentences(data: bytes) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes and such in strangers' files
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found = _SENTENCE.match((ast.get_docstring(node) or "").strip())
            sentence = " ".join(found.group(1).split()).rstrip(".") if found else ""
            if 4 <= len(sentence.split()) <= 30:
                yield sentence


def random_symbols(graph: Graph, count: int) -> list[str]:
    """Ids of ``count`` functions, methods and classes, drawn."""
    found = sorted(symbol.id for symbol in graph.symbols.values() if symbol.kind in _CALLED)
    return random.Random(SEED).sample(found, min(count, len(found)))


def most_used(graph: Graph, count: int) -> list[str]:
    """Ids of the ``count`` functions, methods and classes that most edges lead to."""
    uses = Counter(edge.target for edge in graph.edges())
    return [name for name, _ in uses.most_common() if _is_called(graph, name)][:count]


def _is_called(graph: Graph, name: str) -> bool:
    symbol = graph.symbols.get(name)
    return symbol is not None and symbol.kind in _CALLED


def answers(graph: Graph, names: Iterable[str]) -> list[list[str]]:
    """The uses of each symbol as text, to compare two graphs by."""
    return [
        [
            f"{edge.path}:{edge.span.start_byte} {edge.source} {edge.kind} {edge.resolution}"
            for edge in graph.uses(name)
        ]
        for name in names
    ]
