"""Linking in memory: the facts of a commit's files become its symbol graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.symbol_graph.linker import LINKER_VERSION, Linker
from repo_guardian.tools.views.symbol_graph.memory import MemoryCorpus
from repo_guardian.tools.views.symbol_graph.model import Edge, SkippedFile, Symbol, SymbolGraph
from repo_guardian.tools.views.symbol_graph.modules import Layout

__all__ = ["LINKER_VERSION", "link"]


def link(commit: str, files: Mapping[str, FileFacts], skipped: Iterable[SkippedFile] = ()) -> SymbolGraph:
    """Link the facts of one commit.

    Args:
        commit: full object id; only copied into the graph.
        files: facts by path, ``/`` as separator, without lone surrogates.
        skipped: files that have no facts at all, with the reason; files whose facts are partial are added.

    Returns:
        The same graph for the same facts, whatever their order.
    """
    corpus = MemoryCorpus(files)
    linker = Linker(corpus)
    symbols: dict[str, Symbol] = {}
    edges: list[Edge] = []
    for path in corpus.paths():
        linked = linker.link(path)
        for symbol in linked.symbols:
            symbols.setdefault(symbol.id, symbol)
        edges += linked.edges
    partial = [SkippedFile(path, facts.problem) for path, facts in files.items() if facts.problem]
    python = [path for path in corpus.paths() if corpus.language(path) == "python"]
    layout = Layout(python, {path for path in python if corpus.is_python2(path)})
    return SymbolGraph(commit, symbols.values(), edges, [*skipped, *partial], layout.roots)
